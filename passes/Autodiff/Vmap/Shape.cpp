// Batching rules of shape ops: the batch is one more dimension, which they leave unchanged.
#include "passes/Autodiff/Vmap/Vmap.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Pads with a value for each element: pads the operand with zero, and selects the value by a mask with the same padding.
static Value padWithOwnFillers(Batch &b, PadOp op, const Lifted &operand, Value fillers) {
  Emit &e = b.e;
  auto type = typeOf(op.getResult());
  Type bit = e.getBuilder().getI1Type();
  Value inside = e.splat(tensorOf(dimsOf(op.getOperand()), bit), 1);
  Value mask = e.make<PadOp>(inside, e.scalar(bit, 0), op.getLow(), op.getHigh(), op.getInterior());
  Dims low = prepended(Dim(0), dimsOf(op.getLow())), high = prepended(Dim(0), dimsOf(op.getHigh()));
  Value padded = e.pad(b.whole(operand), low, high, prepended(0, op.getInterior()));
  return e.select(b.whole(Lifted{mask}), padded, e.broadcast(fillers, {0}, b.over(dimsOf(type))));
}

static void addPlaceBatching(BatchRules &rules) {
  rules.add<SliceOp>([](Batch &b, SliceOp op, Lifteds in) {
    return b.e.make<SliceOp>(in[0].value, b.e.shape(prepended(Dim(0), dimsOf(op.getStarts()))),
                             b.e.shape(b.over(dimsOf(op.getLimits()))), prepended(1, op.getSteps()));
  });
  rules.add<PadOp>([](Batch &b, PadOp op, Lifteds in) {
    if (in[1].batched)
      return padWithOwnFillers(b, op, in[0], in[1].value);
    return b.e.make<PadOp>(in[0].value, in[1].value, b.e.shape(prepended(Dim(0), dimsOf(op.getLow()))),
                           b.e.shape(prepended(Dim(0), dimsOf(op.getHigh()))), prepended(0, op.getInterior()));
  });
  rules.add<ConcatenateOp>([](Batch &b, ConcatenateOp op, Lifteds in) {
    return b.again<ConcatenateOp>(op, b.whole(in), [&](ConcatenateOp made) { made.setDim(op.getDim() + 1); });
  });
}

void autodiff::addShapeBatching(BatchRules &rules) {
  rules.add<BroadcastOp>([](Batch &b, BroadcastOp op, Lifteds in) {
    return b.e.broadcast(in[0].value, prepended(0, shifted(op.getDims())), b.over(dimsOf(op.getResult())));
  });
  rules.add<ReshapeOp>(
      [](Batch &b, ReshapeOp op, Lifteds in) { return b.e.reshape(in[0].value, b.over(dimsOf(op.getResult())), op); });
  rules.add<TransposeOp>([](Batch &b, TransposeOp op, Lifteds in) {
    return b.e.transpose(in[0].value, prepended(0, shifted(op.getPermutation())));
  });
  rules.add<ReverseOp>(
      [](Batch &b, ReverseOp op, Lifteds in) { return b.e.make<ReverseOp>(in[0].value, shifted(op.getDims())); });
  addPlaceBatching(rules);
  // The size is the same for all elements.
  rules.add<DimSizeOp>(
      [](Batch &b, DimSizeOp op, Lifteds in) { return Lifted{b.e.make<DimSizeOp>(in[0].value, op.getDim() + 1)}; });
}
