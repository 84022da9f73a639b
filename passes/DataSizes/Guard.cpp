// Handles each op with a dimension of which only the first elements are valid. Elements past the size are arbitrary, so an op
// whose result depends on them gets a neutral element there.
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "passes/DataSizes/DecidedSizes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::datasizes;

namespace {
/// The value of a masked element.
enum class Fill { Zero, One, AllBits, Lowest, Highest, Last };

class Guard {
public:
  Guard(Operation *op, const DecidedSizes &sizes) : op(op), sizes(sizes), builder(op) {}
  LogicalResult run();

private:
  template <typename Op, typename... Arguments>
  Value make(Arguments &&...arguments) {
    return Op::create(builder, op->getLoc(), std::forward<Arguments>(arguments)...);
  }
  bool isCounted(Value value, int64_t dim) { return sizes.isIn(dimsOf(value)[dim]); }
  LogicalResult refuse(const Twine &why) {
    return op->emitError() << "the size of a dimension depends on data, and " << why << " is not supported";
  }
  Value scalar(Attribute value);
  Value fill(Type element, Fill with);
  /// Returns the value, replaced by `with` where the index in `dim` is not below `limit`.
  Value masked(Value value, int64_t dim, Value limit, Value with);
  Value masked(Value value, int64_t dim, Fill with);
  void mask(OpOperand &operand, ArrayRef<int64_t> dims, Fill with);
  /// Checks that `touched` dimensions have no data-decided size: the op works along them.
  LogicalResult whole(Value value, ArrayRef<int64_t> touched, StringRef what);

  LogicalResult checkRoom();
  LogicalResult guardDimSize(DimSizeOp dimSize);
  LogicalResult guardReshape(ReshapeOp reshape);
  LogicalResult require(CompareKind kind, Value a, Value b, const std::string &condition);
  LogicalResult compareSizes(ReshapeOp reshape);
  LogicalResult guardSlice(SliceOp slice);
  LogicalResult gatherSlice(SliceOp slice, int64_t dim);
  LogicalResult guardPad(PadOp pad);
  LogicalResult guardConcatenate(ConcatenateOp concatenate);
  LogicalResult guardDot(DotGeneralOp dot);
  LogicalResult guardCumulative(CumulativeOp cumulative);
  LogicalResult guardRecurrence(LinearRecurrenceOp recurrence);
  LogicalResult guardGather(GatherOp gather);
  LogicalResult guardScatter(ScatterOp scatter);
  LogicalResult guardDynamicSlice(DynamicSliceOp slice);
  LogicalResult guardDynamicUpdate(DynamicUpdateSliceOp update);
  LogicalResult guardWindow(WindowAttr window, Value operand);
  LogicalResult guardConvolution(ConvOp conv);
  LogicalResult guardMatrices();
  LogicalResult guardScan(ScanOp scan);
  LogicalResult guardReturn(func::ReturnOp op);
  void guardReduce(ReduceOp reduce);
  template <typename Op>
  LogicalResult guardSort(Op sort);
  LogicalResult guardTopK(TopKOp top);

  Operation *op;
  const DecidedSizes &sizes;
  OpBuilder builder;
};
} // namespace

Value Guard::scalar(Attribute value) { return emitScalar(builder, op->getLoc(), cast<TypedAttr>(value)); }

Value Guard::fill(Type element, Fill with) {
  if (auto real = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    APFloat value = with == Fill::One       ? APFloat::getOne(semantics)
                    : with == Fill::Lowest  ? APFloat::getInf(semantics, /*Negative=*/true)
                    : with == Fill::Highest ? APFloat::getInf(semantics)
                    : with == Fill::Last    ? APFloat::getNaN(semantics)
                                            : APFloat::getZero(semantics);
    return scalar(builder.getFloatAttr(element, value));
  }
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  APInt value = with == Fill::One       ? APInt(width, 1)
                : with == Fill::AllBits ? APInt::getAllOnes(width)
                : with == Fill::Lowest  ? (isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width))
                : with == Fill::Highest || with == Fill::Last
                    ? (isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width))
                    : APInt(width, 0);
  return scalar(builder.getIntegerAttr(element, value));
}

Value Guard::masked(Value value, int64_t dim, Value limit, Value with) {
  if (!limit)
    return value; // it has been reported
  Value place = make<IotaOp>(uint64_t(dim), shapeOf(op->getContext(), dimsOf(value)), builder.getI64Type());
  return make<SelectOp>(make<CompareOp>(CompareKind::LT, place, limit), value, with);
}

