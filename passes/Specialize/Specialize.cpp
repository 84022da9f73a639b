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

using Sizes = std::map<std::string, int64_t>;

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

  /// Returns the dimensions that have the name of this one in a model, and are sizes of their own.
  static SmallVector<StringRef> withName(func::FuncOp function, StringRef name) {
    SmallVector<StringRef> all;
    if (auto same = function->getAttrOfType<DictionaryAttr>(kSameNamesAttr))
      if (auto others = dyn_cast_or_null<ArrayAttr>(same.get(name)))
        llvm::append_range(all, others.getAsValueRange<StringAttr>());
    return all;
  }

  LogicalResult specialize(func::FuncOp function) {
    SmallVector<std::string> names = sizeNames(function);
    std::vector<Sizes> versions{{}};
    std::set<std::string> isJoined; // sizes that other inputs of a model give the same name
    for (const std::string &name : names)
      if (sizes.count(name))
        for (StringRef other : withName(function, name))
          if (!sizes.count(other.str()))
            isJoined.insert(other.str());
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
      std::vector<Sizes> combined;
      for (const Sizes &version : versions)
        for (int64_t size : std::set<int64_t>(it->second.begin(), it->second.end())) {
          combined.push_back(version);
          combined.back()[name] = size;
          for (StringRef other : withName(function, name))
            if (isJoined.count(other.str()))
              combined.back()[other.str()] = size;
        }
      versions = std::move(combined);
      if (versions.size() > kMostVersions)
        return emitError(optionPlace("--specialize", function.getLoc()))
               << "more than " << kMostVersions << " specialised versions are requested; name fewer sizes";
    }
    for (const Sizes &version : versions)
      if (!version.empty())
        clone(function, version);
    return success();
  }

  void clone(func::FuncOp function, const Sizes &version) {
    func::FuncOp copy = function.clone();
    Builder builder(&getContext());
    std::string name = function.getSymName().str();
    SmallVector<NamedAttribute> fixed;
    std::map<std::string, Dim> values;
    for (auto &[dim, size] : version) {
      name += "." + dim + "=" + std::to_string(size);
      values[dim] = Dim(size);
      fixed.push_back(builder.getNamedAttr(dim, builder.getI64IntegerAttr(size)));
    }
    substituteDims(copy, values);
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
