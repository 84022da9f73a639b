// Replaces `pad same` of a convolution by its value, once the sizes that decide it are known.
#include "passes/PadSame/PadSame.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/SamePadding.h"

namespace lathe {
#define GEN_PASS_DEF_RESOLVEPADSAMEPASS
#include "passes/PadSame/PadSame.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
/// The padding of all dimensions of the images, including batch and channels.
struct ImagePadding {
  Dims low, high, limits; // the end of the images in the padded ones
  Dims padded;            // spatial extents
};

struct ResolvePadSame : lathe::impl::ResolvePadSamePassBase<ResolvePadSame> {
  void runOnOperation() final {
    getOperation()->walk([&](Operation *op) {
      if (auto conv = dyn_cast<ConvOp>(op))
        resolve(conv);
      else if (auto gradient = dyn_cast<ConvInputGradOp>(op))
        resolve(gradient);
      else if (auto gradient = dyn_cast<ConvFilterGradOp>(op))
        resolve(gradient);
    });
  }

private:
  template <typename Op>
  void resolve(Op op);
  template <typename Op>
  ImagePadding setNumbers(Op op, ArrayRef<Dim> images, ArrayRef<Dim> filter);
};
} // namespace

static ArrayRef<Dim> spatialOf(ArrayRef<Dim> images) { return images.drop_front().drop_back(); }

/// Sets the op's padding to the constant part, and returns the rest.
template <typename Op>
ImagePadding ResolvePadSame::setNumbers(Op op, ArrayRef<Dim> images, ArrayRef<Dim> filter) {
  ConvolutionGeometry g = op.getGeometry();
  SmallVector<int64_t> low(g.strides.size(), 0), high = low;
  ImagePadding rest{Dims(images.size()), Dims(images.size()), Dims(images), {}};
  for (auto [i, extent] : llvm::enumerate(spatialOf(images))) {
    SamePadding padding = samePadding(extent, g.strides[i], reachOf(filter[i], g.dilation[i]));
    if (padding.isStatic()) {
      low[i] = padding.low.constant();
      high[i] = padding.high.constant();
    } else {
      rest.low[i + 1] = padding.low;
      rest.high[i + 1] = padding.high;
      rest.limits[i + 1] = padding.low + extent;
    }
    rest.padded.push_back(extent + rest.low[i + 1] + rest.high[i + 1]);
  }
  op.setPadLow(low);
  op.setPadHigh(high);
  op.setPadSame(false);
  return rest;
}

static Value padded(OpBuilder &builder, Location location, Value images, const ImagePadding &padding) {
  Type element = cast<RankedTensorType>(images.getType()).getElementType();
  Value zero = emitScalar(builder, location, builder.getZeroAttr(element));
  MLIRContext *context = builder.getContext();
  return PadOp::create(builder, location, images, zero, shapeOf(context, padding.low), shapeOf(context, padding.high),
                       SmallVector<int64_t>(padding.low.size(), 0));
}

template <typename Op>
void ResolvePadSame::resolve(Op op) {
  if (!op.getPadSame())
    return;
  OpBuilder builder(op);
  constexpr bool isInputGrad = std::is_same_v<Op, ConvInputGradOp>;
  Dims images = dimsOf(isInputGrad ? op.getResult() : op->getOperand(0)), filter;
  if constexpr (std::is_same_v<Op, ConvFilterGradOp>)
    filter = dimsOf(op.getFilterShape());
  else
    filter = dimsOf(op.getFilter());
  ImagePadding padding = setNumbers(op, images, filter);
  ++resolved;
  if (padding.limits == images && padding.padded == Dims(spatialOf(images)))
    return;
  if constexpr (isInputGrad) { // the transpose of padding removes it again
    Dims whole = images;
    llvm::copy(padding.padded, whole.begin() + 1);
    op.setInputShapeAttr(shapeOf(builder.getContext(), padding.padded));
    op.getResult().setType(tensorOf(whole, cast<RankedTensorType>(op.getType()).getElementType()));
    builder.setInsertionPointAfter(op);
    Value inside = SliceOp::create(builder, op.getLoc(), op.getResult(), shapeOf(builder.getContext(), padding.low),
                                   shapeOf(builder.getContext(), padding.limits), SmallVector<int64_t>(images.size(), 1));
    op.getResult().replaceAllUsesExcept(inside, inside.getDefiningOp());
  } else {
    op->setOperand(0, padded(builder, op.getLoc(), op->getOperand(0), padding));
  }
}
