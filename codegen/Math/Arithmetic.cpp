#include "codegen/Math/Arithmetic.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace lathe::elementary {

namespace {

template <typename Op, typename Result, typename Operand, typename... More>
Result emit(Operand first, More... more) {
  return {{first.emitter, Op::create(first.emitter->builder, first.emitter->loc, first.value, more.value...)}};
}

Mask compare(arith::CmpFPredicate predicate, Real a, Real b) {
  return {{a.emitter, arith::CmpFOp::create(a.emitter->builder, a.emitter->loc, predicate, a.value, b.value)}};
}

Mask compare(arith::CmpIPredicate predicate, Bits a, Bits b) {
  return {{a.emitter, arith::CmpIOp::create(a.emitter->builder, a.emitter->loc, predicate, a.value, b.value)}};
}

/// Creates a constant of a scalar or vector type.
Value constant(Emitter &emitter, Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    element = DenseElementsAttr::get(vector, cast<Attribute>(element));
  return arith::ConstantOp::create(emitter.builder, emitter.loc, element);
}

/// Returns `lanes` lanes from `first` on; lanes past the end repeat the last one.
Value slice(OpBuilder &b, Location loc, Value of, int64_t first, int64_t lanes) {
  int64_t last = cast<VectorType>(of.getType()).getNumElements() - 1;
  SmallVector<int64_t> chosen;
  for (int64_t lane = first; lane < first + lanes; ++lane)
    chosen.push_back(std::min(lane, last));
  return vector::ShuffleOp::create(b, loc, of, of, chosen);
}

/// Concatenates vectors of equal length.
Value join(OpBuilder &b, Location loc, ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  Value front = join(b, loc, parts.take_front(parts.size() / 2)), back = join(b, loc, parts.drop_front(parts.size() / 2));
  int64_t both = cast<VectorType>(front.getType()).getNumElements() + cast<VectorType>(back.getType()).getNumElements();
  return vector::ShuffleOp::create(b, loc, front, back, llvm::to_vector(llvm::seq<int64_t>(0, both)));
}

} // namespace

Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.clone(element);
  return element;
}

Mask Mask::operator&(Mask other) const { return emit<arith::AndIOp, Mask>(*this, other); }
Mask Mask::operator|(Mask other) const { return emit<arith::OrIOp, Mask>(*this, other); }
Mask Mask::operator!() const {
  Mask all = {{emitter, constant(*emitter, type(), emitter->builder.getBoolAttr(true))}};
  return emit<arith::XOrIOp, Mask>(*this, all);
}

Value Mask::any() const {
  if (!isa<VectorType>(type()))
    return value;
  return vector::ReductionOp::create(emitter->builder, emitter->loc, vector::CombiningKind::OR, value);
}

Bits Bits::like(int64_t number) const {
  unsigned width = getElementTypeOrSelf(type()).getIntOrFloatBitWidth();
  APInt bits(64, static_cast<uint64_t>(number));
  return {{emitter, constant(*emitter, type(), IntegerAttr::get(getElementTypeOrSelf(type()), bits.trunc(width)))}};
}

Bits Bits::operator+(Bits other) const { return emit<arith::AddIOp, Bits>(*this, other); }
Bits Bits::operator-(Bits other) const { return emit<arith::SubIOp, Bits>(*this, other); }
Bits Bits::operator&(Bits other) const { return emit<arith::AndIOp, Bits>(*this, other); }
Bits Bits::operator|(Bits other) const { return emit<arith::OrIOp, Bits>(*this, other); }
Bits Bits::operator^(Bits other) const { return emit<arith::XOrIOp, Bits>(*this, other); }
Bits Bits::operator<<(int64_t count) const { return emit<arith::ShLIOp, Bits>(*this, like(count)); }
Bits Bits::operator>>(int64_t count) const { return emit<arith::ShRUIOp, Bits>(*this, like(count)); }
Mask Bits::operator==(int64_t number) const { return compare(arith::CmpIPredicate::eq, *this, like(number)); }
Mask Bits::operator!=(int64_t number) const { return compare(arith::CmpIPredicate::ne, *this, like(number)); }

Real Bits::real() const {
  OpBuilder &builder = emitter->builder;
  bool narrow = getElementTypeOrSelf(type()).isInteger(32);
  Type element = narrow ? Type(builder.getF32Type()) : Type(builder.getF64Type());
  return {{emitter, arith::BitcastOp::create(builder, emitter->loc, withElement(type(), element), value)}};
}

