// Batching rules of ops with data-dependent positions. If the elements of a batch have different positions, these become a
// batch of the gather.
#include "passes/Autodiff/Vmap/Vmap.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

static Value batchedGather(Batch &b, GatherOp op, Lifteds in) {
  int64_t axis = op.getAxis(), batch = op.getBatch();
  if ((in[0].batched && in[1].batched) || batch > 0)
    return b.e.make<GatherOp>(b.whole(in[0]), b.whole(in[1]), axis + 1, batch + 1);
  if (in[0].batched)
    return b.e.make<GatherOp>(in[0].value, in[1].value, axis + 1, 0);
  return b.toFront(b.e.make<GatherOp>(in[0].value, in[1].value, axis, 0), axis);
}

static Value batchedScatter(Batch &b, ScatterOp op, Lifteds in) {
  bool shared = !in[1].batched && op.getBatch() == 0;
  return b.e.make<ScatterOp>(op.getKind(), b.whole(in[0]), shared ? in[1].value : b.whole(in[1]), b.whole(in[2]),
                             op.getAxis() + 1, shared ? 0 : op.getBatch() + 1);
}

namespace {
/// Blocks along one dimension, each with its own start.
struct Starts {
  Batch &b;
  Emit &e = b.e;
  Type i64 = e.getBuilder().getI64Type();

  Value number(const Dim &value) { return e.broadcast(e.sizeOf(value), {}, {b.size}); }
  /// Returns the starts as [batch] i64, clamped to the valid range.
  Value clamped(const Lifted &start, const Dim &extent, const Dim &size) {
    Value starts = b.whole(start);
    if (typeOf(starts).getElementType() != i64)
      starts = e.convert(starts, i64);
    return e.make<ClampOp>(number(0), starts, number(extent - size));
  }
  /// Repeats each of `starts` along a row of `size`.
  Value rows(Value starts, const Dim &size) { return e.broadcast(starts, {0}, {b.size, size}); }
  /// Returns 0, 1, ... for each element.
  Value counts(const Dim &size) { return e.make<IotaOp>(1, shapeOf(e.getBuilder().getContext(), Dims{b.size, size}), i64); }
};
} // namespace

static bool isShared(const Lifted &start) { return !start.batched; }

static Value batchedDynamicSlice(Batch &b, DynamicSliceOp op, Lifteds in) {
  Lifteds starts = in.drop_front();
  Dims extents = dimsOf(op.getOperand()), sizes = dimsOf(op.getResult());
  Starts blocks{b};
  // Dimensions with the same start for all elements first; the others stay whole for now.
  Value value = in[0].value;
  if (llvm::any_of(starts, isShared)) {
    SmallVector<Value> common;
    Dims block;
    if (in[0].batched) {
      common.push_back(b.e.scalar(blocks.i64, 0));
      block.push_back(b.size);
    }
    for (auto [d, start] : llvm::enumerate(starts)) {
      common.push_back(isShared(start) ? start.value : b.e.scalar(blocks.i64, 0));
      block.push_back(isShared(start) ? sizes[d] : extents[d]);
    }
    value = b.e.make<DynamicSliceOp>(value, common, shapeOf(op.getContext(), block));
  }
  if (!in[0].batched)
    value = b.whole(Lifted{value});
  for (auto [d, start] : llvm::enumerate(starts))
    if (!isShared(start)) {
      Value first = blocks.rows(blocks.clamped(start, extents[d], sizes[d]), sizes[d]);
      value = b.e.make<GatherOp>(value, b.e.add(first, blocks.counts(sizes[d])), d + 1, 1);
    }
  return value;
}

/// Gathers an element of the update for each position of the result that is in the block.
static Value batchedDynamicUpdateSlice(Batch &b, DynamicUpdateSliceOp op, Lifteds in) {
  Emit &e = b.e;
  Lifteds starts = in.drop_front(2);
  Starts blocks{b};
  Value operand = b.whole(in[0]), update = b.whole(in[1]);
  if (llvm::all_of(starts, isShared)) {
    SmallVector<Value> common = {e.scalar(blocks.i64, 0)};
    for (const Lifted &start : starts)
      common.push_back(start.value);
    return e.make<DynamicUpdateSliceOp>(operand, update, common);
  }
  Dims extents = dimsOf(op.getOperand()), sizes = dimsOf(op.getUpdate());
  Value inside;
  for (auto [d, start] : llvm::enumerate(starts)) {
    const Dim &extent = extents[d];
    Value place = e.sub(blocks.counts(extent), blocks.rows(blocks.clamped(start, extent, sizes[d]), extent));
    Value here = e.make<AndOp>(e.compare(CompareKind::GE, place, e.splatLike(place, 0)),
                               e.compare(CompareKind::LT, place, blocks.rows(blocks.number(sizes[d]), extent)));
    here = e.broadcast(here, {0, int64_t(d) + 1}, b.over(extents));
    inside = inside ? e.make<AndOp>(inside, here) : here;
    update = e.make<GatherOp>(update, place, d + 1, 1);
  }
  return e.select(inside, update, operand);
}

void autodiff::addIndexingBatching(BatchRules &rules) {
  rules.add<GatherOp>(batchedGather);
  rules.add<ScatterOp>(batchedScatter);
  rules.add<DynamicSliceOp>(batchedDynamicSlice);
  rules.add<DynamicUpdateSliceOp>(batchedDynamicUpdateSlice);
}
