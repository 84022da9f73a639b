#include "lib/Import/ONNX/WideSizes.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "llvm/ADT/IntEqClasses.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

void WideSizes::add(const std::string &identifier, const std::string &modelName) {
  if (llvm::none_of(sizes, [&](auto &size) { return size.first == identifier; }))
    sizes.emplace_back(identifier, modelName);
}

WideSizes::Names WideSizes::namesOf(const Dim &dim) const {
  std::string text = dim.str();
  if (auto names = joined.find(text); names != joined.end())
    return names->second;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i].first == text)
      return {i};
  return {};
}

Dim WideSizes::broadcast(Dim first, const Names &names) const {
  for (size_t name : names)
    first = broadcastOf(first, Dim::named(sizes[name].first));
  return first;
}

std::optional<Dim> WideSizes::join(const Dim &a, const Dim &b, bool areOpen) {
  if (isDeclared(a, b) || isDeclared(b, a))
    return isDeclared(a, b) ? b : a;
  if (!areOpen)
    return std::nullopt;
  Names left = namesOf(a), right = namesOf(b);
  if ((a.isStatic() && !right.empty()) || (b.isStatic() && !left.empty())) {
    const Dim &number = a.isStatic() ? a : b;
    for (size_t name : a.isStatic() ? right : left)
      numbers.emplace(name, number.constant());
    return number;
  }
  return left.empty() || right.empty() ? std::nullopt : joinNames(a, left, b, right);
}

std::optional<Dim> WideSizes::joinNames(const Dim &a, const Names &left, const Dim &b, const Names &right) {
  Names both;
  std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(both));
  if (left == both || right == both)
    return left == both ? a : b;
  for (size_t i : left)
    for (size_t j : right)
      if (i != j && !sizes[i].second.empty() && sizes[i].second == sizes[j].second) {
        equal.emplace_back(sizes[i].first, sizes[j].first);
        return std::nullopt;
      }
  Dim wide = broadcast(Dim::named(sizes[both.front()].first), both);
  if (wide.isUnknown()) // its text would be too long
    return std::nullopt;
  joined[wide.str()] = both;
  return wide;
}

bool WideSizes::isDeclared(const Dim &dim, const Dim &to) const {
  auto wide = declared.find(dim.str());
  return wide != declared.end() && wide->second == to;
}

bool WideSizes::broadcasts(const Dim &dim, const Dim &to) const {
  if (dim == to || isDeclared(dim, to))
    return dim != to;
  Names narrow = namesOf(dim), wide = namesOf(to);
  if (to.isStatic())
    return !narrow.empty() && llvm::all_of(narrow, [&](size_t name) { return numbers.contains({name, to.constant()}); });
  return !narrow.empty() && narrow.size() < wide.size() &&
         std::includes(wide.begin(), wide.end(), narrow.begin(), narrow.end());
}

Dim WideSizes::from(const Dim &dim, const Dim &to) const {
  Names narrow = namesOf(dim), wide = namesOf(to), others;
  std::set_difference(wide.begin(), wide.end(), narrow.begin(), narrow.end(), std::back_inserter(others));
  return wide.empty() ? broadcastOf(dim, to) : broadcast(dim, others);
}

ArrayAttr WideSizes::groups(MLIRContext *context) const {
  llvm::IntEqClasses classes(sizes.size());
  for (const auto &[text, names] : joined)
    for (size_t name : names)
      classes.join(names.front(), name);
  std::map<unsigned, std::set<int64_t>> numbersOf; // by the first name's number
  for (auto &[name, number] : numbers)
    numbersOf[classes.findLeader(name)].insert(number);
  std::map<unsigned, SmallVector<Attribute>> groups;
  for (auto &[first, all] : numbersOf)
    groups[first].push_back(Dim(*all.begin()).toAttr(context));
  for (const auto &[i, size] : llvm::enumerate(sizes))
    groups[classes.findLeader(i)].push_back(Dim::named(size.first).toAttr(context));
  SmallVector<Attribute> all;
  for (const auto &[first, group] : groups)
    if (group.size() > 1 && numbersOf[first].size() < 2) // otherwise they are never equal
      all.push_back(ArrayAttr::get(context, group));
  return ArrayAttr::get(context, all);
}
