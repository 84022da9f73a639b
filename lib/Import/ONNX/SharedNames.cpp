#include "lib/Import/ONNX/SharedNames.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

bool onnximport::hasName(const onnx::TensorShapeProto::Dimension &dimension) {
  return dimension.dim_value() <= 0 && llvm::any_of(dimension.dim_param(), [](char c) { return llvm::isAlnum(c); });
}

void SharedNames::Name::join(size_t a, size_t b) {
  auto [low, high] = std::minmax(first[a], first[b]);
  llvm::replace(first, size_t(high), size_t(low));
}

size_t SharedNames::indexOf(Name &name, const Place &place) {
  size_t index = llvm::find(name.places, place) - name.places.begin();
  if (index == name.places.size()) {
    name.places.push_back(place);
    name.first.push_back(isOneEach ? 0 : index);
  }
  return index;
}

std::optional<SharedNames::Place> SharedNames::ownPlace(StringRef name, const Place &place) {
  Name &shared = names[name.str()];
  size_t first = shared.first[indexOf(shared, place)];
  return first ? std::optional(shared.places[first]) : std::nullopt;
}

void SharedNames::note(StringRef name, const Place &place, StringRef identifier) {
  Name &shared = names[name.str()];
  identifiers[identifier.str()] = {name.str(), shared.first[indexOf(shared, place)]};
}

void SharedNames::joinInput(const onnx::ValueInfoProto &input) {
  for (auto [i, dimension] : llvm::enumerate(input.type().tensor_type().shape().dim()))
    if (hasName(dimension)) {
      Name &shared = names[dimension.dim_param()];
      shared.join(0, indexOf(shared, {input.name(), int64_t(i)}));
    }
}

void SharedNames::joinAll() {
  isOneEach = true;
  for (auto &[text, name] : names)
    llvm::fill(name.first, 0);
}

DictionaryAttr SharedNames::others(MLIRContext *context) const {
  Builder builder(context);
  SmallVector<NamedAttribute> all;
  for (const auto &[first, use] : identifiers) {
    SmallVector<StringRef> same;
    for (const auto &[identifier, other] : identifiers)
      if (use.place == 0 && other.place != 0 && other.name == use.name)
        same.push_back(identifier);
    if (!same.empty())
      all.push_back(builder.getNamedAttr(first, builder.getStrArrayAttr(same)));
  }
  return builder.getDictionaryAttr(all);
}

bool SharedNames::hasApart() const {
  return llvm::any_of(identifiers, [](const auto &each) { return each.second.place != 0; });
}

bool SharedNames::joinSizes(StringRef a, StringRef b) {
  auto first = identifiers.find(a.str()), second = identifiers.find(b.str());
  if (first == identifiers.end() || second == identifiers.end())
    return false;
  Name &name = names[first->second.name];
  bool areApart = name.first[first->second.place] != name.first[second->second.place];
  name.join(first->second.place, second->second.place);
  return areApart;
}

/// Joins sizes that would be equal if each name were one size.
bool SharedNames::joinEqual(ModuleOp module) {
  std::map<std::string, Dim> original; // each size if every name were one size
  std::map<std::string, std::string> identifierOf;
  for (const auto &[identifier, use] : identifiers)
    if (use.place == 0)
      identifierOf[use.name] = identifier;
  for (const auto &[identifier, use] : identifiers)
    if (auto first = identifierOf.find(use.name); first != identifierOf.end())
      original[identifier] = Dim::named(first->second);
  bool isMore = false;
  module.walk([&](Operation *op) {
    for (auto &[a, b] : sizesTakenForEqual(op)) {
      if (a.isUnknown() || b.isUnknown() || a.substitute(original) != b.substitute(original))
        continue;
      SmallVector<std::string> differing = namesIn(a);
      b.collectNames(differing);
      if (Dim difference = a - b; !difference.isUnknown())
        differing = namesIn(difference);
      std::map<std::string, std::string> firstUse; // identifiers by the model's name
      for (const std::string &identifier : differing)
        if (auto use = identifiers.find(identifier); use != identifiers.end()) {
          auto [seen, isNew] = firstUse.try_emplace(use->second.name, identifier);
          isMore |= joinSizes(seen->second, identifier);
        }
    }
  });
  return isMore;
}
