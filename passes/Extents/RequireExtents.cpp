#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Extents/Extents.h"

using namespace mlir;
using namespace lathe;

namespace {
struct RequireExtents : PassWrapper<RequireExtents, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RequireExtents)
  RequireExtents() = default;
  RequireExtents(const RequireExtents &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "lathe-require-extents"; }
  StringRef getDescription() const final {
    return "Notes on each function the extents that may be negative within the bounds of its dimensions, for the entry to "
           "check before it writes anything. Requires inferred dimensions, and no call or derivative left; refuses names that "
           "no argument or result of the function has.";
  }

  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<Attribute> required;
      SmallVector<Dim> known;
      if (failed(checkNames(function)))
        return signalPassFailure();
      function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        for (const Dim &dim : requiredExtents(op))
          if (mayBeNegative(dim) && !llvm::is_contained(known, dim)) {
            known.push_back(dim);
            required.push_back(requirement(op, dim));
            ++noted;
          }
      });
      if (!required.empty())
        function->setAttr(kRequiresAttr, ArrayAttr::get(&getContext(), required));
    }
  }

private:
  /// An entry has a size for each name in its arguments and results, and for no other.
  static LogicalResult checkNames(func::FuncOp function) {
    auto namesOf = [](TypeRange types) {
      SmallVector<std::string> names;
      for (Type type : types)
        for (const Dim &dim : dimsOf(cast<RankedTensorType>(type)))
          dim.collectNames(names);
      return names;
    };
    SmallVector<std::string> known = namesOf(function.getArgumentTypes());
    llvm::append_range(known, namesOf(function.getResultTypes()));
    bool good = true;
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      SmallVector<std::string> names = namesOf(op->getResultTypes());
      if (auto scan = dyn_cast<ScanOp>(op))
        scan.getSteps().collectNames(names);
      for (const std::string &name : names)
        if (!llvm::is_contained(known, name) && llvm::none_of(op->getOperands(), [&](Value operand) { // told where it comes in
              return llvm::is_contained(namesOf(operand.getType()), name);
            })) {
          op->emitError("dimension '") << name << "' has no size: no argument or result of @" << function.getSymName()
                                       << " has it; give one that dimension, or write a number here";
          good = false;
        }
    });
    return success(good);
  }

  Attribute requirement(Operation *op, const Dim &dim) {
    MLIRContext *context = &getContext();
    return ArrayAttr::get(context, {dim.toAttr(context), StringAttr::get(context, op->getName().getStringRef()), op->getLoc()});
  }

  /// By the least value of each term for itself.
  bool mayBeNegative(const Dim &dim) {
    double least = 0;
    for (auto &[names, coefficient] : dim.getTerms()) {
      double term = double(coefficient);
      for (const std::string &name : names) {
        DimBounds bounds = boundsOf(getOperation(), name);
        term *= double(coefficient > 0 ? bounds.minimum : bounds.maximum);
      }
      least += term;
    }
    return least < 0;
  }

  Statistic noted{this, "noted", "extents that entries have to check"};
};
} // namespace

std::unique_ptr<Pass> lathe::createRequireExtentsPass() { return std::make_unique<RequireExtents>(); }
void lathe::registerExtentsPasses() { PassRegistration<RequireExtents>(); }