Value Guard::masked(Value value, int64_t dim, Fill with) {
  return masked(value, dim, sizes.sizeOf(dimsOf(value)[dim], builder, op->getLoc()),
                fill(getElementTypeOrSelf(value.getType()), with));
}

void Guard::mask(OpOperand &operand, ArrayRef<int64_t> dims, Fill with) {
  for (int64_t dim : dims)
    if (isCounted(operand.get(), dim))
      operand.set(masked(operand.get(), dim, with));
}

LogicalResult Guard::whole(Value value, ArrayRef<int64_t> touched, StringRef what) {
  for (int64_t dim : touched)
    if (isCounted(value, dim))
      return refuse(Twine(what) + " over it");
  return success();
}

// ---- Shapes

LogicalResult Guard::guardDimSize(DimSizeOp dimSize) {
  Value size = sizes.sizeOf(dimsOf(dimSize.getOperand())[dimSize.getDim()], builder, op->getLoc());
  if (!size)
    return failure();
  dimSize.getResult().replaceAllUsesWith(size);
  return success();
}

/// Accepts a reshape if the dimensions before the data-decided one keep their number of elements: valid elements then stay
/// first.
LogicalResult Guard::guardReshape(ReshapeOp reshape) {
  auto before = [&](Value value) {
    Dims dims = dimsOf(value);
    auto counted = llvm::find_if(dims, [&](const Dim &dim) { return sizes.isIn(dim); });
    return numElements(ArrayRef(dims).take_front(counted - dims.begin()));
  };
  auto several = [&](Value value) { return sizes.countedDims(value).size() > 1; };
  std::optional<Dim> from = before(reshape.getOperand()), to = before(reshape.getResult());
  if (several(reshape.getOperand()) || several(reshape.getResult()) || from != to)
    return refuse("a reshape that takes it apart, to " + str(dimsOf(reshape.getResult())) + ",");
  return reshape.getChecked() ? compareSizes(reshape) : success();
}

/// Makes the entry fail if a comparison of two numbers does not hold.
LogicalResult Guard::require(CompareKind kind, Value a, Value b, const std::string &condition) {
  if (!a || !b)
    return failure();
  AssertOp::create(builder, op->getLoc(), make<CompareOp>(kind, a, b), condition);
  return success();
}

/// Makes the entry fail if both sides of a reshape have different numbers of valid elements.
LogicalResult Guard::compareSizes(ReshapeOp reshape) {
  std::optional<Dim> from = numElements(dimsOf(reshape.getOperand())), to = numElements(dimsOf(reshape.getResult()));
  if (from == to)
    return success();
  Value before = sizes.sizeOf(*from, builder, op->getLoc()), after = sizes.sizeOf(*to, builder, op->getLoc());
  return require(CompareKind::EQ, before, after, from->str() + " == " + to->str());
}

/// Accepts a limit that selects a prefix of the valid elements: some of them, all but the last ones, or any limit in a
/// dimension of fixed size. The entry fails if it is a number of elements that are not there. A data-dependent start becomes a
/// gather.
LogicalResult Guard::guardSlice(SliceOp slice) {
  Dims extents = dimsOf(slice.getOperand()), starts = dimsOf(slice.getStarts()), limits = dimsOf(slice.getLimits());
  for (auto [dim, extent, start, limit] : llvm::enumerate(extents, starts, limits)) {
    if (sizes.isIn(start))
      return gatherSlice(slice, dim);
    if ((!sizes.isIn(extent) && !sizes.isIn(limit)) || extent == limit || limit == minOf(extent, sizes.bound(limit)))
      continue;
    if (!sizes.isIn(extent) && leastOf(extent - sizes.bound(limit), anySize) >= 0)
      continue;
    Dim rest = extent - limit;
    if (!sizes.isIn(limit)) {
      Value size = sizes.sizeOf(extent, builder, op->getLoc()), needed = sizes.sizeOf(limit, builder, op->getLoc());
      if (failed(require(CompareKind::GE, size, needed, extent.str() + " >= " + limit.str())))
        return failure();
      continue;
    }
    if (!rest.isStatic() || rest.constant() < 0)
      return refuse("a slice of [" + extent.str() + "] up to " + limit.str());
  }
  return success();
}

