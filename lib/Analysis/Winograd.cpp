#include "lib/Analysis/Winograd.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;

/// Channels and filters are multiples of these, so that no vector of any target is cut.
static constexpr int64_t kChannelMultiple = 8, kFilterMultiple = 16;

Dim WinogradShape::squares(WinogradSquare square) const {
  return output[0] * ceilDiv(output[1], square.outputs) * ceilDiv(output[2], square.outputs);
}

/// Returns the shapes of a convolution's tensors with the number 2 of dimensions of images, for both ops that have them.
static std::optional<WinogradShape> shapesOf(Operation *op) {
  if (auto conv = dyn_cast<ConvOp>(op); conv && !conv.getPadSame())
    return WinogradShape{dimsOf(conv.getInput()), dimsOf(conv.getType()), dimsOf(conv.getFilter())};
  if (auto gradient = dyn_cast<ConvFilterGradOp>(op); gradient && !gradient.getPadSame())
    return WinogradShape{dimsOf(gradient.getInput()), dimsOf(gradient.getOutput()), dimsOf(gradient.getType())};
  return std::nullopt;
}

std::optional<WinogradShape> lathe::winogradShapeOf(Operation *op) {
  std::optional<WinogradShape> shape = shapesOf(op);
  if (!shape || shape->input.size() != 4)
    return std::nullopt;
  ConvolutionGeometry g = cast<ConvolutionOpInterface>(op).getGeometry();
  auto one = [](int64_t value) { return value == 1; };
  auto isMultiple = [](const Dim &dim, int64_t factor) {
    return dim.isStatic() && dim.constant() > 0 && dim.constant() % factor == 0;
  };
  const Dims &filter = shape->filter;
  bool suits = getElementTypeOrSelf(op->getResult(0).getType()).isF32() && filter[0].isStatic(WinogradSquare::kTaps) &&
               filter[1].isStatic(WinogradSquare::kTaps) && g.groups == 1 && llvm::all_of(g.strides, one) &&
               llvm::all_of(g.dilation, one) && llvm::all_of(g.inputDilation, one) && isMultiple(filter[2], kChannelMultiple) &&
               isMultiple(filter[3], kFilterMultiple);
  return suits ? shape : std::nullopt;
}

/// Returns the number of multiplications of the definition in one dimension, for each channel and filter: a tap beyond a border
/// takes none.
static int64_t meetings(int64_t input, int64_t output, int64_t padLow) {
  int64_t count = 0;
  for (int64_t o = 0; o < output; ++o)
    for (int64_t tap = 0; tap < WinogradSquare::kTaps; ++tap)
      count += o + tap - padLow >= 0 && o + tap - padLow < input;
  return count;
}

/// Returns the operations for each square and product of a channel and a filter, as a part of the multiplication, counted in
/// the emitted code. For a convolution, a square of a channel and of a filter is transformed once for all that it meets, a
/// channel of a filter once for each group of kSquaresAtOnce squares. For a gradient, a square of a channel is transformed once
/// for each block of filters, and one of a filter once for each strip of channels.
static double operationsPerProduct(Operation *op, const WinogradShape &shape, double squares) {
  constexpr int64_t kSquaresAtOnce = 12, kFiltersAtOnce = 64, kChannelsAtOnce = 16;
  constexpr double kTransform = 6, kFilter = 4, kCotangent = 3;
  if (isa<ConvFilterGradOp>(op))
    return 1 + kTransform / std::min(shape.filters(), kFiltersAtOnce) + kCotangent / kChannelsAtOnce;
  double groups = std::ceil(squares / kSquaresAtOnce);
  return 1 + kTransform / shape.channels() + kTransform / shape.filters() + kFilter * groups / std::max(squares, 1.0);
}

std::optional<WinogradSquare> lathe::chooseWinograd(Operation *op) {
  constexpr int64_t kLargeExtent = 64;
  constexpr double kLeastGain = 1.3;
  std::optional<WinogradShape> shape = winogradShapeOf(op);
  if (!shape)
    return std::nullopt;
  const Dims &input = shape->input, &output = shape->output;
  ArrayRef<int64_t> pad = cast<ConvolutionOpInterface>(op).getGeometry().padLow;
  auto numberOf = [](const Dim &dim) { return dim.isStatic() ? dim.constant() : kLargeExtent; };
  double images = numberOf(output[0]), direct = images;
  for (unsigned d : {1, 2})
    direct *= meetings(output[d].isStatic() && input[d].isStatic() ? input[d].constant() : kLargeExtent,
                       output[d].isStatic() && input[d].isStatic() ? output[d].constant() : kLargeExtent, pad[d - 1]);
  std::optional<WinogradSquare> best;
  double least = direct / kLeastGain;
  for (int64_t outputs : kWinogradOutputs) {
    WinogradSquare square{outputs};
    double squares = images;
    for (unsigned d : {1, 2})
      squares *= llvm::divideCeil(numberOf(output[d]), outputs);
    double operations = square.products() * squares * operationsPerProduct(op, *shape, squares);
    if (operations < least) {
      least = operations;
      best = square;
    }
  }
  return best;
}

std::optional<WinogradSquare> lathe::winogradOf(Operation *op) {
  auto outputs = op->getAttrOfType<IntegerAttr>(kWinogradAttr);
  if (!outputs || !llvm::is_contained(kWinogradOutputs, outputs.getInt()) || !winogradShapeOf(op))
    return std::nullopt;
  return WinogradSquare{outputs.getInt()};
}

WinogradPoints::WinogradPoints(WinogradSquare square) {
  if (square.outputs == 2)
    magnitudes = {1};
  else
    magnitudes = {0.75, 1.5};
}

SmallVector<double> WinogradPoints::product(std::optional<size_t> without) const {
  SmallVector<double> coefficients{1};
  for (auto [i, a] : llvm::enumerate(magnitudes)) {
    if (without == i)
      continue;
    SmallVector<double> next(coefficients.size() + 1, 0);
    for (auto [k, c] : llvm::enumerate(coefficients)) {
      next[k + 1] += c;
      next[k] -= a * a * c;
    }
    coefficients = next;
  }
  return coefficients;
}

// The factor of tap k at point p is p^k over the product of p - q for all other points q but infinity.
SmallVector<std::array<double, WinogradSquare::kTaps>> WinogradPoints::ofFilter() const {
  auto valueAt = [](ArrayRef<double> polynomial, double y) {
    double value = 0;
    for (double coefficient : llvm::reverse(polynomial))
      value = value * y + coefficient;
    return value;
  };
  SmallVector<std::array<double, WinogradSquare::kTaps>> factors{{1 / valueAt(product(), 0), 0, 0}};
  for (auto [i, a] : llvm::enumerate(magnitudes)) {
    double scale = 1 / (2 * a * a * valueAt(product(i), a * a));
    factors.push_back({scale, scale * a, scale * a * a});
    factors.push_back({scale, -scale * a, scale * a * a});
  }
  factors.push_back({0, 0, 1});
  return factors;
}