double Real::infinity() const { return std::numeric_limits<double>::infinity(); }

Real Real::like(double number) const {
  return {{emitter, constant(*emitter, type(), emitter->builder.getFloatAttr(getElementTypeOrSelf(type()), number))}};
}

Bits Real::bits() const {
  Type element = emitter->builder.getIntegerType(isSingle() ? 32 : 64);
  return {{emitter, arith::BitcastOp::create(emitter->builder, emitter->loc, withElement(type(), element), value)}};
}

Real Real::operator-() const { return emit<arith::NegFOp, Real>(*this); }
Mask Real::operator<(Real other) const { return compare(arith::CmpFPredicate::OLT, *this, other); }
Mask Real::operator>=(Real other) const { return compare(arith::CmpFPredicate::OGE, *this, other); }
Mask Real::operator==(Real other) const { return compare(arith::CmpFPredicate::OEQ, *this, other); }
Mask Real::operator!=(Real other) const { return compare(arith::CmpFPredicate::UNE, *this, other); }

Real operator+(Real a, Real b) { return emit<arith::AddFOp, Real>(a, b); }
Real operator-(Real a, Real b) { return emit<arith::SubFOp, Real>(a, b); }
Real operator*(Real a, Real b) { return emit<arith::MulFOp, Real>(a, b); }
Real operator/(Real a, Real b) { return emit<arith::DivFOp, Real>(a, b); }

Real fma(Real a, Real b, Real c) {
  if (!a.emitter->hasFMA)
    return a * b + c;
  return emit<math::FmaOp, Real>(a, b, c);
}

Real productError(Real a, Real b, Real product) {
  if (a.emitter->hasFMA)
    return fma(a, b, -product);
  // Split the factors by masks, since Dekker's multiplication would overflow. In this order only the last sum is rounded.
  int64_t mask = a.isSingle() ? ~int64_t(0xfff) : ~int64_t(0x7ffffff);
  Real aHigh = (a.bits() & mask).real(), bHigh = (b.bits() & mask).real();
  Real aLow = a - aHigh, bLow = b - bHigh;
  return ((aHigh * bHigh - product) + aLow * bHigh + aHigh * bLow) + aLow * bLow;
}

Pair product(Real a, Real b) {
  Real high = a * b;
  return {high, productError(a, b, high)};
}

Pair product(Pair a, Pair b) {
  Pair main = product(a.high, b.high);
  return {main.high, main.low + fma(a.high, b.low, a.low * b.high)};
}

Pair exactSum(Real a, Real b) {
  Real sum = a + b, ofB = sum - a;
  return {sum, (a - (sum - ofB)) + (b - ofB)};
}

Pair exactSumOrdered(Real a, Real b) {
  Real sum = a + b;
  return {sum, b - (sum - a)};
}

RoundedInteger roundBiased(Real x) {
  double magic = std::ldexp(1.5, x.fractionBits()) + x.exponentBias();
  Real shifted = x + magic;
  return {shifted - magic, shifted.bits()};
}

Real select(Mask mask, Real yes, Real no) { return emit<arith::SelectOp, Real>(mask, yes, no); }
Bits select(Mask mask, Bits yes, Bits no) { return emit<arith::SelectOp, Bits>(mask, yes, no); }
Real abs(Real x) { return emit<math::AbsFOp, Real>(x); }
Real sqrt(Real x) { return emit<math::SqrtOp, Real>(x); }
Real trunc(Real x) { return emit<math::TruncOp, Real>(x); }
Real roundEven(Real x) { return emit<math::RoundEvenOp, Real>(x); }
Real copysign(Real magnitude, Real sign) { return emit<math::CopySignOp, Real>(magnitude, sign); }

Real widen(Real x) {
  Type type = withElement(x.type(), x.emitter->builder.getF64Type());
  return {{x.emitter, arith::ExtFOp::create(x.emitter->builder, x.emitter->loc, type, x.value)}};
}

Real narrow(Real x) {
  Type type = withElement(x.type(), x.emitter->builder.getF32Type());
  return {{x.emitter, arith::TruncFOp::create(x.emitter->builder, x.emitter->loc, type, x.value)}};
}

/// Returns the lanes of the scaling instruction's registers.
static int64_t scaledLanes(Real x) { return 512 / getElementTypeOrSelf(x.type()).getIntOrFloatBitWidth(); }

