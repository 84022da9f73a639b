// The code of a lone concatenation:
//
//   for line of the result                                // threads share lines
//     for operand
//       copy its line: short lines without a loop, others in vectors
//
// In a loop nest, every vector would have to find its operand, and load from all of them.
#include "codegen/CPU/Rows/Rows.h"
#include "codegen/CPU/Tuning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static constexpr int64_t kShortBytes = VectorTarget::kCacheLineBytes; // shorter lines are copied without a loop

/// Returns the elements of a line, which spans the concatenated dimension and all inner ones; nullopt if that is not static.
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

/// Returns the bytes of a line of the operand if it is short.
static std::optional<int64_t> shortBytes(Value operand, int64_t dim) {
  std::optional<int64_t> line = lineOf(operand, dim);
  int64_t bytes = getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth() / 8;
  return line && *line * bytes < kShortBytes ? std::optional(*line * bytes) : std::nullopt;
}

/// Returns the number of moves of 32, 16, ... 1 bytes that copy a short line.
static int64_t movesOf(int64_t bytes) { return bytes / 32 + llvm::popcount(uint64_t(bytes % 32)); }

/// True if the kernel is a lone concatenation of lines of static length.
static bool isCopied(ConcatenateOp op) {
  unsigned bits = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
  if (op.getDim() == 0 || bits < 8 || !isAlone(op))
    return false;
  int64_t moves = 0;
  for (Value operand : op.getInputs()) {
    if (!lineOf(operand, op.getDim()))
      return false;
    moves += movesOf(shortBytes(operand, op.getDim()).value_or(0));
  }
  return moves <= tuning::kMostMoves;
}

/// Copies a short line of `bytes` without a loop.
static void moveShort(RowFrame &frame, Value from, Value to, int64_t bytes) {
  Type byte = frame.b.getI8Type();
  for (int64_t offset = 0, size = 32; offset < bytes; size /= 2)
    for (; offset + size <= bytes; offset += size) {
      Type type = size == 1 ? byte : VectorType::get(size, byte);
      Value piece = LLVM::LoadOp::create(frame.b, frame.loc, type, frame.at(from, byte, offset), 1);
      LLVM::StoreOp::create(frame.b, frame.loc, piece, frame.at(to, byte, offset), 1);
    }
}

static void emitConcatenation(RowFrame &frame, ConcatenateOp op, KernelCode &code) {
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
      offset += count;
      if (std::optional<int64_t> bytes = shortBytes(operand, dim)) {
        moveShort(frame, from, part, *bytes);
        continue;
      }
      frame.vectors(eval.i64(0), eval.i64(count), frame.wideLanesOf(element), frame.lanesOf(element), [&](Value i) {
        frame.storeLanes(frame.loadLanes(frame.at(from, element, i), element), frame.at(part, element, i));
      });
    }
  });
}

namespace {
class ConcatenationForm : public RowForm<NoParameters, ConcatenateOp> {
public:
  ConcatenationForm() : RowForm("concatenation") {}
  bool canCompute(Operation *hero, const VectorTarget &) const override { return isCopied(cast<ConcatenateOp>(hero)); }

protected:
  NoParameters chooseRows(Operation *, const VectorTarget &) const override { return {}; }
  void emitRows(RowFrame &frame, Operation *op, const NoParameters &, KernelCode &code) const override {
    emitConcatenation(frame, cast<ConcatenateOp>(op), code);
  }
};
} // namespace

const Form &lathe::cpu::concatenationForm() {
  static const ConcatenationForm form;
  return form;
}
