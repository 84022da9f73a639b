#include "passes/KeyBlocks/RowLoops.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/Control.h"

using namespace mlir;
using namespace lathe;

/// Returns the dimension that a loop divides; -1 if it divides none.
static int64_t dimOf(ArrayRef<int64_t> of, int64_t loop) {
  auto found = llvm::find(of, loop);
  return found == of.end() ? -1 : found - of.begin();
}

namespace {
class RowLoops {
public:
  RowLoops(OpBuilder &builder, const RowRegion &region, int64_t rows, int64_t columns)
      : builder(builder), region(region), location(region.getMatrix().getLoc()) {
    place.counts.assign(region.getExtents().size(), 1);
    place.counts.back() = std::min(rows, region.getExtents().back());
    if (int64_t loop = region.getColumnsLoop(); loop != kUndivided)
      place.counts[loop] = std::min(columns, region.getExtents()[loop]);
    place.firsts.resize(place.counts.size());
  }

  SmallVector<Value> emit() {
    SmallVector<Value> parts(region.getInputs());
    return emitLoop(0, parts, SmallVector<Value>(region.getResults().size()));
  }

private:
  /// Returns the extents of blocks inside of `loops` loops; those of inner ones are whole.
  SmallVector<int64_t> countsInside(size_t loops) const {
    SmallVector<int64_t> counts(region.getExtents());
    std::copy_n(place.counts.begin(), loops, counts.begin());
    return counts;
  }

  RankedTensorType typeInside(size_t loops, Value value) const {
    Dims dims = blockDims(value, region.loopDims(value), countsInside(loops));
    return tensorOf(dims, getElementTypeOrSelf(value.getType()));
  }

  Value zeros(RankedTensorType type) { return emitSplat(builder, location, type, numberAttr(type.getElementType(), 0)); }

  /// Emits what one step of all loops computes, added to the sums so far.
  SmallVector<Value> emitStep(ValueRange parts, ArrayRef<Value> sums) {
    IRMapping map;
    for (auto [input, part] : llvm::zip_equal(region.getInputs(), parts))
      map.map(input, part);
    auto emitOp = [&](Operation *op) {
      Value result = op->getResult(0);
      map.map(result, emitInBlock(builder, op, region.loopDims(result), place, map));
    };
    llvm::for_each(region.getOps(), emitOp);
    SmallVector<Value> made;
    for (auto [result, sum] : llvm::zip_equal(region.getResults(), sums)) {
      emitOp(result.getDefiningOp());
      Value value = map.lookup(result);
      made.push_back(sum ? AddOp::create(builder, location, sum, value) : value);
    }
    return made;
  }

  /// Emits the loops from a number on, for the parts of the inputs outside of it. `sums` has for each result the value that is
  /// added to it; null for none.
  SmallVector<Value> emitLoop(size_t loop, ArrayRef<Value> parts, SmallVector<Value> sums) {
    if (loop == place.counts.size())
      return emitStep(parts, sums);
    int64_t count = place.counts[loop], extent = region.getExtents()[loop];
    if (count == extent) {
      place.firsts[loop] = emitScalar(builder, location, builder.getI32IntegerAttr(0));
      return emitLoop(loop + 1, parts, sums);
    }
    for (auto [result, sum] : llvm::zip_equal(region.getResults(), sums))
      if (region.addsUp(result, loop) && !sum)
        sum = zeros(typeInside(loop, result));
    SmallVector<Value> made = emitScan(loop, parts, sums);
    if (int64_t rest = extent % count; rest != 0)
      emitRest(loop, rest, parts, sums, made);
    return made;
  }

  /// Emits the loop over full blocks, and inside of it the inner ones.
  SmallVector<Value> emitScan(size_t loop, ArrayRef<Value> parts, ArrayRef<Value> sums) {
    int64_t count = place.counts[loop], steps = region.getExtents()[loop] / count;
    SmallVector<Value> consts, carries, sequences;
    SmallVector<Type> collected;
    auto addStack = [&](Value value, int64_t dim) { sequences.push_back(stackBlocks(builder, location, value, dim, count)); };
    for (auto [input, part] : llvm::zip_equal(region.getInputs(), parts)) {
      int64_t dim = dimOf(region.loopDims(input), loop);
      dim < 0 ? consts.push_back(part) : addStack(part, dim);
    }
    for (auto [result, sum] : llvm::zip_equal(region.getResults(), sums)) {
      int64_t dim = dimOf(region.loopDims(result), loop);
      if (dim < 0) {
        carries.push_back(sum);
        continue;
      }
      collected.push_back(typeInside(loop + 1, result));
      if (sum)
        addStack(sum, dim);
    }
    sequences.push_back(firstIndices(builder, location, steps, count));
    auto scan = ScanOp::create(builder, location, Value(), consts, carries, sequences, ShapeAttr(), collected);
    emitBody(loop, scan, sums);
    return resultsOf(loop, scan);
  }

