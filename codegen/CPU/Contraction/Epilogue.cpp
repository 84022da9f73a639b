// The code of a tile's results:
//
//   for row of the tile, or pair of rows
//     for vector of columns, or pair of vectors
//       results[row, vector] = epilogue(sums[row, vector])
#include "codegen/CPU/Contraction/Epilogue.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Points/NestCost.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

Epilogue::Epilogue(KernelFrame &frame, DotGeneralOp op, const ContractionShape &shape, const TileShape &tile)
    : frame(frame), eval(frame.eval), hero(op.getResult()), shape(shape), lanes(tile.lanes),
      element(scalarOf(cast<RankedTensorType>(hero.getType()).getElementType())),
      isInPairs(lanes > 1 && isa<FloatType>(element) && latencyBehind(hero, frame.target) >= tuning::kLongEpilogue) {}

Value lathe::cpu::lanesBelow(PointEvaluator &eval, Value end, Value first) {
  return arith::CmpIOp::create(eval.b, eval.loc, arith::CmpIPredicate::slt, eval.iota(), eval.splat(eval.sub(end, first)));
}

void Epilogue::rows(Value sums, Value top, Value low, Value high, const Columns &columns) {
  auto rowOfSums = [&](Value i) { return frame.at(sums, element, eval.mul(i, eval.i64(int64_t(columns.vectors) * lanes))); };
  bool isPair = isInPairs && !columns.end; // lanes of a pair are not masked off
  frame.loop(low, high, isPair ? 2 : 1, [&](Value i) {
    if (!isPair)
      return row(rowOfSums(i), eval.add(top, i), columns);
    Value next = eval.min(eval.add(i, eval.i64(1)), eval.sub(high, eval.i64(1))); // a single row is computed twice
    two(rowOfSums(i), rowOfSums(next), eval.add(top, i), eval.add(top, next), columns);
  });
}

void Epilogue::row(Value sums, Value row, const Columns &columns) {
  eval.lanes = lanes;
  eval.nextPoint();
  llvm::copy(frame.indicesOf(row, shape.rowDims), place.begin() + shape.firstRowDim);
  for (unsigned v = 0; v < columns.vectors; ++v) {
    if (columns.end)
      eval.tail = lanesBelow(eval, columns.end, eval.add(columns.first, eval.i64(v * lanes)));
    finishVector(frame, hero, sums, columns.first, v, place);
    eval.tail = {};
  }
}

void Epilogue::two(Value lowerSums, Value upperSums, Value lower, Value upper, const Columns &columns) {
  SmallVector<Index> ofLower = frame.indicesOf(lower, shape.rowDims), ofUpper = frame.indicesOf(upper, shape.rowDims);
  for (auto [i, low, high] : llvm::enumerate(ofLower, ofUpper))
    place[shape.firstRowDim + i] = {low.base, 0, {}, high.base};
  for (unsigned v = 0, count; v < columns.vectors; v += count) {
    count = columns.vectors - v > 1 ? 2 : 1;
    eval.nextPoint(); // values of rows have as many lanes
    eval.lanes = 2 * count * lanes;
    Value first = eval.add(columns.first, eval.i64(v * lanes));
    place.back() = {first, 1, {}, first};
    auto load = [&](Value from) -> Value {
      return LLVM::LoadOp::create(frame.b, frame.loc, VectorType::get(count * lanes, element),
                                  frame.at(from, element, v * lanes), element.getIntOrFloatBitWidth() / 8);
    };
    frame.finish(hero, eval.join(load(lowerSums), load(upperSums)), place);
  }
}
