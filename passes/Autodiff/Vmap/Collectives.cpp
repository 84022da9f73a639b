// Batching rules of collectives: one exchange of the whole batch. All ranks have batches of one size.
#include "passes/Autodiff/Vmap/Vmap.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Adds an op that treats all elements alike.
template <typename Op>
static void addElementwise(BatchRules &rules) {
  rules.add<Op>([](Batch &b, Op op, Lifteds in) { return b.again<Op>(op, b.whole(in)); });
}

void autodiff::addCollectiveBatching(BatchRules &rules) {
  addElementwise<AllReduceOp>(rules);
  addElementwise<CollectiveBroadcastOp>(rules);
  addElementwise<CollectivePermuteOp>(rules);
  rules.add<ReduceScatterOp>([](Batch &b, ReduceScatterOp op, Lifteds in) {
    return b.again<ReduceScatterOp>(op, b.whole(in), [&](ReduceScatterOp made) { made.setDim(op.getDim() + 1); });
  });
  rules.add<AllGatherOp>([](Batch &b, AllGatherOp op, Lifteds in) {
    return b.again<AllGatherOp>(op, b.whole(in), [&](AllGatherOp made) { made.setDim(op.getDim() + 1); });
  });
  rules.add<AllToAllOp>([](Batch &b, AllToAllOp op, Lifteds in) {
    return b.again<AllToAllOp>(op, b.whole(in), [&](AllToAllOp made) {
      made.setSplit(op.getSplit() + 1);
      made.setConcat(op.getConcat() + 1);
    });
  });
}
