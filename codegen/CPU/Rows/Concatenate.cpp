// A concatenation that nothing is fused with: lines of each operand are copied behind each other. As a loop nest every vector
// would ask which operand it is in.
#include "codegen/CPU/Rows/Rows.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static constexpr int64_t kLeastBytes = 64; // of a line: shorter ones are not worth a loop each

/// Elements of a line: the concatenated dimension and all behind it. nullopt where that is no number.
static std::optional<int64_t> lineOf(Value operand, int64_t dim) {
  int64_t count = 1;
  Dims extents = dimsOf(operand);
  for (const Dim &extent : ArrayRef(extents).drop_front(dim)) {
    if (!extent.isStatic())
      return std::nullopt;
    count *= extent.constant();
  }
  return count;
}

bool lathe::cpu::isCopied(ConcatenateOp op) {
  unsigned bits = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
  if (op.getDim() == 0 || bits < 8 || !isAlone(op))
    return false;
  return llvm::all_of(op.getInputs(), [&](Value operand) {
    std::optional<int64_t> line = lineOf(operand, op.getDim());
    return line && *line * (bits / 8) >= kLeastBytes;
  });
}

void lathe::cpu::emitConcatenation(RowFrame &frame, ConcatenateOp op, KernelCode &code) {
  PointEvaluator &eval = frame.eval;
  Type element = frame.b.getIntegerType(getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth());
  int64_t dim = op.getDim(), whole = *lineOf(op.getResult(), dim);
  Dims extents = dimsOf(op.getResult());
  for (const Dim &extent : ArrayRef(extents).take_front(dim))
    code.extent = code.extent * extent;
  code.work = code.extent * Dim(whole);
  frame.loop(frame.begin, frame.end, 1, [&](Value line) {
    Value to = frame.at(frame.output(0), element, eval.mul(line, eval.i64(whole)));
    int64_t offset = 0;
    for (Value operand : op.getInputs()) {
      int64_t count = *lineOf(operand, dim);
      Value from = frame.at(frame.buffers.lookup(operand), element, eval.mul(line, eval.i64(count)));
      Value part = frame.at(to, element, offset);
      frame.vectors(eval.i64(0), eval.i64(count), frame.wideLanesOf(element), frame.lanesOf(element), [&](Value i) {
        frame.storeLanes(frame.loadLanes(frame.at(from, element, i), element), frame.at(part, element, i));
      });
      offset += count;
    }
  });
}
