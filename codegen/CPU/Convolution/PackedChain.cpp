// The copies of a chain, for the lines of outputs [first, end) of all images:
//
//   for position of the input lines that they read: copy the channels of the strip, side by side
//   for position of these lines: copy the columns of the block, side by side
//
// Each tap reads these again. In the tensors the channels of a position are far from those of the next one, so that they lie in
// few sets of the first-level cache, which does not keep them from tap to tap.
#include "codegen/CPU/Convolution/PackedChain.h"
#include "codegen/CPU/Sums/SumOrder.h"
#include "codegen/CPU/Tiles/Copies.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Returns the dimension that counts the lines of an image; null if an image is one line.
static const ConvolutionDim *lineDim(const ConvolutionShape &shape) {
  return shape.dims.size() > 1 ? &shape.dims.front() : nullptr;
}

/// Returns the input lines that a number of consecutive lines of outputs, from line `first` of an image on, read at most.
static int64_t inputLinesOf(const ConvolutionDim *dim, int64_t first, int64_t count) {
  if (!dim)
    return count;
  auto clip = [&](int64_t line) { return std::clamp<int64_t>(line, 0, dim->input); };
  int64_t last = first + count - 1, images = last / dim->output;
  int64_t low = clip(first * dim->stride - dim->padLow);
  int64_t high = clip(last % dim->output * dim->stride - dim->padLow + (dim->taps - 1) * dim->dilation + 1);
  return images * dim->input + high - low;
}

std::optional<PackedChain> PackedChain::of(const ConvolutionShape &shape) {
  const ConvolutionDim &across = shape.dims.back(), *down = lineDim(shape);
  auto isSpread = [](const ConvolutionDim &dim) { return dim.inputDilation != 1; };
  if (shape.isOpen() || shape.dims.size() > 2 || llvm::any_of(shape.dims, isSpread) || across.output > kProductOrder.chain)
    return std::nullopt;
  int64_t lines = kProductOrder.rowsOfChain(across.output), most = 0;
  for (int64_t first = 0, end = down ? down->output : 1; first < end; ++first)
    most = std::max(most, inputLinesOf(down, first, lines));
  return PackedChain{most * across.input, lines * across.output};
}

ChainPacker::ChainPacker(KernelFrame &frame, const ConvolutionShape &shape, const PackedChain &chain, const TileShape &tile,
                         Type element)
    : frame(frame), eval(frame.eval), shape(shape), tile(tile), element(element),
      inputs(frame.stack(element, chain.inputs * inputPitch())), outputs(frame.stack(element, chain.outputs * outputPitch())) {}

/// Returns the first input line, counted over all images, that a line of outputs or one behind it reads.
Value ChainPacker::firstInputLine(Value line) {
  const ConvolutionDim *dim = lineDim(shape);
  if (!dim)
    return line;
  Value inImage = eval.mul(frame.remainder(line, dim->output), eval.i64(dim->stride));
  Value first = frame.max(eval.sub(inImage, eval.i64(dim->padLow)), eval.i64(0));
  Value image = eval.mul(frame.divide(line, dim->output), eval.i64(dim->input));
  return eval.add(image, eval.min(first, eval.i64(dim->input)));
}

/// Returns the end of the input lines that a line of outputs or one before it reads.
Value ChainPacker::endOfInputLines(Value line) {
  const ConvolutionDim *dim = lineDim(shape);
  if (!dim)
    return eval.add(line, eval.i64(1));
  Value inImage = eval.mul(frame.remainder(line, dim->output), eval.i64(dim->stride));
  Value end = eval.add(inImage, eval.i64((dim->taps - 1) * dim->dilation + 1 - dim->padLow));
  Value image = eval.mul(frame.divide(line, dim->output), eval.i64(dim->input));
  return eval.add(image, eval.min(frame.max(end, eval.i64(0)), eval.i64(dim->input)));
}

Value ChainPacker::packInputs(Value input, int64_t rows, Value firstLine, Value endLine) {
  int64_t across = shape.dims.back().input, lanes = tile.lanes;
  Value low = eval.mul(firstInputLine(firstLine), eval.i64(across));
  Value high = eval.mul(endOfInputLines(eval.sub(endLine, eval.i64(1))), eval.i64(across));
  Value isEmpty = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::sge, firstLine, endLine);
  Value count = arith::SelectOp::create(frame.b, frame.loc, isEmpty, eval.i64(0), eval.sub(high, low));
  int64_t vectors = llvm::divideCeil(rows, lanes);
  Value from = frame.at(input, element, eval.mul(low, eval.i64(shape.inputPitch())));
  TileColumns channels{Value(), unsigned(vectors), rows - (vectors - 1) * lanes};
  packRows(frame, tile, channels, element, from, shape.inputPitch(), count, inputs, inputPitch());
  return frame.at(inputs, element, eval.mul(low, eval.i64(-inputPitch())));
}

Value ChainPacker::packOutputs(Value cotangent, const TileColumns &columns, Value firstLine, Value endLine) {
  Value across = eval.i64(shape.dims.back().output), low = eval.mul(firstLine, across);
  Value from = frame.at(cotangent, element, eval.mul(low, eval.i64(shape.outputPitch())));
  Value count = eval.sub(eval.mul(endLine, across), low);
  packRows(frame, tile, columns, element, from, shape.outputPitch(), count, outputs, outputPitch());
  return frame.at(outputs, element, eval.mul(low, eval.i64(-outputPitch())));
}
