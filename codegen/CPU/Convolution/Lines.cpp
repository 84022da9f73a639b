#include "codegen/CPU/Convolution/Lines.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

SmallVector<Value> ConvolutionLines::unravel(Value index, int64_t ConvolutionDim::*extent) {
  SmallVector<Value> result(shape.dims.size() - 1);
  for (size_t d = result.size(); d-- > 0;) {
    result[d] = d ? frame.remainder(index, shape.dims[d].*extent) : index;
    index = d ? frame.divide(index, shape.dims[d].*extent) : index;
  }
  return result;
}

ConvolutionLines::Meeting ConvolutionLines::inputLine(ArrayRef<Value> output, ArrayRef<Value> taps) {
  PointEvaluator &eval = frame.eval;
  Meeting meeting{eval.i64(0), {}};
  int64_t stride = shape.inputPlaces();
  for (auto [dim, o, k] : llvm::zip(shape.dims, output, taps)) {
    stride /= dim.input;
    Value place = eval.add(eval.mul(o, eval.i64(dim.stride)), eval.mul(k, eval.i64(dim.dilation)));
    place = eval.sub(place, eval.i64(dim.padLow));
    auto require = [&](arith::CmpIPredicate predicate, Value value, int64_t bound) {
      Value holds = arith::CmpIOp::create(frame.b, frame.loc, predicate, value, eval.i64(bound));
      meeting.isThere = eval.both(meeting.isThere, holds);
    };
    require(arith::CmpIPredicate::ule, place, (dim.input - 1) * dim.inputDilation); // negative ones are large
    if (dim.inputDilation > 1)
      require(arith::CmpIPredicate::eq, frame.remainder(place, dim.inputDilation), 0);
    meeting.place = eval.add(meeting.place, eval.mul(frame.divide(place, dim.inputDilation), eval.i64(stride)));
  }
  return meeting;
}

void lathe::cpu::forPanelPieces(KernelFrame &frame, const TileShape &tile, int64_t columns, int64_t rows,
                                function_ref<void(const Panel &, Value, Value)> body) {
  PointEvaluator &eval = frame.eval;
  int64_t width = tile.vectors * tile.lanes, full = columns / width, rest = columns % width;
  auto panels = [&](int64_t firstPanel, int64_t count, unsigned vectors, int64_t lastLanes) {
    auto clip = [&](Value piece) {
      Value inside = frame.max(eval.sub(piece, eval.i64(firstPanel * rows)), eval.i64(0));
      return eval.min(inside, eval.i64(count * rows));
    };
    Value low = clip(frame.begin), high = clip(frame.end);
    frame.loop(frame.divide(low, rows), frame.divideUp(high, rows), 1, [&](Value number) {
      Value origin = eval.mul(number, eval.i64(rows));
      Value firstRow = frame.max(eval.sub(low, origin), eval.i64(0));
      Value lastRow = eval.min(eval.sub(high, origin), eval.i64(rows));
      body({eval.mul(eval.add(number, eval.i64(firstPanel)), eval.i64(width)), vectors, lastLanes}, firstRow, lastRow);
    });
  };
  if (full)
    panels(0, full, tile.vectors, tile.lanes);
  if (rest) {
    unsigned vectors = llvm::divideCeil(rest, tile.lanes);
    panels(full, 1, vectors, rest - (vectors - 1) * int64_t(tile.lanes));
  }
}
