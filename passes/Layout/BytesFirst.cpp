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

/// Constant bytes minus zero points that are constants, too.
struct ConstantFactors {
  ConstantOp constant;
  Tensor bytes;
  RepeatedConstants zeros;

  /// Returns nullopt if the difference is something else.
  static std::optional<ConstantFactors> of(SubOp op) {
    auto wide = op ? op.getLhs().getDefiningOp<ConvertOp>() : ConvertOp();
    auto constant = wide && widens(wide) ? wide.getOperand().getDefiningOp<ConstantOp>() : ConstantOp();
    if (!constant || getElementTypeOrSelf(constant.getType()).getIntOrFloatBitWidth() != 8)
      return std::nullopt;
    std::optional<RepeatedConstants> zeros = RepeatedConstants::of(op.getRhs());
    std::optional<Tensor> bytes = Tensor::fromAttr(constant.getValue());
    if (!zeros || !bytes)
      return std::nullopt;
    return ConstantFactors{constant, *bytes, *zeros};
  }

  /// Returns the zero point of an element.
  double zeroOf(int64_t index) const { return zeros.at(index, bytes.getShape()); }

  /// Returns the elements minus `zeroOf`; nullopt if they do not fit i8.
  std::optional<Tensor> minus(function_ref<double(int64_t)> zeroOf) const {
    Tensor narrow(Element::I8, bytes.getShape());
    for (int64_t i = 0; i < bytes.size(); ++i) {
      double value = bytes.at(i) - zeroOf(i);
      if (value < -128 || value > 127)
        return std::nullopt;
      narrow.data<int8_t>()[i] = int8_t(value);
    }
    return narrow;
  }
  std::optional<Tensor> centred() const {
    return minus([&](int64_t index) { return zeroOf(index); });
  }
};

Value makeConstant(const Tensor &value, Type element, Location loc, PatternRewriter &rewriter) {
  auto type = RankedTensorType::get(value.getShape(), element);
  return ConstantOp::create(rewriter, loc, type, constantAttr(value, element, "factors"));
}

// Instructions multiply bytes by i8. Constant factors of u8 or with a zero point often fit i8 once that is subtracted.
struct NarrowFactors : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SubOp op, PatternRewriter &rewriter) const override {
    std::optional<ConstantFactors> factors = ConstantFactors::of(op);
    std::optional<Tensor> centred = factors ? factors->centred() : std::nullopt;
    if (!centred)
      return rewriter.notifyMatchFailure(op, "is not of constants that fit i8");
    Value made = makeConstant(*centred, rewriter.getI8Type(), factors->constant.getLoc(), rewriter);
    rewriter.replaceOpWithNewOp<ConvertOp>(op, made, getElementTypeOrSelf(op.getType()));
    return success();
  }
};

// Other constant factors are i8 plus a number for each column, by which the sum of the row of lhs is multiplied.
struct SplitFactors : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op, PatternRewriter &rewriter) const override {
    std::optional<ConstantFactors> factors = ConstantFactors::of(op.getRhs().getDefiningOp<SubOp>());
    if (!factors || !centredBytes(op.getLhs()) || factors->centred())
      return rewriter.notifyMatchFailure(op, "has no constant factors that exceed i8");
    ArrayRef<int64_t> shape = factors->bytes.getShape();
    if (shape.size() != 2 || op.getRhsContract().size() != 1 || factors->zeros.strides[op.getRhsContract()[0]] != 0)
      return rewriter.notifyMatchFailure(op, "is not a matrix with a zero point for each column");
    bool isUnsigned = getElementTypeOrSelf(factors->constant.getType()).isUnsignedInteger();
    double middle = isUnsigned ? 128 : 0;
    int64_t column = 1 - op.getRhsContract()[0], step = column == 1 ? 1 : shape[1];
    Tensor rest(Element::I32, {shape[column]});
    for (int64_t i = 0; i < shape[column]; ++i)
      rest.data<int32_t>()[i] = int32_t(middle - factors->zeroOf(i * step));
    rewriter.replaceOp(op, split(op, *factors->minus([&](int64_t) { return middle; }), rest, rewriter));
    return success();
  }

private:
  static Value split(DotGeneralOp op, const Tensor &narrow, const Tensor &rest, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    Value wide = ConvertOp::create(rewriter, loc, makeConstant(narrow, rewriter.getI8Type(), loc, rewriter), i32);
    Value products = DotGeneralOp::create(rewriter, loc, op.getLhs(), wide, op.getLhsContract(), op.getRhsContract(),
                                          op.getLhsBatch(), op.getRhsBatch());
    Value sums = ReduceOp::create(rewriter, loc, ReduceKind::Sum, op.getLhs(), op.getLhsContract());
    auto dims = llvm::to_vector(llvm::seq<int64_t>(cast<RankedTensorType>(op.getType()).getRank()));
    ShapeAttr shape = shapeOf(rewriter.getContext(), dimsOf(op.getResult()));
    Value ofRows = BroadcastOp::create(rewriter, loc, sums, ArrayRef(dims).drop_back(), shape);
    Value ofColumns = BroadcastOp::create(rewriter, loc, makeConstant(rest, i32, loc, rewriter), dims.back(), shape);
    return AddOp::create(rewriter, loc, products, MulOp::create(rewriter, loc, ofRows, ofColumns));
  }
};
} // namespace

void lathe::populateBytesFirst(RewritePatternSet &patterns) {
  patterns.add<MoveBytes<TransposeOp>, MoveBytes<ReshapeOp>, NarrowFactors, SplitFactors>(patterns.getContext());
}
