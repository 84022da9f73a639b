// Makes the implicit broadcasts of elementwise ops visible, so that every later pass sees operands of one shape.
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/Import.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace lathe;

namespace {
struct ExplicitBroadcast : PassWrapper<ExplicitBroadcast, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExplicitBroadcast)
  ExplicitBroadcast() = default;
  ExplicitBroadcast(const ExplicitBroadcast &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "lathe-explicit-broadcast"; }
  StringRef getDescription() const final {
    return "Gives elementwise ops operands of one shape by lathe.broadcast. Requires inferred dimensions.";
  }
  void runOnOperation() final {
    getOperation()->walk([&](Operation *op) {
      if (op->hasTrait<OpTrait::OneResult>() && isElementwise(op))
        broadcastOperands(op);
    });
  }

private:
  Statistic broadcasts{this, "broadcasts", "operands that were broadcast"};

  static bool isElementwise(Operation *op) { return op->hasTrait<ElementwiseTrait>(); }

  void broadcastOperands(Operation *op) {
    Dims result = dimsOf(op->getResult(0));
    OpBuilder builder(op);
    for (OpOperand &operand : op->getOpOperands()) {
      Dims from = dimsOf(operand.get());
      if (from == result)
        continue;
      auto places = llvm::to_vector(llvm::seq<int64_t>(result.size() - from.size(), result.size()));
      operand.set(BroadcastOp::create(builder, op->getLoc(), operand.get(), builder.getDenseI64ArrayAttr(places),
                                      shapeOf(op->getContext(), result)));
      ++broadcasts;
    }
  }
};
} // namespace

std::unique_ptr<Pass> lathe::createExplicitBroadcastPass() { return std::make_unique<ExplicitBroadcast>(); }
