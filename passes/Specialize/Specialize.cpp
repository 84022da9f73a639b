#include "passes/Specialize/Specialize.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "dialects/Lathe/IR/SubstituteDims.h"
#include "lib/Support/Explain.h"
#include "lib/Support/SourcePlace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <set>

namespace lathe {
#define GEN_PASS_DEF_SPECIALIZEPASS
#include "passes/Specialize/Specialize.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
constexpr size_t kMostVersions = 16;

/// Dimensions with what replaces them in a version: a number, or another dimension.
using Replacements = std::map<std::string, Dim>;

/// Returns the dimensions whose named extent in `general` is 1 in `sized`, or null if there are none.
DenseI64ArrayAttr sizedUnits(Type general, Type sized) {
  SmallVector<int64_t> units;
  for (auto [i, before, after] :
       llvm::enumerate(dimsOf(cast<RankedTensorType>(general)), dimsOf(cast<RankedTensorType>(sized))))
    if (!before.isStatic() && after.isStatic(1))
      units.push_back(i);
  return units.empty() ? DenseI64ArrayAttr() : DenseI64ArrayAttr::get(general.getContext(), units);
}

/// Marks a branch or loop with a list for each of its results.
void markControl(Operation *general, Operation *sized) {
  SmallVector<Attribute> units;
  bool any = false;
  for (auto [before, after] : llvm::zip_equal(general->getResultTypes(), sized->getResultTypes())) {
    auto own = sizedUnits(before, after);
    any |= bool(own);
    units.push_back(own ? own : DenseI64ArrayAttr::get(sized->getContext(), {}));
  }
  if (any)
    sized->setAttr(kSizedUnitsAttr, ArrayAttr::get(sized->getContext(), units));
}

/// Marks the clone's ops, which correspond to the function's one by one.
void markSizedUnits(func::FuncOp function, func::FuncOp copy) {
  for (unsigned i = 0; i < copy.getNumArguments(); ++i)
    if (auto units = sizedUnits(function.getArgumentTypes()[i], copy.getArgumentTypes()[i]))
      copy.setArgAttr(i, kSizedUnitsAttr, units);
  SmallVector<Operation *> before, after;
  function.getBody().walk([&](Operation *op) { before.push_back(op); });
  copy.getBody().walk([&](Operation *op) { after.push_back(op); });
  for (auto [general, sized] : llvm::zip_equal(before, after))
    if (isControl(sized))
      markControl(general, sized);
    else if (sized->getNumResults() == 1)
      if (auto units = sizedUnits(general->getResult(0).getType(), sized->getResult(0).getType()))
        sized->setAttr(kSizedUnitsAttr, units);
}

struct SpecializePass : lathe::impl::SpecializePassBase<SpecializePass> {
  using SpecializePassBase::SpecializePassBase;
  explicit SpecializePass(std::map<std::string, std::vector<int64_t>> sizes) : sizes(std::move(sizes)) {}

  void runOnOperation() final {
    for (const std::string &text : sizeOptions) { // N=1,32 is written N=1:32, since the comma separates the list's elements
      auto [name, values] = StringRef(text).split('=');
      SmallVector<StringRef> parts;
      values.split(parts, ':');
      for (StringRef value : parts) {
        FailureOr<int64_t> size = readSize(getOperation(), value);
        if (failed(size))
          return signalPassFailure();
        sizes[name.str()].push_back(*size);
      }
    }
    for (auto &[name, values] : sizes)
      for (int64_t size : values)
        if (failed(checkSize(getOperation(), "--specialize", name, size)))
          return signalPassFailure();
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isPrivate() && failed(specialize(function)))
        return signalPassFailure();
  }

  /// Returns the dimensions that have the name of this one in a model, and are sizes of their own, and those that broadcast
  /// with it.
  static SmallVector<std::string> withName(func::FuncOp function, StringRef name) {
    SmallVector<std::string> all;
    if (auto same = function->getAttrOfType<DictionaryAttr>(kSameNamesAttr))
      if (auto others = dyn_cast_or_null<ArrayAttr>(same.get(name)))
        for (StringRef other : others.getAsValueRange<StringAttr>())
          all.push_back(other.str());
    for (const Dims &group : broadcastDims(function))
      if (llvm::is_contained(group, Dim::named(name)))
        for (const Dim &other : group)
          if (!other.isStatic() && other != Dim::named(name))
            all.push_back(other.str());
    return all;
  }

