#include "passes/Layout/BytesFirst.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/Interpreter/ConstantAttr.h"
#include "dialects/Lathe/Interpreter/Evaluate.h"
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

/// Returns the elements of a constant, or of a transpose or another shape of one, which is folded later.
std::optional<Tensor> constantElements(Value value) {
  if (auto constant = value.getDefiningOp<ConstantOp>())
    return Tensor::fromAttr(constant.getValue());
  Operation *op = value.getDefiningOp();
  std::optional<Tensor> from = isa_and_nonnull<TransposeOp, ReshapeOp>(op) ? constantElements(op->getOperand(0)) : std::nullopt;
  if (!from)
    return std::nullopt;
  if (auto turned = dyn_cast<TransposeOp>(op))
    return transpose(*from, turned.getPermutation());
  return from->reshaped(cast<RankedTensorType>(value.getType()).getShape());
}

/// Constant bytes minus zero points that are constants, too.
struct ConstantFactors {
  Value constant;
  Tensor bytes;
  RepeatedConstants zeros;

  /// Returns nullopt if the difference is something else.
  static std::optional<ConstantFactors> of(SubOp op) {
    auto wide = op ? op.getLhs().getDefiningOp<ConvertOp>() : ConvertOp();
    if (!wide || !widens(wide) || getElementTypeOrSelf(wide.getOperand().getType()).getIntOrFloatBitWidth() != 8)
      return std::nullopt;
    std::optional<RepeatedConstants> zeros = RepeatedConstants::of(op.getRhs());
    std::optional<Tensor> bytes = zeros ? constantElements(wide.getOperand()) : std::nullopt;
    if (!bytes)
      return std::nullopt;
    return ConstantFactors{wide.getOperand(), *bytes, *zeros};
  }

  /// Returns constants of u8 without a zero point, whose op only widens them.
  static std::optional<ConstantFactors> ofUnsigned(ConvertOp op) {
    if (!op || !widens(op) || !getElementTypeOrSelf(op.getOperand().getType()).isUnsignedInteger(8))
      return std::nullopt;
    std::optional<Tensor> bytes = constantElements(op.getOperand());
    if (!bytes)
      return std::nullopt;
    SmallVector<int64_t> strides(bytes->getRank(), 0);
    return ConstantFactors{op.getOperand(), *bytes, RepeatedConstants{Tensor(Element::I32, {}), strides}};
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

/// Factors as i8, widened, plus a number for each column.
struct SplitFactors {
  Value narrow, rest;

  /// Returns nullopt if the operand is not of constants, fits i8 once it is centred, or has zero points that differ in other
  /// dimensions than `column`.
  static std::optional<SplitFactors> of(Value operand, int64_t column, PatternRewriter &rewriter) {
    auto centring = operand.getDefiningOp<SubOp>();
    std::optional<ConstantFactors> factors =
        centring ? ConstantFactors::of(centring) : ConstantFactors::ofUnsigned(operand.getDefiningOp<ConvertOp>());
    if (!factors || (centring && factors->centred()))
      return std::nullopt;
    for (auto [dim, stride] : llvm::enumerate(factors->zeros.strides))
      if (stride != 0 && int64_t(dim) != column)
        return std::nullopt;
    ArrayRef<int64_t> shape = factors->bytes.getShape();
    double middle = getElementTypeOrSelf(factors->constant.getType()).isUnsignedInteger() ? 128 : 0;
    int64_t step = ShapedType::getNumElements(shape.drop_front(column + 1));
    Tensor rest(Element::I32, {shape[column]});
    for (int64_t i = 0; i < shape[column]; ++i)
      rest.data<int32_t>()[i] = int32_t(middle - factors->zeroOf(i * step));
    Location loc = operand.getLoc();
    Tensor bytes = *factors->minus([&](int64_t) { return middle; });
    Value narrow = makeConstant(bytes, rewriter.getI8Type(), factors->constant.getLoc(), rewriter);
    return SplitFactors{ConvertOp::create(rewriter, loc, narrow, rewriter.getI32Type()),
                        makeConstant(rest, rewriter.getI32Type(), loc, rewriter)};
  }

  /// Returns `products` plus `sums`, one for each row, times the columns' numbers.
  Value addTo(Value products, Value sums, PatternRewriter &rewriter) const {
    Location loc = products.getLoc();
    auto dims = llvm::to_vector(llvm::seq<int64_t>(cast<RankedTensorType>(products.getType()).getRank()));
    ShapeAttr shape = shapeOf(rewriter.getContext(), dimsOf(products));
    Value ofRows = BroadcastOp::create(rewriter, loc, sums, ArrayRef(dims).drop_back(), shape);
    Value ofColumns = BroadcastOp::create(rewriter, loc, rest, dims.back(), shape);
    return AddOp::create(rewriter, loc, products, MulOp::create(rewriter, loc, ofRows, ofColumns));
  }
};

// Other constant factors are i8 plus a number for each column, by which the sum of the row of lhs is multiplied.
struct SplitRhs : OpRewritePattern<DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DotGeneralOp op, PatternRewriter &rewriter) const override {
    bool isMatrix = cast<RankedTensorType>(op.getRhs().getType()).getRank() == 2 && op.getRhsContract().size() == 1;
    if (!isMatrix || !centredBytes(op.getLhs()))
      return rewriter.notifyMatchFailure(op, "is not a product of bytes by a matrix");
    std::optional<SplitFactors> factors = SplitFactors::of(op.getRhs(), 1 - op.getRhsContract()[0], rewriter);
    if (!factors)
      return rewriter.notifyMatchFailure(op, "has no constant factors that exceed i8");
    Value products = DotGeneralOp::create(rewriter, op.getLoc(), op.getLhs(), factors->narrow, op.getLhsContract(),
                                          op.getRhsContract(), op.getLhsBatch(), op.getRhsBatch());
    Value sums = ReduceOp::create(rewriter, op.getLoc(), ReduceKind::Sum, op.getLhs(), op.getLhsContract());
    rewriter.replaceOp(op, factors->addTo(products, sums, rewriter));
    return success();
  }
};

