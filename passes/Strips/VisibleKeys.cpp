// For a row of scores s, of which those of hidden keys are -inf, and for an offset r of the row, which is the largest score of
// the row, or is not -inf:
//
//   s - r               -inf at hidden keys; or r is NaN or all s are -inf, and all elements of the row are NaN
//   exp(s - r)          0 at hidden keys, or all elements are NaN; likewise times a positive number
//   sum of exp(s - r)   as without the hidden keys: adding 0 to a sum that is not negative keeps its bits
//   exp(s - r) / sum    0 at hidden keys, or all elements that are left are NaN: the sum is 0 only if all its terms are
//   exp(s - r) (1/sum)  likewise, because 1/sum is infinite only if the sum is 0: the largest term is exp(0) otherwise
//   weights * values    as without the hidden keys, if their values are finite
//
// Some key is left in any case, so that the elements that are left are some.
#include "passes/Strips/VisibleKeys.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/SkippedKeys.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace lathe;

// ---- Values

/// Returns the value of the kernels that an argument of one of them has, or else the argument.
Value VisibleKeys::resolve(Value value) const {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    auto kernel = cast<KernelOp>(argument.getOwner()->getParentOp());
    auto made = dyn_cast<OpResult>(kernel.getInputs()[argument.getArgNumber()]);
    if (!made || !isInside(made.getOwner()))
      break;
    value = cast<KernelOp>(made.getOwner()).getBody().front().getTerminator()->getOperand(made.getResultNumber());
  }
  return value;
}

/// Returns the value that a broadcast repeats.
Value VisibleKeys::spread(Value value) const {
  value = resolve(value);
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = resolve(broadcast.getOperand());
  return value;
}

bool VisibleKeys::isNumber(Value value, function_ref<bool(double)> is) const {
  auto constant = spread(value).getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
  return elements && elements.isSplat() && is(elements.getSplatValue<FloatAttr>().getValueAsDouble());
}

static bool isNever(double number) { return number == -std::numeric_limits<double>::infinity(); }

bool VisibleKeys::isOverKeys(ReduceOp reduce, ReduceKind kind) const {
  return reduce && reduce.getKind() == kind &&
         reduce.getDims() == ArrayRef<int64_t>{int64_t(dimsOf(reduce.getOperand()).size()) - 1};
}

// ---- The softmax

bool VisibleKeys::isMaskedScores(Value value) {
  auto select = resolve(value).getDefiningOp<SelectOp>();
  if (!select || (scores && scores != select))
    return false;
  scores = select;
  hidesFalse = isNumber(select.getOnFalse(), isNever);
  return hidesFalse || isNumber(select.getOnTrue(), isNever);
}

/// True if a value is the largest score of a row, or is never -inf.
bool VisibleKeys::isOffset(Value value) {
  auto isLargest = [&](Value of) {
    auto reduce = of.getDefiningOp<ReduceOp>();
    return isOverKeys(reduce, ReduceKind::Max) && resolve(reduce.getOperand()) == scores.getResult();
  };
  value = spread(value);
  if (isLargest(value))
    return true;
  auto select = value.getDefiningOp<SelectOp>();
  auto compare = select ? spread(select.getPredicate()).getDefiningOp<CompareOp>() : CompareOp();
  if (!compare || compare.getKind() != CompareKind::EQ || !isNumber(select.getOnTrue(), [](double x) { return x == 0; }))
    return false;
  value = spread(select.getOnFalse());
  hasFiniteReciprocal &= isLargest(value);
  return (spread(compare.getLhs()) == value && isNumber(compare.getRhs(), isNever)) ||
         (spread(compare.getRhs()) == value && isNumber(compare.getLhs(), isNever));
}

/// True if a value is the exponential of scores minus an offset, perhaps times a positive number.
bool VisibleKeys::isExp(Value value) {
  value = resolve(value);
  if (auto mul = value.getDefiningOp<MulOp>())
    for (unsigned i : {0, 1})
      if (isNumber(mul->getOperand(i), [](double x) { return x > 0 && std::isfinite(x); }))
        return hasFiniteReciprocal = false, isExp(mul->getOperand(1 - i));
  auto exp = value.getDefiningOp<ExpOp>();
  auto shifted = exp ? resolve(exp.getOperand()).getDefiningOp<SubOp>() : SubOp();
  return shifted && isMaskedScores(shifted.getLhs()) && isOffset(shifted.getRhs());
}

/// True if a value is the sum of a row of these exponentials, or 1 for some rows.
bool VisibleKeys::isTotal(Value value, Value exponentials) const {
  value = spread(value);
  if (auto select = value.getDefiningOp<SelectOp>()) {
    if (!isNumber(select.getOnTrue(), [](double x) { return x == 1; }))
      return false;
    value = spread(select.getOnFalse());
  }
  auto sum = value.getDefiningOp<ReduceOp>();
  return isOverKeys(sum, ReduceKind::Sum) && resolve(sum.getOperand()) == exponentials;
}

bool VisibleKeys::isWeights(Value value) {
  value = resolve(value);
  if (auto div = value.getDefiningOp<DivOp>())
    return isExp(div.getLhs()) && isTotal(div.getRhs(), resolve(div.getLhs()));
  if (auto mul = value.getDefiningOp<MulOp>())
    for (unsigned i : {0, 1})
      if (auto share = spread(mul->getOperand(i)).getDefiningOp<DivOp>())
        return isNumber(share.getLhs(), [](double x) { return x == 1; }) && isExp(mul->getOperand(1 - i)) &&
               hasFiniteReciprocal && isTotal(share.getRhs(), resolve(mul->getOperand(1 - i)));
  return isExp(value);
}

