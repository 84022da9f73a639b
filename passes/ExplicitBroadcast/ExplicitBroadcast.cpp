// Makes the implicit broadcasts of elementwise ops explicit, so that every later pass sees operands of one shape.
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lathe {
#define GEN_PASS_DEF_EXPLICITBROADCASTPASS
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
struct ExplicitBroadcast : lathe::impl::ExplicitBroadcastPassBase<ExplicitBroadcast> {
  void runOnOperation() final {
    getOperation()->walk([&](Operation *op) {
      if (op->hasTrait<OpTrait::OneResult>() && isElementwise(op))
        broadcastOperands(op);
    });
  }

private:
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
