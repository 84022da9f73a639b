#include "codegen/CPU/Convolution/Filter.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static Type elementTypeOf(ConvOp op) { return scalarOf(cast<RankedTensorType>(op.getType()).getElementType()); }

unsigned lathe::cpu::elementBytesOf(ConvOp op) { return elementTypeOf(op).getIntOrFloatBitWidth() / 8; }

int64_t lathe::cpu::panelWidthOf(ConvOp op) {
  auto kernel = dyn_cast<KernelOp>(op->getParentOp());
  auto argument = dyn_cast<BlockArgument>(op.getFilter());
  return kernel && argument ? lathe::panelWidthOf(kernel, argument.getArgNumber()) : 0;
}

TileShape lathe::cpu::choosePixels(const ConvolutionShape &shape, const VectorTarget &target, unsigned bytes) {
  unsigned lanes = std::min<uint64_t>(target.lanes(bytes), llvm::PowerOf2Ceil(shape.columns()));
  int64_t vectors = llvm::divideCeil(shape.columns(), int64_t(lanes));
  unsigned wide = vectors == 1 ? 1 : vectors % 2 && vectors % 3 == 0 ? 3 : 2;
  // Registers hold the sums, a vector of the filter for each column of them, and one input; without fused multiply-adds also a
  // product, and two more for what the processor copies.
  unsigned most = (target.vectorRegisters - wide - (target.hasFMA ? 1 : 4)) / wide;
  return {std::min(most, target.vectorRegisters >= 32 ? 14u : 8u), wide, lanes};
}

TileShape lathe::cpu::chooseHalvedPixels(const ConvolutionShape &shape, const VectorTarget &target, unsigned bytes) {
  TileShape tile = choosePixels(shape, target, bytes);
  tile.rows = tile.rows == 6 || tile.rows == 7 ? 6 : std::min(8u, llvm::bit_floor(tile.rows));
  return tile;
}

std::optional<PanelChoice> lathe::cpu::chooseFilterPanels(KernelOp kernel, ArrayRef<VectorTarget> targets) {
  auto convolutions = kernel.getBody().front().getOps<ConvOp>();
  if (!llvm::hasSingleElement(convolutions))
    return std::nullopt;
  ConvOp op = *convolutions.begin();
  std::optional<ConvolutionShape> shape = convolutionShape(op);
  auto filter = dyn_cast<BlockArgument>(op.getFilter());
  if (!shape || !filter || !filter.hasOneUse() || shape->isDepthwise())
    return std::nullopt;
  SmallVector<int64_t> widths;
  for (const VectorTarget &target : targets) {
    TileShape tile = choosePixels(*shape, target, elementBytesOf(op));
    widths.push_back(tile.vectors * tile.lanes);
  }
  int64_t width = *llvm::max_element(widths);
  bool servesAll = llvm::all_of(widths, [&](int64_t each) { return width % each == 0; });
  if (!servesAll || shape->filters % width || shape->outputPitch() == width)
    return std::nullopt;
  return PanelChoice{filter.getArgNumber(), width};
}

LogicalResult lathe::cpu::checkPanels(KernelOp kernel, ConvOp op, const TileShape &tile) {
  int64_t width = int64_t(tile.vectors) * tile.lanes, panel = panelWidthOf(op);
  if (!panel)
    return success();
  if (!constantOf(kernel.getOperand(cast<BlockArgument>(op.getFilter()).getArgNumber())))
    return kernel.emitError("the filter is in panels, but it is not a constant");
  if (panel % width)
    return kernel.emitError("a tile of ") << width << " columns is not a part of the panels of " << panel
                                          << " in which the filter is stored";
  return success();
}

FilterMemory::FilterMemory(ConvOp op, const ConvolutionShape &shape)
    : filter(op.getFilter()), element(elementTypeOf(op)), rows(shape.sumTerms()), rowPitch(shape.outputPitch()),
      panel(panelWidthOf(op)) {}

Value FilterMemory::place(KernelFrame &frame, Value column) const {
  PointEvaluator &eval = frame.eval;
  if (!panel)
    return column;
  return eval.add(eval.mul(frame.divide(column, panel), eval.i64(rows * panel)), frame.remainder(column, panel));
}

TileSums::Split FilterMemory::split(unsigned vectors, unsigned lanes) const {
  if (!panel || vectors * int64_t(lanes) <= panel)
    return {};
  return {unsigned(panel / lanes), rows * panel};
}