/// True if the kernels reduce scores to their maximum and weights to their sum, and nothing else.
bool VisibleKeys::hasOnlySuchReductions() {
  for (KernelOp kernel : kernels)
    for (ReduceOp reduce : kernel.getBody().getOps<ReduceOp>()) {
      bool ofScores = isOverKeys(reduce, ReduceKind::Max) && resolve(reduce.getOperand()) == scores.getResult();
      if (!ofScores && !(isOverKeys(reduce, ReduceKind::Sum) && isWeights(reduce.getOperand())))
        return false;
    }
  return true;
}

// ---- The kernels

/// Returns the dimension along which a kernel may stop early; empty if it has to compute all of it.
StringRef VisibleKeys::roleOf(KernelOp kernel) const {
  if (kernel->hasAttr(kRowsAttr))
    return kernel.getBody().getOps<DotGeneralOp>().empty() ? StringRef(kSkipsElements) : StringRef();
  auto products = kernel.getBody().getOps<DotGeneralOp>();
  if (!llvm::hasSingleElement(products) || !kernel.getBody().getOps<ReduceOp>().empty())
    return {};
  DotGeneralOp dot = *products.begin();
  Type element = getElementTypeOrSelf(dot.getType());
  if (!(element.isF32() || element.isF64()) || !isMatrixInMemory(dot, 0, 1) || !isMatrixInMemory(dot, 1, 2))
    return {};
  return dot == product ? StringRef(kSkipsDepth) : StringRef(kSkipsColumns);
}

/// Finds what computes the mask. Returns false if strips cannot read a number of keys for each of its rows.
bool VisibleKeys::setMask() {
  if (!mask.set(scores, hidesFalse, [&](BlockArgument argument) { return resolve(argument) == argument; }))
    return false;
  StripDims dims(partOf(scores->getParentOfType<KernelOp>()).ofValue(mask.getMask()));
  if (dims.pop_back_val() != kWhole)
    return false;
  llvm::erase(dims, kUnit);
  return !llvm::is_contained(dims, kWhole) && llvm::is_sorted(dims, std::less_equal<>());
}

bool VisibleKeys::find() {
  auto products = KernelOp(kernels.back()).getBody().getOps<DotGeneralOp>();
  if (products.empty())
    return false;
  product = *products.begin();
  Dim keys = dimsOf(product.getLhs()).back();
  return (!keys.isStatic() || keys.constant() >= kLeastKeys) && isWeights(product.getLhs()) && hasOnlySuchReductions() &&
         llvm::none_of(kernels, [&](KernelOp kernel) { return roleOf(kernel).empty(); }) && setMask();
}

// ---- The bounds

VisibleKeys::Bound VisibleKeys::emitLastInfinite(OpBuilder &builder) const {
  DotGeneralOp dot = product;
  KernelOp kernel = kernels.back();
  Location location = dot.getLoc();
  auto convert = dot.getRhs().getDefiningOp<ConvertOp>();
  auto argument = cast<BlockArgument>(convert ? convert.getOperand() : dot.getRhs());
  Value values = kernel.getInputs()[argument.getArgNumber()];
  StripDims dims, all(partOf(kernel).ofValue(argument));
  Dims extents = dimsOf(values), kept;
  SmallVector<int64_t> over;
  for (auto [i, dim] : llvm::enumerate(all))
    if (dim < 0)
      over.push_back(i);
    else
      dims.push_back(dim), kept.push_back(extents[i]);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = startKernel(builder, location, values, countsOf(builder, kept));
  Value each = body->getArgument(0);
  if (convert)
    each = ConvertOp::create(builder, location, each, getElementTypeOrSelf(convert.getType()));
  Value size = AbsOp::create(builder, location, each);
  TypedAttr infinity = numberAttr(getElementTypeOrSelf(each.getType()), std::numeric_limits<double>::infinity());
  Value isFinite =
      CompareOp::create(builder, location, CompareKind::LT, size, emitNumber(builder, location, extents, infinity));
  YieldOp::create(builder, location, emitLastIndex(builder, location, isFinite, false, dot.getRhsContract().front(), over));
  return {body->getParentOp()->getResult(0), dims};
}

SmallVector<VisibleKeys::Bound> VisibleKeys::emitBounds(OpBuilder &builder) const {
  StripDims ofMask(partOf(SelectOp(scores)->getParentOfType<KernelOp>()).ofValue(mask.getMask()).drop_back());
  return {{mask.emitLast(builder), ofMask}, emitLastInfinite(builder)};
}

Value VisibleKeys::emitCount(OpBuilder &builder, Location location, ValueRange bounds) {
  OpBuilder::InsertionGuard guard(builder);
  Block *body = startKernel(builder, location, bounds, countsOf(builder, {}));
  Value most = emitScalar(builder, location, builder.getI32IntegerAttr(1)); // some key is left
  for (Value bound : body->getArguments()) {
    if (!dimsOf(bound).empty())
      bound = ReduceOp::create(builder, location, ReduceKind::Max, bound, ArrayRef<int64_t>{0});
    most = MaxOp::create(builder, location, most, bound);
  }
  YieldOp::create(builder, location, most);
  return body->getParentOp()->getResult(0);
}

void VisibleKeys::limit(KernelOp whole, KernelOp inStrip, Value count) const { setSkips(inStrip, roleOf(whole), count); }