bool scalesAtOnce(Real x) {
  auto type = dyn_cast<VectorType>(x.type());
  return x.emitter->hasScale && type && type.getNumElements() % scaledLanes(x) == 0;
}

Real scaleAtOnce(Real x, Real n) {
  OpBuilder &b = x.emitter->builder;
  Location loc = x.emitter->loc;
  auto type = cast<VectorType>(x.type());
  int64_t lanes = scaledLanes(x);
  VectorType whole = VectorType::get(lanes, type.getElementType());
  Value all = arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getIntegerType(lanes), -1));
  Value rounding = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(4)); // use the current rounding mode
  StringAttr name = b.getStringAttr(x.isSingle() ? "llvm.x86.avx512.mask.scalef.ps.512" : "llvm.x86.avx512.mask.scalef.pd.512");
  SmallVector<Value> parts;
  for (int64_t first = 0; first < type.getNumElements(); first += lanes) {
    Value m = slice(b, loc, x.value, first, lanes);
    parts.push_back(LLVM::CallIntrinsicOp::create(b, loc, whole, name,
                                                  ValueRange{m, slice(b, loc, n.value, first, lanes), m, all, rounding})
                        ->getResult(0));
  }
  return {{x.emitter, join(b, loc, parts)}};
}

/// Returns table[index & (table.size() - 1)], computed by selects.
static Real lookupBySelects(Bits index, ArrayRef<double> table, Real of) {
  if (table.size() == 1)
    return of.like(table.front());
  size_t half = table.size() / 2;
  Real low = lookupBySelects(index, table.take_front(half), of), high = lookupBySelects(index, table.drop_front(half), of);
  return select((index & static_cast<int64_t>(half)) != 0, high, low);
}

Real lookup(Bits index, ArrayRef<double> table) {
  int64_t lanes = index.emitter->lookupLanes;
  auto type = dyn_cast<VectorType>(index.type());
  if (!lanes || !type)
    return lookupBySelects(index, table, index.real());
  OpBuilder &b = index.emitter->builder;
  Location loc = index.emitter->loc;
  // For sixteen lanes the table is repeated: the instruction uses one more bit of the index.
  int64_t count = type.getNumElements();
  if (count % lanes)
    lanes = table.size();
  VectorType whole = VectorType::get(lanes, b.getF32Type());
  SmallVector<float> entries;
  for (int64_t i = 0; i < lanes; ++i)
    entries.push_back(static_cast<float>(table[i % table.size()]));
  Value constant = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(whole, ArrayRef<float>(entries)));
  StringAttr name = b.getStringAttr(lanes == 16 ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx2.permps");
  SmallVector<Value> parts;
  for (int64_t first = 0; first < count; first += lanes)
    parts.push_back(
        LLVM::CallIntrinsicOp::create(b, loc, whole, name, ValueRange{constant, slice(b, loc, index.value, first, lanes)})
            ->getResult(0));
  return {{index.emitter, slice(b, loc, join(b, loc, parts), 0, count)}};
}

Real raise(Real x, double low) {
  // In this operand order the select is one max instruction, which returns its second operand for a NaN.
  Real lowest = x.like(low);
  return select(lowest > x, lowest, x);
}

Real clamp(Real x, double low, double high) {
  Real raised = raise(x, low), highest = x.like(high); // one min instruction, likewise
  return select(highest < raised, highest, raised);
}

Real polynomial(Real x, ArrayRef<double> coefficients) {
  Real sum = x.like(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

Real polynomial(Real x, size_t count, llvm::function_ref<Real(size_t)> coefficient) {
  Real sum = coefficient(count - 1);
  for (size_t i = count - 1; i-- > 0;)
    sum = fma(sum, x, coefficient(i));
  return sum;
}

Real polynomial(Real x, Mask mask, ArrayRef<double> yes, ArrayRef<double> no) {
  return polynomial(x, yes.size(), [&](size_t i) { return select(mask, yes[i], x.like(no[i])); });
}

Real ifAny(Mask mask, Real otherwise, llvm::function_ref<Real()> body) {
  OpBuilder &builder = mask.emitter->builder;
  Location loc = mask.emitter->loc;
  auto branch = scf::IfOp::create(builder, loc, TypeRange{otherwise.type()}, mask.any(), true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, select(mask, body(), otherwise).value);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, otherwise.value);
  return {{mask.emitter, branch.getResult(0)}};
}

} // namespace lathe::elementary