/// Slices one dimension by a gather, and the others by a slice before it.
LogicalResult Guard::gatherSlice(SliceOp slice, int64_t dim) {
  Dims starts = dimsOf(slice.getStarts()), limits = dimsOf(slice.getLimits());
  Dim count = dimsOf(slice.getResult())[dim], extent = dimsOf(slice.getOperand())[dim], start = starts[dim];
  if (sizes.isIn(count))
    return refuse("a slice of [" + extent.str() + "] from " + start.str() + " to " + limits[dim].str());
  Value first = sizes.placeOf(start, builder, op->getLoc());
  if (!first)
    return failure();
  starts[dim] = 0;
  limits[dim] = extent;
  SmallVector<int64_t> steps(slice.getSteps());
  Value step = scalar(builder.getI64IntegerAttr(std::exchange(steps[dim], 1)));
  auto rest = SliceOp::create(builder, op->getLoc(), slice.getOperand(), shapeOf(op->getContext(), starts),
                              shapeOf(op->getContext(), limits), steps);
  Value indices = make<IotaOp>(uint64_t(0), shapeOf(op->getContext(), count), builder.getI64Type());
  indices = make<AddOp>(make<MulOp>(indices, step), first);
  auto gather = GatherOp::create(builder, op->getLoc(), rest, indices, dim, /*batch=*/0);
  slice.getResult().replaceAllUsesWith(gather);
  for (Operation *made : {rest.getOperation(), gather.getOperation()})
    if (failed(guard(made, sizes)))
      return failure();
  slice.erase();
  return success();
}

LogicalResult Guard::guardPad(PadOp pad) {
  for (const Dim &low : dimsOf(pad.getLow()))
    if (sizes.isIn(low))
      return refuse(low.str() + " elements of padding in front");
  builder.setInsertionPointAfter(op);
  Value result = pad.getResult(), value = result;
  SmallPtrSet<Operation *, 4> masks;
  for (int64_t dim : sizes.countedDims(pad.getOperand())) {
    if (pad.getInterior()[dim])
      return refuse("padding between its elements");
    Dim high = dimsOf(pad.getHigh())[dim];
    if (high.isStatic() && high.constant() <= 0)
      continue;
    Value limit = sizes.sizeOf(dimsOf(pad.getOperand())[dim] + dimsOf(pad.getLow())[dim], builder, op->getLoc());
    if (!limit)
      return failure();
    value = masked(value, dim, limit, pad.getValue());
    masks.insert(value.getDefiningOp());
  }
  result.replaceAllUsesExcept(value, masks);
  return success();
}

/// Puts each operand at the end of the previous one's valid elements, over its invalid ones.
LogicalResult Guard::guardConcatenate(ConcatenateOp concatenate) {
  int64_t along = concatenate.getDim();
  if (!isCounted(concatenate.getResult(), along))
    return success();
  auto type = cast<RankedTensorType>(concatenate.getType());
  Dims dims = dimsOf(type);
  Value whole = make<BroadcastOp>(fill(type.getElementType(), Fill::Zero), builder.getDenseI64ArrayAttr({}),
                                  shapeOf(op->getContext(), dims));
  Value zero = scalar(builder.getI64IntegerAttr(0)), start = zero;
  for (auto [i, part] : llvm::enumerate(concatenate.getInputs())) {
    SmallVector<Value> starts(dims.size(), zero);
    starts[along] = start;
    whole = make<DynamicUpdateSliceOp>(whole, part, starts);
    if (i + 1 == concatenate.getInputs().size())
      break;
    Value size = sizes.sizeOf(dimsOf(part)[along], builder, op->getLoc());
    if (!size)
      return failure();
    start = make<AddOp>(start, size);
  }
  concatenate.getResult().replaceAllUsesWith(whole);
  return success();
}

// ---- Sums and orders

/// The neutral element of a sum, product or extremum.
template <typename Kind>
static Fill neutralOf(Kind kind) {
  return kind == Kind::Product ? Fill::One : kind == Kind::Max ? Fill::Lowest : kind == Kind::Min ? Fill::Highest : Fill::Zero;
}

void Guard::guardReduce(ReduceOp reduce) {
  Fill with = reduce.getKind() == ReduceKind::And ? Fill::AllBits : neutralOf(reduce.getKind());
  mask(reduce.getOperandMutable(), reduce.getDims(), with);
}

