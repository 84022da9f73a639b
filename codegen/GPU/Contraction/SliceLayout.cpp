#include "codegen/GPU/Contraction/SliceLayout.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

constexpr unsigned kBankBytes = 128; // one word of each bank
constexpr unsigned kMatrixRow = 16;  // a row of ldmatrix, and the granule of TMA's swizzle

static unsigned bytesOf(Type element) { return element.getIntOrFloatBitWidth() / 8; }

/// Returns the bytes of a line that lanes read at once. ldmatrix reads rows of 16 bytes. Other fragments are read by elements:
/// at four depths, eight words or four doubles that are contiguous in the other dimension.
static unsigned granuleOf(unsigned elementBytes, bool hasDepthInside) {
  constexpr unsigned kContiguous = 32;
  bool hasMatrices = elementBytes == 2 || (elementBytes == 4 && hasDepthInside);
  return hasMatrices ? kMatrixRow : kContiguous;
}

SliceLayout::SliceLayout(Type element, unsigned own, unsigned depth, bool hasDepthInside)
    : SliceLayout(bytesOf(element), hasDepthInside ? depth : own, hasDepthInside ? own : depth, hasDepthInside,
                  granuleOf(bytesOf(element), hasDepthInside)) {}

SliceLayout SliceLayout::ofBox(Type element, unsigned lines, bool hasDepthInside) {
  return SliceLayout(bytesOf(element), kBankBytes / bytesOf(element), lines, hasDepthInside, kMatrixRow);
}

SliceLayout::SliceLayout(unsigned elementBytes, unsigned inner, unsigned lines, bool hasDepthInside, unsigned granule)
    : hasDepthInside(hasDepthInside), elementBytes(elementBytes), inner(inner), lines(lines), granule(granule) {
  unsigned lineBytes = inner * elementBytes;
  linesAlike = std::max(1u, kBankBytes / lineBytes);
  orders = std::max(1u, std::min(lineBytes, kBankBytes) / granule);
}

Value SliceLayout::at(ThreadFrame &frame, Value slice, Value own, unsigned ownMore, Value depth, unsigned depthMore) const {
  PointEvaluator &eval = frame.eval;
  OpBuilder &b = frame.b;
  Value line = hasDepthInside ? own : depth, place = hasDepthInside ? depth : own;
  unsigned lineMore = hasDepthInside ? ownMore : depthMore, placeMore = hasDepthInside ? depthMore : ownMore;
  // Moving an element by whole periods does not change its swizzle.
  unsigned lineRest = lineMore % (linesAlike * orders), placeRest = placeMore % (orders * granule / elementBytes);
  line = eval.add(line, frame.number(lineRest));
  Value inLine = eval.mul(eval.add(place, frame.number(placeRest)), frame.number(elementBytes));
  Value order = b.createOrFold<arith::DivUIOp>(frame.loc, line, frame.number(linesAlike));
  order = b.createOrFold<arith::RemUIOp>(frame.loc, order, frame.number(orders));
  inLine = b.createOrFold<arith::XOrIOp>(frame.loc, inLine, eval.mul(order, frame.number(granule)));
  Value offset = eval.add(eval.mul(line, frame.number(inner * elementBytes)), inLine);
  Value byLane = frame.at(slice, b.getI8Type(), frame.widen(offset));
  return frame.at(byLane, b.getI8Type(),
                  int64_t(lineMore - lineRest) * inner * elementBytes + int64_t(placeMore - placeRest) * elementBytes);
}
