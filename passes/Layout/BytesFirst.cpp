#include "passes/Layout/BytesFirst.h"
#include "dialects/Lathe/Interpreter/ConstantAttr.h"
#include "lib/Analysis/Bytes.h"
#include "lib/Analysis/Widening.h"

using namespace mlir;
using namespace lathe;

/// Returns the one value of a zero point's tensor as a scalar, or null if it is not at hand.
static Value scalarOfZero(Value zero, PatternRewriter &rewriter) {
  Location loc = zero.getLoc();
  auto type = RankedTensorType::get({}, getElementTypeOrSelf(zero.getType()));
  if (auto constant = zero.getDefiningOp<ConstantOp>())
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      return ConstantOp::create(rewriter, loc, type, DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
  if (auto broadcast = zero.getDefiningOp<BroadcastOp>())
    return scalarOfZero(broadcast.getOperand(), rewriter);
  if (!llvm::all_of(dimsOf(zero), [](const Dim &dim) { return dim.isStatic(1); }))
    return {};
  return dimsOf(zero).empty() ? zero : ReshapeOp::create(rewriter, loc, zero, shapeOf(zero.getContext(), Dims())).getResult();
}

/// Widens bytes and subtracts the zero point, which may be null.
static Value centre(Value bytes, Value zero, Location loc, PatternRewriter &rewriter) {
  Value wide = ConvertOp::create(rewriter, loc, bytes, rewriter.getI32Type());
  if (!zero)
    return wide;
  auto shape = shapeOf(rewriter.getContext(), dimsOf(bytes));
  return SubOp::create(rewriter, loc, wide, BroadcastOp::create(rewriter, loc, zero, ArrayRef<int64_t>(), shape));
}

namespace {
// A transpose or another shape of widened bytes would be stored in four times the bytes.
template <typename MoveOp>
struct MoveBytes : OpRewritePattern<MoveOp> {
  using OpRewritePattern<MoveOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(MoveOp op, PatternRewriter &rewriter) const override {
    std::optional<CentredBytes> moved = centredBytes(op->getOperand(0));
    if (!moved)
      return rewriter.notifyMatchFailure(op, "does not move widened bytes");
    Value zero = moved->zero ? scalarOfZero(moved->zero, rewriter) : Value();
    if (moved->zero && !zero)
      return rewriter.notifyMatchFailure(op, "has a zero point of several elements");
    Operation *bytes = rewriter.clone(*op);
    bytes->setOperand(0, moved->bytes);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    bytes->getResult(0).setType(type.clone(getElementTypeOrSelf(moved->bytes.getType())));
    rewriter.replaceOp(op, centre(bytes->getResult(0), zero, op.getLoc(), rewriter));
    return success();
  }
};

/// A tensor of constants, repeated along some dimensions.
struct RepeatedConstants {
  Tensor values;
  SmallVector<int64_t> strides; // in `values`, for each dimension of the whole

  /// Returns nullopt if the value is not a constant, a conversion of one to i32, or a broadcast of these.
  static std::optional<RepeatedConstants> of(Value whole) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(cast<RankedTensorType>(whole.getType()).getRank()));
    SmallVector<int64_t> strides(dims.size(), 0);
    if (auto broadcast = whole.getDefiningOp<BroadcastOp>()) {
      dims.assign(broadcast.getDims().begin(), broadcast.getDims().end());
      whole = broadcast.getOperand();
    }
    if (auto convert = whole.getDefiningOp<ConvertOp>(); convert && widens(convert))
      whole = convert.getOperand();
    auto constant = whole.getDefiningOp<ConstantOp>();
    std::optional<Tensor> values = constant ? Tensor::fromAttr(constant.getValue()) : std::nullopt;
    if (!values)
      return std::nullopt;
    int64_t stride = 1;
    for (auto [dim, extent] : llvm::reverse(llvm::zip_equal(dims, values->getShape()))) {
      strides[dim] = extent == 1 ? 0 : stride;
      stride *= extent;
    }
    return RepeatedConstants{*values, strides};
  }

  /// Returns the element at a row-major index of the whole.
  double at(int64_t index, ArrayRef<int64_t> shape) const {
    int64_t place = 0;
    for (size_t dim = shape.size(); dim-- > 0; index /= shape[dim])
      place += index % shape[dim] * strides[dim];
    return values.at(place);
  }
};

// Instructions multiply bytes by i8. Constant factors of u8 or with a zero point often fit i8 once that is subtracted.
struct NarrowFactors : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubOp op, PatternRewriter &rewriter) const override {
    auto wide = op.getLhs().getDefiningOp<ConvertOp>();
    auto factors = wide && widens(wide) ? wide.getOperand().getDefiningOp<ConstantOp>() : ConstantOp();
    if (!factors || getElementTypeOrSelf(factors.getType()).getIntOrFloatBitWidth() != 8)
      return rewriter.notifyMatchFailure(op, "has no constant bytes to centre");
    std::optional<RepeatedConstants> zeros = RepeatedConstants::of(op.getRhs());
    std::optional<Tensor> bytes = Tensor::fromAttr(factors.getValue());
    if (!zeros || !bytes)
      return rewriter.notifyMatchFailure(op, "has zero points that are not constants");
    Tensor narrow(Element::I8, bytes->getShape());
    for (int64_t i = 0; i < bytes->size(); ++i) {
      double value = bytes->at(i) - zeros->at(i, bytes->getShape());
      if (value < -128 || value > 127)
        return rewriter.notifyMatchFailure(op, "has factors that do not fit i8");
      narrow.data<int8_t>()[i] = int8_t(value);
    }
    Type i8 = rewriter.getI8Type();
    auto type = cast<RankedTensorType>(factors.getType()).clone(i8);
    auto made = ConstantOp::create(rewriter, factors.getLoc(), type, constantAttr(narrow, i8, "factors"));
    rewriter.replaceOpWithNewOp<ConvertOp>(op, made, getElementTypeOrSelf(op.getType()));
    return success();
  }
};
} // namespace

void lathe::populateBytesFirst(RewritePatternSet &patterns) {
  patterns.add<MoveBytes<TransposeOp>, MoveBytes<ReshapeOp>, NarrowFactors>(patterns.getContext());
}
