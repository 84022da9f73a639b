// Adds results to entries: the valid size of other results.
#include "passes/DataSizes/DecidedSizes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::datasizes;

namespace {
/// Adds the results of one entry.
class Counts {
public:
  Counts(func::FuncOp entry, const DecidedSizes &sizes)
      : entry(entry), sizes(sizes), exit(cast<func::ReturnOp>(entry.getBody().front().getTerminator())), builder(exit) {}

  LogicalResult add();

private:
  void collectNames();
  FailureOr<StringAttr> nameOf(const Dim &dim);
  StringAttr free(std::string name);
  StringAttr resultName(unsigned index) { return entry.getResultAttrOfType<StringAttr>(index, kNameAttr); }

  func::FuncOp entry;
  const DecidedSizes &sizes;
  func::ReturnOp exit;
  OpBuilder builder;
  llvm::StringSet<> taken;
  std::vector<std::pair<Dim, StringAttr>> counted;
  std::vector<std::pair<Value, StringAttr>> added; // results
};
} // namespace

void Counts::collectNames() {
  SmallVector<std::string> dims;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    if (auto name = entry.getArgAttrOfType<StringAttr>(i, kNameAttr))
      taken.insert(name.getValue());
    for (const Dim &dim : dimsOf(entry.getArgument(i)))
      dim.collectNames(dims);
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    if (StringAttr name = resultName(i))
      taken.insert(name.getValue());
  taken.insert(dims.begin(), dims.end());
}

StringAttr Counts::free(std::string name) {
  while (!taken.insert(name).second)
    name += '_';
  return builder.getStringAttr(name);
}

/// Returns the name of the result that holds a dimension's size: that of the size itself, if the entry returns it.
FailureOr<StringAttr> Counts::nameOf(const Dim &dim) {
  for (const auto &[known, name] : counted)
    if (known == dim)
      return name;
  Value size = sizes.sizeOf(dim, builder, exit.getLoc());
  if (!size)
    return failure();
  auto returned = llvm::find(exit.getOperands(), size);
  unsigned index = returned - exit.getOperands().begin();
  StringAttr name = returned == exit.getOperands().end() ? StringAttr() : resultName(index);
  if (!name) {
    auto names = dim.getTerms().begin()->first;
    bool isName = dim == Dim::named(names.empty() ? "" : names.front()) && !derivedDim(names.front());
    name = free(isName ? names.front() : "size");
    added.emplace_back(size, name);
  }
  counted.emplace_back(dim, name);
  return name;
}

LogicalResult Counts::add() {
  collectNames();
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    Value result = exit.getOperand(i);
    if (sizes.countedDims(result).empty())
      continue;
    SmallVector<Attribute> names;
    for (const Dim &dim : dimsOf(result)) {
      FailureOr<StringAttr> name = builder.getStringAttr("");
      if (sizes.isIn(dim))
        name = nameOf(dim);
      if (failed(name))
        return failure();
      names.push_back(*name);
    }
    entry.setResultAttr(i, kCountsAttr, builder.getArrayAttr(names));
  }
  SmallVector<Type> types(entry.getResultTypes());
  SmallVector<DictionaryAttr> attributes;
  entry.getAllResultAttrs(attributes);
  for (const auto &[size, name] : added) {
    exit->insertOperands(types.size(), size);
    types.push_back(size.getType());
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(kNameAttr, name)));
  }
  entry.setFunctionType(builder.getFunctionType(entry.getArgumentTypes(), types));
  entry.setAllResultAttrs(attributes);
  return success();
}

LogicalResult datasizes::addCounts(func::FuncOp entry, const DecidedSizes &sizes) {
  return entry.isExternal() || !entry.isPublic() ? success() : Counts(entry, sizes).add();
}