  void emitBody(size_t loop, ScanOp scan, ArrayRef<Value> sums) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&scan.getBody().front());
    ValueRange wholes = scan.getConstArguments(), carries = scan.getCarryArguments(), slices = scan.getSliceArguments();
    auto next = [](ValueRange &from) {
      Value value = from.front();
      from = from.drop_front();
      return value;
    };
    SmallVector<Value> parts, inner;
    for (Value input : region.getInputs())
      parts.push_back(next(dimOf(region.loopDims(input), loop) < 0 ? wholes : slices));
    for (auto [result, sum] : llvm::zip_equal(region.getResults(), sums))
      inner.push_back(region.addsUp(result, loop) ? next(carries) : sum ? next(slices) : Value());
    place.firsts[loop] = next(slices);
    SmallVector<Value> made = emitLoop(loop + 1, parts, inner), yielded;
    for (bool ofCarries : {true, false})
      for (auto [result, value] : llvm::zip_equal(region.getResults(), made))
        if (region.addsUp(result, loop) == ofCarries)
          yielded.push_back(value);
    YieldOp::create(builder, location, yielded);
    closeRegions(scan); // over the first indices of outer blocks
  }

  /// Returns the results of a loop, in their order: sums as they are, the others from their blocks.
  SmallVector<Value> resultsOf(size_t loop, ScanOp scan) {
    ValueRange sums = scan->getResults().take_front(scan.getCarry().size()), stacks = scan.getStacks();
    SmallVector<Value> made;
    for (Value result : region.getResults()) {
      ValueRange &from = region.addsUp(result, loop) ? sums : stacks;
      Value value = from.front();
      from = from.drop_front();
      int64_t dim = dimOf(region.loopDims(result), loop);
      made.push_back(dim < 0 ? value : unstackBlocks(builder, location, value, dim));
    }
    return made;
  }

  /// Emits the last block of `rest` indices, and appends its results to those of the full blocks.
  void emitRest(size_t loop, int64_t rest, ArrayRef<Value> parts, ArrayRef<Value> sums, SmallVectorImpl<Value> &made) {
    int64_t count = place.counts[loop], extent = region.getExtents()[loop];
    auto last = [&](Value value, int64_t dim) {
      return dim < 0 ? value : sliceAlong(builder, location, value, dim, extent - rest, extent);
    };
    SmallVector<Value> ofRest, before;
    for (auto [input, part] : llvm::zip_equal(region.getInputs(), parts))
      ofRest.push_back(last(part, dimOf(region.loopDims(input), loop)));
    for (auto [result, sum, value] : llvm::zip_equal(region.getResults(), sums, made)) {
      int64_t dim = dimOf(region.loopDims(result), loop);
      before.push_back(dim < 0 ? value : sum ? last(sum, dim) : Value());
    }
    place.counts[loop] = rest;
    place.firsts[loop] = emitScalar(builder, location, builder.getI32IntegerAttr(extent - rest));
    SmallVector<Value> after = emitLoop(loop + 1, ofRest, before);
    place.counts[loop] = count;
    for (auto [result, value, more] : llvm::zip_equal(region.getResults(), made, after)) {
      int64_t dim = dimOf(region.loopDims(result), loop);
      value = dim < 0 ? more : Value(ConcatenateOp::create(builder, location, ValueRange{value, more}, dim));
    }
  }

  OpBuilder &builder;
  const RowRegion &region;
  Location location;
  BlockPlace place;
};
} // namespace

SmallVector<Value> lathe::emitRowLoops(OpBuilder &builder, const RowRegion &region, int64_t rows, int64_t columns) {
  return RowLoops(builder, region, rows, columns).emit();
}