  /// Returns the lists of sizes that broadcast with one another.
  static std::vector<Dims> broadcastDims(func::FuncOp function) {
    std::vector<Dims> groups;
    if (auto lists = function->getAttrOfType<ArrayAttr>(kBroadcastDimsAttr))
      for (auto list : lists.getAsRange<ArrayAttr>())
        groups.emplace_back(llvm::map_range(list.getAsRange<DimAttr>(), Dim::fromAttr));
    return groups;
  }

  /// Returns the version in which all dimensions that broadcast are equal, so that nothing is repeated; empty if there are
  /// none.
  static Replacements equalSizes(func::FuncOp function) {
    Replacements equal;
    for (const Dims &group : broadcastDims(function))
      for (const Dim &other : ArrayRef(group).drop_front())
        equal[other.str()] = group.front();
    return equal;
  }

  LogicalResult specialize(func::FuncOp function) {
    SmallVector<std::string> names = sizeNames(function);
    std::vector<Replacements> versions{{}};
    std::set<std::string> isJoined; // sizes that other inputs of a model give the same name
    for (const std::string &name : names)
      if (sizes.count(name))
        for (const std::string &other : withName(function, name))
          if (!sizes.count(other))
            isJoined.insert(other);
    for (const std::string &name : names) {
      if (isJoined.count(name))
        continue;
      auto it = sizes.find(name);
      if (it == sizes.end()) {
        explainNot(function.getLoc(), "specialize",
                   "@{}: every {} uses the general version; --specialize={}=SIZE,... adds faster ones",
                   function.getSymName().str(), name, name);
        continue;
      }
      std::vector<Replacements> combined;
      for (const Replacements &version : versions)
        for (int64_t size : std::set<int64_t>(it->second.begin(), it->second.end())) {
          combined.push_back(version);
          combined.back()[name] = Dim(size);
          for (const std::string &other : withName(function, name))
            if (isJoined.count(other))
              combined.back()[other] = Dim(size);
        }
      versions = std::move(combined);
      if (versions.size() > kMostVersions)
        return emitError(optionPlace("--specialize", function.getLoc()))
               << "more than " << kMostVersions << " specialised versions are requested; name fewer sizes";
    }
    versions.insert(versions.begin(), equalSizes(function)); // the entry tries the last one first
    for (const Replacements &version : versions)
      if (!version.empty())
        clone(function, version);
    return success();
  }

  void clone(func::FuncOp function, const Replacements &version) {
    func::FuncOp copy = function.clone();
    Builder builder(&getContext());
    std::string name = function.getSymName().str();
    SmallVector<NamedAttribute> fixed;
    for (auto &[dim, size] : version) {
      name += "." + dim + "=" + size.str();
      fixed.push_back(builder.getNamedAttr(dim, size.toAttr(&getContext())));
    }
    substituteDims(copy, version);
    markSizedUnits(function, copy);
    copy.setSymName(name);
    copy.setPrivate();
    copy->setAttr(kVersionOfAttr, FlatSymbolRefAttr::get(function.getSymNameAttr()));
    copy->setAttr(kFixedDimsAttr, builder.getDictionaryAttr(fixed));
    getOperation().getBody()->getOperations().insert(std::next(function->getIterator()), copy);
    explain(function.getLoc(), "specialize",
            "@{}: specialised version for {}, selected by the entry; other sizes use the general version",
            function.getSymName().str(), name.substr(function.getSymName().size() + 1));
    ++clones;
  }

  std::map<std::string, std::vector<int64_t>> sizes;
};
} // namespace

std::unique_ptr<Pass> lathe::createSpecializePass(std::map<std::string, std::vector<int64_t>> sizes) {
  return std::make_unique<SpecializePass>(std::move(sizes));
}
