#include "lib/Analysis/Winograd.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;

/// Channels and filters are multiples of these, so that no vector of any target is cut.
static constexpr int64_t kChannelMultiple = 8, kFilterMultiple = 16;

bool lathe::suitsWinograd(ConvOp conv) {
  Dims input = dimsOf(conv.getInput()), filter = dimsOf(conv.getFilter());
  ConvolutionGeometry g = conv.getGeometry();
  auto one = [](int64_t value) { return value == 1; };
  auto isMultiple = [](const Dim &dim, int64_t factor) {
    return dim.isStatic() && dim.constant() > 0 && dim.constant() % factor == 0;
  };
  return getElementTypeOrSelf(conv.getType()).isF32() && input.size() == 4 && filter[0].isStatic(WinogradSquare::kTaps) &&
         filter[1].isStatic(WinogradSquare::kTaps) && g.groups == 1 && llvm::all_of(g.strides, one) &&
         llvm::all_of(g.dilation, one) && llvm::all_of(g.inputDilation, one) && !conv.getPadSame() &&
         isMultiple(filter[2], kChannelMultiple) && isMultiple(filter[3], kFilterMultiple);
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

std::optional<WinogradSquare> lathe::chooseWinograd(ConvOp conv) {
  // Operations of vectors, counted in the emitted code: a square of a channel and of a filter is transformed once for all that
  // it meets, a channel of a filter once for each group of kSquaresAtOnce squares.
  constexpr int64_t kSquaresAtOnce = 12, kLargeExtent = 64;
  constexpr double kTransformPerProduct = 6, kFilterPerProduct = 4, kLeastGain = 1.3;
  Dims input = dimsOf(conv.getInput()), output = dimsOf(conv.getType()), filter = dimsOf(conv.getFilter());
  ArrayRef<int64_t> pad = conv.getPadLow();
  auto numberOf = [](const Dim &dim) { return dim.isStatic() ? dim.constant() : kLargeExtent; };
  double images = numberOf(output[0]), direct = images;
  for (unsigned d : {1, 2})
    direct *= meetings(output[d].isStatic() && input[d].isStatic() ? input[d].constant() : kLargeExtent,
                       output[d].isStatic() && input[d].isStatic() ? output[d].constant() : kLargeExtent, pad[d - 1]);
  std::optional<WinogradSquare> best;
  double least = direct / kLeastGain;
  double perChannel = kTransformPerProduct / filter[2].constant(), perFilter = kTransformPerProduct / filter[3].constant();
  for (int64_t outputs : kWinogradOutputs) {
    WinogradSquare square{outputs};
    double squares = images;
    for (unsigned d : {1, 2})
      squares *= llvm::divideCeil(numberOf(output[d]), outputs);
    double groups = std::ceil(squares / kSquaresAtOnce);
    double operations = square.products() * (squares * (1 + perChannel + perFilter) + groups * kFilterPerProduct);
    if (operations < least) {
      least = operations;
      best = square;
    }
  }
  return best;
}

std::optional<WinogradSquare> lathe::winogradOf(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  auto outputs = op->getAttrOfType<IntegerAttr>(kWinogradAttr);
  if (!conv || !outputs || !llvm::is_contained(kWinogradOutputs, outputs.getInt()) || !suitsWinograd(conv))
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
