#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/SubstituteDims.h"
#include "lib/Support/Explain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Extents/Extents.h"

namespace lathe {
#define GEN_PASS_DEF_REQUIREEXTENTSPASS
#include "passes/Extents/Extents.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

/// Returns -x if the difference is max(x, 0), which is 0 if and only if -x is at least 0. Returns nullopt for any other
/// difference.
static std::optional<Dim> asLowerBound(const Dim &difference) {
  if (difference.getTerms().size() != 1 || difference.getTerms().begin()->first.size() != 1)
    return std::nullopt;
  std::optional<DerivedDim> formula = derivedDim(difference.getTerms().begin()->first.front());
  if (!formula || formula->kind != DerivedDim::Max || !formula->operands[1].isStatic(0))
    return std::nullopt;
  return Dim(0) - formula->operands[0];
}

namespace {
struct RequireExtents : lathe::impl::RequireExtentsPassBase<RequireExtents> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      required.clear();
      known.clear();
      isGood = true;
      if (failed(checkNames(function)))
        return signalPassFailure();
      if (!function.isExternal())
        for (BlockArgument argument : function.getArguments())
          if (isa<RankedTensorType>(argument.getType()))
            requireSizes(function, argument.getLoc(), dimsOf(argument));
      function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        requireSizes(op, op->getLoc(), requiredExtents(op));
        for (auto &[a, b] : sizesTakenForEqual(op))
          requireEqual(op, a, b);
      });
      if (!isGood)
        return signalPassFailure();
      if (!required.empty())
        function->setAttr(kRequiresAttr, ArrayAttr::get(&getContext(), required));
    }
  }

private:
  /// Checks an entry's names. Each name must occur in its arguments or results, or in its ops if lathe.dim declares it; any
  /// other name is a mistake.
  static LogicalResult checkNames(func::FuncOp function) {
    auto namesOf = [](TypeRange types) {
      SmallVector<std::string> names;
      for (Type type : types)
        for (const Dim &dim : dimsOf(cast<RankedTensorType>(type)))
          dim.collectNames(names);
      return names;
    };
    SmallVector<std::string> known = sizeNames(function);
    SmallVector<Attribute> sizes;
    auto module = function->getParentOfType<ModuleOp>();
    bool good = true;
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op)) { // later stages assume that fusion made every kernel
        op->emitError("'lathe.kernel' is made by the compiler; write the ops of the graph instead");
        good = false;
        return WalkResult::skip();
      }
      SmallVector<std::string> names = namesOf(op->getResultTypes());
      if (auto scan = dyn_cast<ScanOp>(op))
        scan.getSteps().collectNames(names);
      if (op->getDialect() == function->getContext()->getLoadedDialect<LatheDialect>()) // starts and limits of slices
        op->getAttrDictionary().walk([&](DimAttr dim) { Dim::fromAttr(dim).collectNames(names); });
      llvm::sort(names);
      names.erase(llvm::unique(names), names.end());
      for (const std::string &name : names)
        if (!llvm::is_contained(known, name) && boundsOf(module, name).declaration) {
          known.push_back(name);
          sizes.push_back(StringAttr::get(function.getContext(), name));
        } else if (!llvm::is_contained(known, name) &&
                   llvm::none_of(op->getOperands(), [&](Value operand) { // reported where it first occurs
                     return llvm::is_contained(namesOf(operand.getType()), name);
                   })) {
          op->emitError("dimension '") << name << "' has no size: no argument or result of @" << function.getSymName()
                                       << " has it; add it to one, declare it with lathe.dim @" << name
                                       << ", or write a number here";
          good = false;
        }
      return WalkResult::advance();
    });
    if (!sizes.empty())
      function->setAttr(kSizesAttr, ArrayAttr::get(function.getContext(), sizes));
    return success(good);
  }

  /// Requires that these extents are not negative.
  void requireSizes(Operation *op, Location location, const Dims &extents) {
    for (const Dim &extent : extents) {
      if (!mayBeNegative(extent))
        continue;
      if (extent.isStatic()) {
        emitError(location) << "an extent is " << extent.constant() << ", expected at least 0";
        isGood = false;
        continue;
      }
      auto [left, right] = sidesOf(extent);
      require(op, location, extent, {}, left.str() + " >= " + right.str());
    }
  }

  void requireEqual(Operation *op, const Dim &a, const Dim &b) {
    if (std::optional<Dim> bound = asLowerBound(a - b))
      requireSizes(op, op->getLoc(), {*bound});
    else if (mayBeNegative(a - b) || mayBeNegative(b - a))
      require(op, op->getLoc(), a - b, ArrayAttr::get(&getContext(), {a.toAttr(&getContext()), b.toAttr(&getContext())}),
              equalityText(a, b));
  }

  /// Requires that `extent` is not negative, or that the two sizes in `equal`, if it is not null, are equal: `extent` is their
  /// difference. A requirement that another implies is left out.
  void require(Operation *op, Location location, const Dim &extent, Attribute equal, const std::string &condition) {
    bool isKnown = llvm::any_of(known, [&](auto &other) {
      Dim more = extent - other.first;
      if (equal)
        return other.second && (more == Dim(0) || extent + other.first == Dim(0));
      return more.isStatic() && more.constant() >= 0;
    });
    if (isKnown)
      return;
    known.emplace_back(extent, bool(equal));
    MLIRContext *context = &getContext();
    auto neededBy = op->getAttrOfType<StringAttr>(kNeededByAttr);
    if (!neededBy)
      neededBy = StringAttr::get(context, isa<func::FuncOp>(op) ? "an argument" : op->getName().getStringRef());
    SmallVector<Attribute> parts{extent.toAttr(context), neededBy, location};
    if (equal)
      parts.push_back(equal);
    required.push_back(ArrayAttr::get(context, parts));
    ++noted;
    auto function = isa<func::FuncOp>(op) ? cast<func::FuncOp>(op) : op->getParentOfType<func::FuncOp>();
    explain(location, "autodiff", "@{}: the entry checks that {}", function.getSymName().str(), condition);
  }

  bool mayBeNegative(const Dim &dim) {
    // A name of a declared multiple stands for that factor times a number of its own.
    std::map<std::string, Dim> multiples;
    SmallVector<std::string> names;
    dim.collectNames(names);
    for (const std::string &name : names)
      if (int64_t multiple = boundsOf(getOperation(), name).multipleOf; multiple > 1)
        multiples.emplace(name, Dim::named(name) * Dim(multiple));
    auto rangeOf = [&](StringRef name) {
      DimBounds bounds = boundsOf(getOperation(), name);
      return SizeRange{std::ceil(double(bounds.minimum) / bounds.multipleOf),
                       std::floor(double(bounds.maximum) / bounds.multipleOf)};
    };
    return leastOf(dim.substitute(multiples), rangeOf) < 0;
  }

  SmallVector<Attribute> required;         // of the function
  SmallVector<std::pair<Dim, bool>> known; // its extents; true for those that are 0, not only at least 0
  bool isGood = true;
};
} // namespace
