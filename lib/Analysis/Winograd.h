// The convolutions and gradients of filters that Winograd's minimal filtering can compute, what it costs, and its points.
#ifndef LATHE_ANALYSIS_WINOGRAD_H
#define LATHE_ANALYSIS_WINOGRAD_H

#include "dialects/Lathe/IR/Lathe.h"
#include <array>

namespace lathe {

/// F(outputs x outputs, 3 x 3) computes a square of outputs from a square of `inputs()` inputs a side with one multiplication
/// for each input and filter, where the definition takes nine for each output (Winograd 1980; Lavin and Gray 2016).
struct WinogradSquare {
  static constexpr int64_t kTaps = 3; // of the filter, in each dimension
  int64_t outputs;

  int64_t inputs() const { return outputs + kTaps - 1; }
  /// Multiplications of a square for each pair of a channel and a filter.
  int64_t products() const { return inputs() * inputs(); }
};

/// The squares for which there is code.
inline constexpr int64_t kWinogradOutputs[] = {2, 4};

/// The shapes of the three tensors of a convolution, of which an op computes one.
struct WinogradShape {
  Dims input, output, filter;

  int64_t channels() const { return filter[2].constant(); }
  int64_t filters() const { return filter[3].constant(); }
  /// Returns the number of squares in all images.
  Dim squares(WinogradSquare square) const;
};

/// Returns the shapes of a lathe.conv or lathe.conv_filter_grad that Winograd's filtering computes: images of two dimensions in
/// f32, filters of 3 x 3 taps, one group, no strides and no dilation, and channels and filters that fill vectors. Returns
/// nullopt for any other op.
std::optional<WinogradShape> winogradShapeOf(mlir::Operation *op);

/// Returns the square that takes the fewest operations, if they are clearly fewer than those of the definition; nullopt
/// otherwise, and for ops without a winogradShapeOf. An extent without a number counts as a large one.
std::optional<WinogradSquare> chooseWinograd(mlir::Operation *op);

/// Returns the square by which a kernel computes this op: that of its attribute `lathe.winograd`, if it is one that
/// suits; nullopt otherwise.
std::optional<WinogradSquare> winogradOf(mlir::Operation *op);

/// The evaluation points of a square's transforms: 0, both signs of some magnitudes, and infinity, in this
/// order.
///
/// The magnitudes are 1 for 2 outputs, and 3/4 and 3/2 for 4. They are exact in f32, and the largest error of 4 outputs is a
/// quarter of that with 1 and 2 (docs/fast-math.md).
struct WinogradPoints {
  llvm::SmallVector<double> magnitudes;

  explicit WinogradPoints(WinogradSquare square);

  /// Returns the coefficients, from the constant on, of the polynomial in y that is the product of y - a^2 over all magnitudes
  /// a, or over all but number `without`.
  llvm::SmallVector<double> product(std::optional<size_t> without = std::nullopt) const;
  /// Returns the factors of the three taps of a line of the filter in its transform, for each point.
  llvm::SmallVector<std::array<double, WinogradSquare::kTaps>> ofFilter() const;
};

} // namespace lathe

#endif
