// The code of a lone concatenation:
//
//   for line of the result, for piece of it               // threads share pieces; most lines are one piece
//     for operand
//       copy what the piece has of its line: short lines without a loop, long ones by rep movsb, others in vectors
//
// In a loop nest, every vector would have to find its operand, and load from all of them.
#include "codegen/CPU/Rows/Rows.h"
#include "codegen/CPU/Tiles/Copies.h"
#include "codegen/CPU/Tuning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Lines below the first number of bytes are copied without a loop, and those below the second if the moves are few.
static constexpr int64_t kShortBytes = VectorTarget::kCacheLineBytes, kMediumBytes = 4 * kShortBytes + 1;

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

/// Returns the bytes of a line of the operand if it has less than `limit`.
static std::optional<int64_t> shortBytes(Value operand, int64_t dim, int64_t limit) {
  std::optional<int64_t> line = lineOf(operand, dim);
  int64_t bytes = getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth() / 8;
  return line && *line * bytes < limit ? std::optional(*line * bytes) : std::nullopt;
}

/// Returns the number of moves of 32, 16, ... 1 bytes that copy a short line.
static int64_t movesOf(int64_t bytes) { return bytes / 32 + llvm::popcount(uint64_t(bytes % 32)); }

/// Returns the number of moves that copy the operands' lines below `limit` bytes.
static int64_t movesOf(ConcatenateOp op, int64_t limit) {
  int64_t moves = 0;
  for (Value operand : op.getInputs())
    moves += movesOf(shortBytes(operand, op.getDim(), limit).value_or(0));
  return moves;
}

/// Returns the bytes of a line from which on it is copied by a loop.
static int64_t loopedBytes(ConcatenateOp op) {
  return movesOf(op, kMediumBytes) <= tuning::kMostMoves ? kMediumBytes : kShortBytes;
}

/// True if the kernel is a lone concatenation of lines of static length.
static bool isCopied(ConcatenateOp op) {
  unsigned bits = getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth();
  if (op.getDim() == 0 || bits < 8 || !isAlone(op))
    return false;
  bool isStatic = llvm::all_of(op.getInputs(), [&](Value operand) { return lineOf(operand, op.getDim()).has_value(); });
  return isStatic && movesOf(op, kShortBytes) <= tuning::kMostMoves;
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

namespace {
class ConcatenationEmitter {
public:
  ConcatenationEmitter(RowFrame &frame, ConcatenateOp op)
      : frame(frame), eval(frame.eval), op(op),
        element(frame.b.getIntegerType(getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth())),
        whole(*lineOf(op.getResult(), op.getDim())), looped(loopedBytes(op)),
        piece(whole < 2 * tuning::kCopiedElements ? std::max<int64_t>(whole, 1) : tuning::kCopiedElements) {}

  void emit(KernelCode &code) {
    Dims extents = dimsOf(op.getResult());
    Dim lines = productOf(ArrayRef(extents).take_front(op.getDim()));
    int64_t pieces = std::max<int64_t>(llvm::divideCeil(whole, piece), 1);
    code.extent = lines * Dim(pieces);
    code.work = lines * Dim(whole);
    frame.loop(frame.begin, frame.end, 1, [&](Value item) {
      Value line = frame.divide(item, pieces), first = eval.mul(frame.remainder(item, pieces), eval.i64(piece));
      Value last = eval.min(eval.add(first, eval.i64(piece)), eval.i64(whole));
      emitPiece(line, first, last);
    });
  }

private:
  /// Copies the elements [first, last) of a line of the result.
  void emitPiece(Value line, Value first, Value last) {
    Value to = frame.at(frame.output(0), element, eval.mul(line, eval.i64(whole)));
    int64_t offset = 0;
    for (Value operand : op.getInputs()) {
      int64_t count = *lineOf(operand, op.getDim());
      Value from = frame.at(frame.buffers.lookup(operand), element, eval.mul(line, eval.i64(count)));
      Value part = frame.at(to, element, offset), low = eval.i64(0), high = eval.i64(count);
      std::optional<int64_t> bytes = shortBytes(operand, op.getDim(), looped);
      if (piece == whole && bytes) {
        moveShort(frame, from, part, *bytes);
      } else {
        if (piece < whole) {
          low = eval.min(frame.max(eval.sub(first, eval.i64(offset)), low), high);
          high = frame.max(eval.min(eval.sub(last, eval.i64(offset)), high), low);
        }
        copyRange(from, part, low, high, std::min(count, piece));
      }
      offset += count;
    }
  }

  /// Copies the elements [low, high), of which there are at most `most`.
  void copyRange(Value from, Value to, Value low, Value high, int64_t most) {
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    if (frame.target.hasStringMoves && most * bytes >= tuning::kStringMoveBytes)
      return moveString(frame, frame.at(from, element, low), frame.at(to, element, low),
                        eval.mul(eval.sub(high, low), eval.i64(bytes)));
    frame.vectors(low, high, frame.wideLanesOf(element), frame.lanesOf(element), [&](Value i) {
      frame.storeLanes(frame.loadLanes(frame.at(from, element, i), element), frame.at(to, element, i));
    });
  }

  RowFrame &frame;
  PointEvaluator &eval;
  ConcatenateOp op;
  Type element;
  int64_t whole;  // elements of a line of the result
  int64_t looped; // bytes from which on a loop copies an operand's line
  int64_t piece;  // elements of a work item
};
} // namespace

namespace {
class ConcatenationForm : public RowForm<NoParameters, ConcatenateOp> {
public:
  ConcatenationForm() : RowForm("concatenation") {}
  bool canCompute(Operation *hero, const VectorTarget &) const override { return isCopied(cast<ConcatenateOp>(hero)); }

protected:
  NoParameters chooseRows(Operation *, const VectorTarget &) const override { return {}; }
  void emitRows(RowFrame &frame, Operation *op, const NoParameters &, KernelCode &code) const override {
    ConcatenationEmitter(frame, cast<ConcatenateOp>(op)).emit(code);
  }
};
} // namespace

const Form &lathe::cpu::concatenationForm() {
  static const ConcatenationForm form;
  return form;
}
