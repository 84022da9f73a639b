#include "dialects/Lathe/IR/Control.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Checks/Checks.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lathe {
#define GEN_PASS_DEF_INSERTCHECKSPASS
#include "passes/Checks/Checks.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

static bool isFloat(Value value) { return isFloatTensor(value.getType()); }

/// True if an op can produce non-finite values from finite ones: it computes, or reinterprets its elements.
static bool computes(Operation *op) {
  if (isControl(op) || isReport(op) || isa<ConstantOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return false;
  return isa<ExternOp, BitcastOp>(op) || !op->hasTrait<MovesElementsTrait>();
}

namespace {
struct InsertChecks : lathe::impl::InsertChecksPassBase<InsertChecks> {
  using InsertChecksPassBase::InsertChecksPassBase;

  void runOnOperation() final {
    SmallVector<Operation *> ops;
    getOperation().getBody().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (finite && computes(op))
        checkResults(op);
      if (bounds)
        checkPlaces(op);
    }
  }

private:
  void checkResults(Operation *op) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    SmallVector<Value> sources;
    llvm::copy_if(op->getOperands(), std::back_inserter(sources), isFloat);
    for (Value result : llvm::make_filter_range(op->getResults(), isFloat)) {
      CheckOp::create(builder, op->getLoc(), CheckKind::Finite, result, sources, op->getName().getStringRef(), ShapeAttr());
      ++inserted;
    }
  }

  void checkPlaces(Operation *op) {
    OpBuilder builder(op);
    auto isBelow = [&](Value places, Dim limit) {
      CheckOp::create(builder, op->getLoc(), CheckKind::Inside, places, ValueRange(), op->getName().getStringRef(),
                      shapeOf(op->getContext(), {limit}));
      ++inserted;
    };
    auto fits = [&](ValueRange starts, const Dims &around, const Dims &block) {
      for (auto [start, extent, size] : llvm::zip_equal(starts, around, block))
        isBelow(start, extent - size + Dim(1));
    };
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](GatherOp gather) { isBelow(gather.getIndices(), dimsOf(gather.getTable())[gather.getAxis()]); })
        .Case([&](ScatterOp scatter) { isBelow(scatter.getIndices(), dimsOf(scatter.getInto())[scatter.getAxis()]); })
        .Case([&](DynamicSliceOp slice) { fits(slice.getStarts(), dimsOf(slice.getOperand()), dimsOf(slice.getResult())); })
        .Case([&](DynamicUpdateSliceOp update) {
          fits(update.getStarts(), dimsOf(update.getOperand()), dimsOf(update.getUpdate()));
        });
  }
};
} // namespace
