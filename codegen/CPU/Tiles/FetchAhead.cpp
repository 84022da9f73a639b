#include "codegen/CPU/Tiles/FetchAhead.h"
#include "codegen/CPU/Tiles/Copies.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

FetchAhead::FetchAhead(CodeFrame &frame, Value from, int64_t bytes, Value rows, unsigned tileRows, int64_t steps)
    : from(from), tileRows(tileRows), steps(steps) {
  PointEvaluator &eval = frame.eval;
  Value tiles = frame.max(frame.divide(rows, tileRows), eval.i64(1));
  stepPitch = LLVM::SDivOp::create(frame.b, frame.loc, eval.i64(bytes / std::max<int64_t>(steps, 1)), tiles);
}

Value FetchAhead::at(CodeFrame &frame, Value doneRows, Value step) const {
  if (!from)
    return {};
  PointEvaluator &eval = frame.eval;
  Value done = eval.add(eval.mul(frame.divide(doneRows, tileRows), eval.i64(steps)), step);
  return frame.at(from, frame.b.getI8Type(), eval.mul(done, stepPitch));
}

void lathe::cpu::fetchPlace(CodeFrame &frame, Value place) {
  fetchLines(frame, place, frame.b.getI8Type(), 1, FetchInto::SecondCache);
}
