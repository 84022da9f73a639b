#include "codegen/CPU/Convolution/Lines.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

ConvolutionLines::ConvolutionLines(CodeFrame &frame, const ConvolutionShape &shape) : frame(frame), shape(shape) {
  for (auto [in, out] : llvm::zip_equal(shape.input, shape.output)) {
    inputs.push_back(frame.eval.extent(in));
    outputs.push_back(frame.eval.extent(out));
  }
}

Value ConvolutionLines::product(ArrayRef<Value> extents, size_t first, size_t end) {
  Value result = frame.eval.i64(1);
  for (size_t d = first; d < end; ++d)
    result = frame.eval.mul(result, extents[d]);
  return result;
}

SmallVector<Value> ConvolutionLines::lineOfOutputs(Value index) {
  SmallVector<Value> result(outputs.size() - 1);
  for (size_t d = result.size(); d-- > 0;) {
    result[d] = d ? frame.remainder(index, outputs[d]) : index;
    index = d ? frame.divide(index, outputs[d]) : index;
  }
  return result;
}

SmallVector<Value> ConvolutionLines::rowOfFilter(Value index) {
  SmallVector<Value> result(outputs.size() - 1);
  for (size_t d = result.size(); d-- > 0;) {
    result[d] = d ? frame.remainder(index, shape.dims[d].taps) : index;
    index = d ? frame.divide(index, shape.dims[d].taps) : index;
  }
  return result;
}

ConvolutionLines::Meeting ConvolutionLines::inputLine(ArrayRef<Value> output, ArrayRef<Value> taps) {
  PointEvaluator &eval = frame.eval;
  Meeting meeting{eval.i64(0), {}};
  for (size_t d = 0; d < output.size(); ++d) {
    const ConvolutionDim &dim = shape.dims[d];
    Value place = eval.add(eval.mul(output[d], eval.i64(dim.stride)), eval.mul(taps[d], eval.i64(dim.dilation)));
    place = eval.sub(place, eval.i64(dim.padLow));
    auto require = [&](arith::CmpIPredicate predicate, Value value, Value bound) {
      meeting.isThere = eval.both(meeting.isThere, frame.b.createOrFold<arith::CmpIOp>(frame.loc, predicate, value, bound));
    };
    // One unsigned comparison also rejects negative positions.
    require(arith::CmpIPredicate::ult, place, eval.mul(inputs[d], eval.i64(dim.inputDilation)));
    if (dim.inputDilation > 1)
      require(arith::CmpIPredicate::eq, frame.remainder(place, dim.inputDilation), eval.i64(0));
    meeting.place = eval.add(meeting.place, eval.mul(frame.divide(place, dim.inputDilation), inputPlaces(d + 1)));
  }
  return meeting;
}

Value lathe::cpu::phaseTable(KernelFrame &frame, const ConvolutionDim &dim, StringRef name) {
  if (dim.outputStep() == 1)
    return {};
  std::vector<int32_t> words;
  for (int64_t o = 0; o < dim.outputStep(); ++o)
    for (int64_t word : {dim.phase(o).tap, dim.phase(o).taps, dim.phase(o).input})
      words.push_back(int32_t(word));
  return WordTable(frame, name, words).addressOf(frame.eval.i64(0), 0);
}

Phase lathe::cpu::phaseOf(CodeFrame &frame, const ConvolutionDim &dim, Value table, Value residue, Value index) {
  PointEvaluator &eval = frame.eval;
  Value behind = eval.mul(index, eval.i64(dim.inputStep()));
  if (!table) {
    auto [tap, taps, place] = dim.phase(0);
    return {eval.i64(tap), eval.i64(taps), eval.add(behind, eval.i64(place))};
  }
  WordTable words(frame, table);
  Value at = eval.mul(residue, eval.i64(3));
  return {words(at, 0), words(at, 1), eval.add(behind, words(at, 2))};
}

Phase lathe::cpu::insideOf(CodeFrame &frame, const ConvolutionDim &dim, const Phase &phase, Value extent) {
  PointEvaluator &eval = frame.eval;
  auto before = [&](Value places) { // taps on the first `places` positions after the phase's first one
    return eval.min(frame.divideUp(frame.max(places, eval.i64(0)), dim.tapPlaces()), phase.taps);
  };
  Value first = before(eval.sub(eval.i64(0), phase.place));
  Value last = frame.max(before(eval.sub(extent, phase.place)), first);
  return {eval.add(phase.tap, eval.mul(first, eval.i64(dim.tapStep()))), eval.sub(last, first),
          eval.add(phase.place, eval.mul(first, eval.i64(dim.tapPlaces())))};
}

void lathe::cpu::forColumnPieces(KernelFrame &frame, const TileShape &tile, int64_t columns, Value rows,
                                 function_ref<void(const TileColumns &, Value, Value)> body) {
  PointEvaluator &eval = frame.eval;
  int64_t width = tile.vectors * tile.lanes, full = columns / width, rest = columns % width;
  auto tiles = [&](int64_t firstTile, int64_t count, unsigned vectors, int64_t lastLanes) {
    auto clip = [&](Value piece) {
      Value inside = frame.max(eval.sub(piece, eval.mul(eval.i64(firstTile), rows)), eval.i64(0));
      return eval.min(inside, eval.mul(eval.i64(count), rows));
    };
    Value low = clip(frame.begin), high = clip(frame.end);
    Value divisor = frame.max(rows, eval.i64(1)), end = eval.add(high, eval.sub(divisor, eval.i64(1)));
    frame.loop(frame.divide(low, divisor), frame.divide(end, divisor), 1, [&](Value number) {
      Value origin = eval.mul(number, rows);
      Value firstRow = frame.max(eval.sub(low, origin), eval.i64(0));
      Value lastRow = eval.min(eval.sub(high, origin), rows);
      body({eval.mul(eval.add(number, eval.i64(firstTile)), eval.i64(width)), vectors, lastLanes}, firstRow, lastRow);
    });
  };
  if (full)
    tiles(0, full, tile.vectors, tile.lanes);
  if (rest) {
    unsigned vectors = llvm::divideCeil(rest, tile.lanes);
    tiles(full, 1, vectors, rest - (vectors - 1) * int64_t(tile.lanes));
  }
}
