#include "codegen/CPU/Convolution/Tile.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

// rows * vectors + vectors + 1 registers, at least 8 chains for the latency of a fused multiply-add, and loads (rows + vectors)
// that take less time than the products.
TileShape lathe::cpu::chooseTile(const Target &target, unsigned elementBytes, int64_t columns) {
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(columns));
  int64_t vectors = llvm::divideCeil(columns, lanes);
  bool isWide = target.vectorRegisters >= 32;
  if (vectors == 1)
    return {isWide ? 16u : 8u, 1, lanes};
  if (isWide)
    return {8, vectors % 3 == 0 ? 3u : 2u, lanes};
  if (!target.hasFMA) // the product takes a register of its own
    return {4, 2, lanes};
  return vectors % 3 == 0 ? TileShape{4, 3, lanes} : TileShape{6, 2, lanes};
}

TileShape lathe::cpu::choosePixelTile(const Target &target, unsigned elementBytes, int64_t columns) {
  unsigned lanes = std::min<uint64_t>(target.lanes(elementBytes), llvm::PowerOf2Ceil(columns));
  int64_t vectors = llvm::divideCeil(columns, lanes);
  unsigned wide = vectors == 3 ? 3 : std::min<int64_t>(vectors, 4);
  if (target.vectorRegisters >= 32)
    return {wide <= 2 ? 8u : 4u, wide, lanes};
  return {wide == 1 ? 8u : wide == 2 ? 4u : 2u, wide, lanes};
}

void lathe::cpu::forPanels(KernelFrame &frame, const TileShape &tile, int64_t columns, function_ref<void(const Panel &)> body) {
  int64_t width = tile.vectors * tile.lanes, full = columns / width, rest = columns % width;
  PointEvaluator &eval = frame.eval;
  if (full == 1)
    body({eval.i64(0), tile.vectors, tile.lanes});
  else if (full > 1)
    frame.loop(eval.i64(0), eval.i64(full * width), width, [&](Value first) { body({first, tile.vectors, tile.lanes}); });
  if (rest) {
    unsigned vectors = llvm::divideCeil(rest, tile.lanes);
    body({eval.i64(full * width), vectors, rest - (vectors - 1) * int64_t(tile.lanes)});
  }
}

VectorScope::VectorScope(KernelFrame &frame, const TileShape &tile, const Panel &panel, unsigned vector) : frame(frame) {
  frame.eval.lanes = tile.lanes;
  frame.eval.tail = {};
  if (vector + 1 < panel.vectors || panel.lastLanes == tile.lanes)
    return;
  SmallVector<bool> mask(tile.lanes, false);
  std::fill_n(mask.begin(), panel.lastLanes, true);
  auto type = VectorType::get(tile.lanes, frame.b.getI1Type());
  frame.eval.tail = arith::ConstantOp::create(frame.b, frame.loc, DenseElementsAttr::get(type, ArrayRef<bool>(mask)));
}

void lathe::cpu::forHeights(KernelFrame &frame, unsigned most, unsigned least, Value count, function_ref<void(unsigned, Value)> body) {
  PointEvaluator &eval = frame.eval;
  Value done = eval.i64(0);
  for (unsigned rows = most; rows >= least; rows = rows == 6 ? 4 : rows / 2) {
    IntegerAttr known;
    bool isStatic = matchPattern(eval.sub(count, done), m_Constant(&known));
    if (isStatic && known.getInt() < rows)
      continue;
    Value left = eval.sub(count, done);
    Value high = eval.add(done, eval.sub(left, frame.remainder(left, rows)));
    frame.loop(done, high, rows, [&](Value first) { body(rows, first); });
    done = high;
  }
}