// The same for filters: a window's sum is a convolution of the channels' sums with a filter of ones.
struct SplitFilter : OpRewritePattern<ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    int64_t channel = cast<RankedTensorType>(op.getType()).getRank() - 1;
    std::optional<CentredBytes> images = centredBytes(op.getInput());
    bool isDense = op.getGroups() == 1 && llvm::all_of(op.getInputDilation(), [](int64_t step) { return step == 1; });
    if (!images || !images->hasByteZero || !isDense || isOnDevice(op))
      return rewriter.notifyMatchFailure(op, "is not a convolution of bytes in one group for a CPU");
    std::optional<SplitFactors> factors = SplitFactors::of(op.getFilter(), channel, rewriter);
    if (!factors)
      return rewriter.notifyMatchFailure(op, "has no constant filter that exceeds i8");
    Value products = withOperands(op, op.getInput(), factors->narrow, dimsOf(op.getResult())[channel], rewriter);
    rewriter.replaceOp(op, factors->addTo(products, sumsOfWindows(op, channel, rewriter), rewriter));
    return success();
  }

private:
  /// Returns the convolution with other operands and as many channels of the result.
  static Value withOperands(ConvOp op, Value input, Value filter, const Dim &channels, PatternRewriter &rewriter) {
    auto conv = cast<ConvOp>(rewriter.clone(*op));
    Dims dims = dimsOf(op.getResult());
    dims.back() = channels;
    conv.getInputMutable().assign(input);
    conv.getFilterMutable().assign(filter);
    conv.getResult().setType(tensorOf(dims, getElementTypeOrSelf(op.getType())));
    return conv;
  }

  static Value sumsOfWindows(ConvOp op, int64_t channel, PatternRewriter &rewriter) {
    Location loc = op.getLoc();
    Value sums = ReduceOp::create(rewriter, loc, ReduceKind::Sum, op.getInput(), ArrayRef(channel));
    Dims images = dimsOf(op.getInput()), windows = dimsOf(op.getResult());
    images.back() = Dim(1);
    SmallVector<int64_t> filter(cast<RankedTensorType>(op.getFilter().getType()).getShape());
    filter[channel - 1] = filter[channel] = 1;
    auto type = RankedTensorType::get(filter, getElementTypeOrSelf(op.getType()));
    Value ones = ConstantOp::create(rewriter, loc, type, DenseElementsAttr::get(type, APInt(32, 1)));
    Value image = ReshapeOp::create(rewriter, loc, sums, shapeOf(rewriter.getContext(), images));
    Value all = withOperands(op, image, ones, Dim(1), rewriter);
    return ReshapeOp::create(rewriter, loc, all, shapeOf(rewriter.getContext(), ArrayRef(windows).drop_back()));
  }
};
} // namespace

void lathe::populateBytesFirst(RewritePatternSet &patterns) {
  patterns.add<MoveBytes<TransposeOp>, MoveBytes<ReshapeOp>, NarrowFactors, SplitRhs, SplitFilter>(patterns.getContext());
}