LogicalResult Guard::guardDot(DotGeneralOp dot) {
  mask(dot.getLhsMutable(), dot.getLhsContract(), Fill::Zero);
  mask(dot.getRhsMutable(), dot.getRhsContract(), Fill::Zero); // zero times an infinity is not zero
  return success();
}

LogicalResult Guard::guardCumulative(CumulativeOp cumulative) {
  if (!cumulative.getReverse())
    return success(); // valid elements come first
  Fill with = cumulative.getKind() == CumulativeKind::LogSumExp ? Fill::Lowest : neutralOf(cumulative.getKind());
  mask(cumulative.getOperandMutable(), {int64_t(cumulative.getDim())}, with);
  return success();
}

LogicalResult Guard::guardRecurrence(LinearRecurrenceOp recurrence) {
  if (recurrence.getReverse())
    for (OpOperand &operand : op->getOpOperands())
      mask(operand, {int64_t(recurrence.getDim())}, Fill::Zero);
  return success();
}

template <typename Op>
LogicalResult Guard::guardSort(Op sort) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(sort.getOperand().getType())); // NaN is last in both orders
  mask(sort.getOperandMutable(), {int64_t(sort.getDim())}, sort.getDescending() && !isFloat ? Fill::Lowest : Fill::Last);
  return success();
}

/// Puts invalid elements last. The entry fails if there are fewer valid elements than `count`.
LogicalResult Guard::guardTopK(TopKOp top) {
  int64_t dim = top.getDim();
  if (!isCounted(top.getOperand(), dim))
    return success();
  Dim extent = dimsOf(top.getOperand())[dim], count = top.getCountDim();
  if (leastOf(extent - count, anySize) < 0) {
    Value there = sizes.sizeOf(extent, builder, op->getLoc()), needed = sizes.sizeOf(count, builder, op->getLoc());
    if (failed(require(CompareKind::GE, there, needed, extent.str() + " >= " + count.str())))
      return failure();
  }
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(top.getOperand().getType())); // NaN is last in both orders
  mask(top.getOperandMutable(), {dim}, isFloat || top.getSmallest() ? Fill::Last : Fill::Lowest);
  return success();
}

// ---- Data-dependent positions

/// Makes an index of an invalid element out of range.
LogicalResult Guard::guardGather(GatherOp gather) {
  if (!isCounted(gather.getTable(), gather.getAxis()))
    return success();
  Value indices = gather.getIndices(), size = sizes.sizeOf(dimsOf(gather.getTable())[gather.getAxis()], builder, op->getLoc());
  if (!size)
    return failure();
  Type element = getElementTypeOrSelf(indices.getType());
  Value isInside = make<CompareOp>(CompareKind::LT, make<ConvertOp>(indices, builder.getI64Type()), size);
  gather.getIndicesMutable().assign(make<SelectOp>(isInside, indices, fill(element, Fill::Highest)));
  return success();
}

/// Out-of-range updates are dropped, as for an out-of-range index.
LogicalResult Guard::guardScatter(ScatterOp scatter) {
  for (int64_t dim : sizes.countedDims(scatter.getIndices()))
    if (dim >= int64_t(scatter.getBatch()))
      scatter.getIndicesMutable().assign(masked(scatter.getIndices(), dim, Fill::Highest));
  return success();
}

LogicalResult Guard::guardDynamicSlice(DynamicSliceOp slice) {
  for (int64_t dim : sizes.countedDims(slice.getOperand()))
    if (dimsOf(slice.getResult())[dim] != dimsOf(slice.getOperand())[dim])
      return refuse("a block of it that starts at a place which is data");
  return success();
}

LogicalResult Guard::guardDynamicUpdate(DynamicUpdateSliceOp update) {
  for (auto [extent, size] : llvm::zip_equal(dimsOf(update.getOperand()), dimsOf(update.getUpdate())))
    if ((sizes.isIn(extent) || sizes.isIn(size)) && extent != size)
      return refuse("a block of it that starts at a place which is data");
  return success();
}

// ---- Other ops

LogicalResult Guard::guardWindow(WindowAttr window, Value operand) {
  for (int64_t dim : sizes.countedDims(operand))
    if (window.getSize()[dim] != 1 || window.getStride()[dim] != 1 || window.getLow()[dim] || window.getHigh()[dim] ||
        window.getBaseDilation()[dim] != 1)
      return refuse("a window over it");
  return success();
}

