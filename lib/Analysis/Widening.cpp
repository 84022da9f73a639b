#include "lib/Analysis/Widening.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lathe;

bool lathe::multiplies(Operation *op) { return isa<DotGeneralOp, ConvolutionOpInterface>(op); }

bool lathe::widens(ConvertOp op) {
  Type from = getElementTypeOrSelf(op.getOperand().getType()), to = op.getTo();
  if (isHalf(from))
    return to.isF32();
  return isa<IntegerType>(from) && isa<IntegerType>(to) && !from.isInteger(1) &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

Value lathe::widenedTensor(Value tensor) {
  auto nest = tensor.getDefiningOp<NestOp>();
  if (!nest || nest.getInputs().size() != 1 || nest.getReduction() != NestReduction::None)
    return {};
  Value narrow = nest.getInputs()[0];
  Type element = getElementTypeOrSelf(narrow.getType());
  Operation *op = nest.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
  bool isWidened = isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op) && !element.isInteger(1);
  if (auto single = dyn_cast_or_null<arith::ExtFOp>(op))
    isWidened = single.getType().isF32() && isHalf(element);
  bool isPlain = isWidened && isa<BlockArgument>(op->getOperand(0)) &&
                 cast<AccessAttr>(nest.getAccesses()[0]).getMap().getValue().isIdentity();
  return isPlain ? narrow : Value();
}
