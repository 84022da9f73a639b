#include "passes/PatchProducts/PatchProducts.h"
#include "dialects/Lathe/IR/Constants.h"
#include "lib/Analysis/PairProducts.h"
#include "lib/Analysis/Winograd.h"
#include "lib/Support/Explain.h"

namespace lathe {
#define GEN_PASS_DEF_PATCHPRODUCTSPASS
#include "passes/PatchProducts/PatchProducts.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

/// Least channels of patches that are copied, which are a cache line of bf16: copies of shorter runs take as long as the
/// products gain.
static constexpr int64_t kLeastChannels = 32;
/// Least factors in a sum of patches with fewer channels, which are read in place: with fewer, a product's results take as long
/// as its sums.
static constexpr int64_t kLeastDepth = 64;
/// The most bytes of the copied patches of all images; a named number of them counts as 1.
static constexpr int64_t kMostPatchBytes = 4 << 20;
/// Least squares of all images for Winograd's filtering. On a Zen 4, in ResNet-50, 49 squares of 128 channels take 0.78 ms and
/// the product 1.1, 16 squares of 256 channels 1.47 and 1.15.
static constexpr int64_t kLeastSquares = 32;

namespace {
/// A convolution's sizes. `output` and `taps` have the spatial dimensions.
struct PatchShape {
  SmallVector<int64_t> output, taps;
  int64_t images, channels, filters; // a named number of images counts as 1

  int64_t depth() const { return llvm::product_of(taps) * channels; }
  int64_t bytes() const { return images * llvm::product_of(output) * depth() * 2; }
};
} // namespace

/// Returns the sizes of a convolution whose spatial dimensions and filter are known; nullopt for any other.
static std::optional<PatchShape> patchShapeOf(ConvOp op) {
  Dims input = dimsOf(op.getInput()), filter = dimsOf(op.getFilter()), output = dimsOf(op.getResult());
  PatchShape shape;
  for (size_t i = 0; i + 2 < input.size(); ++i) {
    if (!input[i + 1].isStatic() || !output[i + 1].isStatic() || !filter[i].isStatic())
      return std::nullopt;
    shape.output.push_back(output[i + 1].constant());
    shape.taps.push_back(filter[i].constant());
  }
  size_t spatial = shape.taps.size();
  if (!filter[spatial].isStatic() || !filter[spatial + 1].isStatic())
    return std::nullopt;
  shape.images = input[0].isStatic() ? input[0].constant() : 1;
  shape.channels = filter[spatial].constant();
  shape.filters = filter[spatial + 1].constant();
  return shape;
}

/// True if Winograd's filtering takes less time.
static bool suitsWinograd(ConvOp op, const PatchShape &shape) {
  std::optional<WinogradSquare> square = chooseWinograd(op);
  if (!square)
    return false;
  int64_t squares = shape.images;
  for (int64_t extent : shape.output)
    squares *= llvm::divideCeil(extent, square->outputs);
  return squares >= kLeastSquares;
}

/// True if the taps of a filter are a few runs of memory at one distance, so that a product can read them where the image lies:
/// each line of taps is one run, or each tap is one and there is one line.
static bool liesInChunks(ConvOp op, const PatchShape &shape) {
  ConvolutionGeometry g = op.getGeometry();
  int64_t lines = llvm::product_of(ArrayRef<int64_t>(shape.taps).drop_back());
  return shape.taps.size() <= 2 && (shape.taps.back() == 1 || g.dilation.back() == 1 || lines == 1);
}

/// Returns the taps of zeros that are added to each line of taps, so that pairs of factors do not cross its end.
static int64_t addedTaps(const PatchShape &shape) {
  return shape.taps.back() > 1 && shape.taps.back() * shape.channels % 2 ? 1 : 0;
}

static bool suitsPatches(ConvOp op, const PatchShape &shape, bool inPlace) {
  ConvolutionGeometry g = op.getGeometry();
  auto isOne = [](int64_t value) { return value == 1; };
  auto isNegative = [](int64_t value) { return value < 0; };
  bool isPlain = g.groups == 1 && llvm::all_of(g.inputDilation, isOne) && llvm::none_of(g.padLow, isNegative) &&
                 llvm::none_of(g.padHigh, isNegative) && !op.getPadSame();
  return isPlain && isa<func::FuncOp>(op->getParentOp()) && getElementTypeOrSelf(op.getType()).isF32() &&
         isMovedConstant(op.getFilter()) && suitsPairs(shape.depth(), shape.filters) && shape.bytes() > 0 &&
         (shape.channels >= kLeastChannels || (inPlace && shape.depth() >= kLeastDepth)) &&
         (inPlace || shape.bytes() <= kMostPatchBytes) && !suitsWinograd(op, shape);
}

/// Returns a value with zeros around all dimensions but the first.
static Value padAround(OpBuilder &builder, Location location, Value value, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  auto around = [&](ArrayRef<int64_t> padding) {
    Dims dims{Dim(0)};
    for (int64_t extent : padding)
      dims.push_back(Dim(extent));
    return shapeOf(builder.getContext(), dims);
  };
  Value zero = emitScalar(builder, location, builder.getZeroAttr(getElementTypeOrSelf(value.getType())));
  return PadOp::create(builder, location, value, zero, around(low), around(high), SmallVector<int64_t>(low.size() + 1, 0));
}

/// Returns the images with zeros around them, and `added` more at the end of each line. Places of few channels are padded as
/// lines of their elements, which fill vectors.
static Value padImages(OpBuilder &builder, ConvOp op, Value images, int64_t added) {
  ConvolutionGeometry g = op.getGeometry();
  SmallVector<int64_t> low(g.padLow), high(g.padHigh);
  high.back() += added;
  auto isZero = [](int64_t value) { return value == 0; };
  if (llvm::all_of(low, isZero) && llvm::all_of(high, isZero))
    return images;
  Dims dims = dimsOf(images);
  int64_t channels = dims.back().constant();
  if (channels >= kLeastChannels) {
    low.push_back(0);
    high.push_back(0);
    return padAround(builder, op.getLoc(), images, low, high);
  }
  Dim padded = dims[dims.size() - 2] + Dim(low.back() + high.back());
  Dims lines(dims.begin(), dims.end() - 1);
  lines.back() = lines.back() * Dim(channels);
  low.back() *= channels;
  high.back() *= channels;
  Value flat = ReshapeOp::create(builder, op.getLoc(), images, shapeOf(builder.getContext(), lines));
  Value made = padAround(builder, op.getLoc(), flat, low, high);
  Dims result = dimsOf(made);
  result.back() = padded;
  result.push_back(Dim(channels));
  return ReshapeOp::create(builder, op.getLoc(), made, shapeOf(builder.getContext(), result));
}

/// Returns the filter with so many taps of zeros behind each line.
static Value padFilter(OpBuilder &builder, ConvOp op, int64_t added) {
  if (added == 0)
    return op.getFilter();
  size_t rank = dimsOf(op.getFilter()).size();
  Dims none(rank, Dim(0)), high = none;
  high[rank - 3] = Dim(added);
  Value zero = emitScalar(builder, op.getLoc(), builder.getZeroAttr(getElementTypeOrSelf(op.getFilter().getType())));
  return PadOp::create(builder, op.getLoc(), op.getFilter(), zero, shapeOf(op.getContext(), none),
                       shapeOf(op.getContext(), high), SmallVector<int64_t>(rank, 0));
}

/// Returns, for each output, the inputs that it reads, tap by tap: [images, outputs..., taps * channels]. Patches `inPlace` are
/// marked, so that products read the images.
static Value makePatches(OpBuilder &builder, ConvOp op, const PatchShape &shape, Value padded, bool inPlace) {
  ConvolutionGeometry g = op.getGeometry();
  size_t spatial = shape.taps.size();
  SmallVector<int64_t> steps(spatial + 2, 1);
  llvm::copy(g.strides, steps.begin() + 1);
  SmallVector<Value> taps;
  for (int64_t tap = 0, count = llvm::product_of(shape.taps); tap < count; ++tap) {
    Dims starts(spatial + 2, Dim(0)), limits = dimsOf(padded);
    for (int64_t rest = tap, i = spatial; i-- > 0; rest /= shape.taps[i]) {
      int64_t first = rest % shape.taps[i] * g.dilation[i];
      starts[i + 1] = Dim(first);
      limits[i + 1] = Dim(first + (shape.output[i] - 1) * g.strides[i] + 1);
    }
    taps.push_back(SliceOp::create(builder, op.getLoc(), padded, shapeOf(op.getContext(), starts),
                                   shapeOf(op.getContext(), limits), steps));
  }
  Value patches = taps.size() == 1 ? taps.front() : ConcatenateOp::create(builder, op.getLoc(), taps, spatial + 1).getResult();
  if (inPlace) {
    for (Value tap : taps)
      tap.getDefiningOp()->setAttr(kPatchesAttr, builder.getUnitAttr());
    patches.getDefiningOp()->setAttr(kPatchesAttr, builder.getUnitAttr());
  }
  return patches;
}

namespace {
struct PatchProductsPass : lathe::impl::PatchProductsPassBase<PatchProductsPass> {
  using PatchProductsPassBase::PatchProductsPassBase;