/// Accepts a data-decided batch: images of a batch come one after the other.
LogicalResult Guard::guardConvolution(ConvOp conv) {
  auto rest = llvm::to_vector(llvm::seq<int64_t>(1, dimsOf(conv.getInput()).size()));
  if (!sizes.countedDims(conv.getFilter()).empty())
    return refuse("lathe.conv with such a filter");
  return whole(conv.getInput(), rest, "lathe.conv");
}

LogicalResult Guard::guardMatrices() {
  for (Value operand : op->getOperands()) {
    int64_t rank = dimsOf(operand).size();
    if (failed(whole(operand, {rank - 2, rank - 1}, op->getName().getStringRef())))
      return failure();
  }
  return success();
}

/// Limits the steps to the valid ones.
LogicalResult Guard::guardScan(ScanOp scan) {
  Dim steps = scan.getSteps();
  if (!sizes.isIn(steps))
    return success();
  Value count = sizes.sizeOf(steps, builder, op->getLoc());
  if (!count)
    return failure();
  if (Value length = scan.getLength())
    count = make<MinOp>(make<ConvertOp>(length, builder.getI64Type()), count);
  scan.getLengthMutable().assign(count);
  return success();
}

LogicalResult Guard::guardReturn(func::ReturnOp) {
  auto function = cast<func::FuncOp>(op->getParentOp());
  if (!function.isPublic())
    return refuse("a result of a function that is not an entry");
  if (!SymbolTable::symbolKnownUseEmpty(function, function->getParentOfType<ModuleOp>()))
    return refuse("a result of a function that another one uses");
  return success();
}

/// Refuses results whose room may be less than the number of elements.
LogicalResult Guard::checkRoom() {
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (const Dim &dim : dimsOf(tensor))
        if (!sizes.rises(dim))
          return refuse("a size of " + dim.str() + " elements, which may be larger where that is smaller,");
  return success();
}

LogicalResult Guard::run() {
  if (failed(checkRoom()))
    return failure();
  if (op->hasTrait<ElementwiseTrait>() ||
      isa<BroadcastOp, IotaOp, TransposeOp, RandomBitsOp, IfOp, WhileOp, CheckpointOp, YieldOp, ConditionOp>(op))
    return success();
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](DimSizeOp op) { return guardDimSize(op); })
      .Case([&](ReshapeOp op) { return guardReshape(op); })
      .Case([&](ReverseOp op) { return whole(op.getOperand(), op.getDims(), "lathe.reverse"); })
      .Case([&](SliceOp op) { return guardSlice(op); })
      .Case([&](PadOp op) { return guardPad(op); })
      .Case([&](ConcatenateOp op) { return guardConcatenate(op); })
      .Case([&](ReduceOp op) { return guardReduce(op), success(); })
      .Case([&](ArgmaxOp op) { return mask(op.getOperandMutable(), {int64_t(op.getDim())}, Fill::Lowest), success(); })
      .Case([&](ArgminOp op) { return mask(op.getOperandMutable(), {int64_t(op.getDim())}, Fill::Highest), success(); })
      .Case([&](DotGeneralOp op) { return guardDot(op); })
      .Case([&](CumulativeOp op) { return guardCumulative(op); })
      .Case([&](LinearRecurrenceOp op) { return guardRecurrence(op); })
      .Case([&](SortOp op) { return guardSort(op); })
      .Case([&](ArgsortOp op) { return guardSort(op); })
      .Case([&](TopKOp op) { return guardTopK(op); })
      .Case([&](GatherOp op) { return guardGather(op); })
      .Case([&](ScatterOp op) { return guardScatter(op); })
      .Case([&](DynamicSliceOp op) { return guardDynamicSlice(op); })
      .Case([&](DynamicUpdateSliceOp op) { return guardDynamicUpdate(op); })
      .Case<ReduceWindowOp, WindowIndexOp, WindowGatherOp>(
          [&](auto op) { return guardWindow(op.getWindow(), op.getOperand()); })
      .Case([&](ConvOp op) { return guardConvolution(op); })
      .Case<TriangularSolveOp, CholeskyOp>([&](auto) { return guardMatrices(); })
      .Case([&](ScanOp op) { return guardScan(op); })
      .Case([&](func::ReturnOp op) { return guardReturn(op); })
      .Default([&](Operation *op) { return refuse(op->getName().getStringRef()); });
}

LogicalResult datasizes::guard(Operation *op, const DecidedSizes &sizes) { return Guard(op, sizes).run(); }