  void runOnOperation() final {
    SmallVector<std::pair<ConvOp, PatchShape>> found;
    getOperation().walk([&](ConvOp op) {
      std::optional<PatchShape> shape = patchShapeOf(op);
      if (shape && suitsPatches(op, *shape, inPlace && liesInChunks(op, *shape)))
        found.push_back({op, *shape});
    });
    for (auto &[op, shape] : found)
      rewrite(op, shape);
  }

private:
  void rewrite(ConvOp op, PatchShape shape) {
    OpBuilder builder(op);
    Location location = op.getLoc();
    bool isRead = inPlace && liesInChunks(op, shape);
    int64_t added = isRead ? addedTaps(shape) : 0;
    shape.taps.back() += added;
    Value images = padImages(builder, op, rounded(op.getInput()), added);
    Value widened = ConvertOp::create(builder, location, makePatches(builder, op, shape, images, isRead), builder.getF32Type());
    Value matrix = ReshapeOp::create(builder, location, padFilter(builder, op, added),
                                     shapeOf(&getContext(), {Dim(shape.depth()), Dim(shape.filters)}));
    int64_t last = shape.taps.size() + 1;
    ArrayRef<int64_t> none;
    Value product = DotGeneralOp::create(builder, location, widened, matrix, ArrayRef<int64_t>(last),
                                         ArrayRef<int64_t>(int64_t(0)), none, none);
    explain(location, "layout", "--math=fast: the convolution is a product of patches of bf16, with {} factors in a sum",
            shape.depth());
    op.getResult().replaceAllUsesWith(product);
    op.erase();
    ++written;
  }

  /// Returns the images in bf16, rounded next to where they are computed, once for all convolutions.
  Value rounded(Value images) {
    Value &half = halves[images];
    if (!half) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfterValue(images);
      half = ConvertOp::create(builder, images.getLoc(), images, builder.getBF16Type());
    }
    return half;
  }

  DenseMap<Value, Value> halves;
};
} // namespace
