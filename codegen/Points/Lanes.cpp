#include "codegen/Points/Lanes.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace lathe;

Value Lanes::i64(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }

Value Lanes::constant(Type type, double value) {
  if (auto floating = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(floating, value));
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, int64_t(value)));
}

Type Lanes::registerType(Type scalar) const { return isHalf(scalar) ? b.getIntegerType(16) : scalar; }

Value Lanes::constant(TypedAttr value) {
  if (isHalf(value.getType()))
    value = b.getIntegerAttr(registerType(value.getType()), cast<FloatAttr>(value).getValue().bitcastToAPInt());
  return arith::ConstantOp::create(b, loc, value);
}

Type Lanes::vectorOf(Type element) const { return lanes == 1 ? element : VectorType::get(lanes, element); }

Value Lanes::splat(Value value) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  Attribute constant;
  auto type = VectorType::get(lanes, value.getType());
  if (matchPattern(value, m_Constant(&constant)))
    return arith::ConstantOp::create(b, loc, SplatElementsAttr::get(type, constant));
  return vector::BroadcastOp::create(b, loc, type, value);
}

Value Lanes::iota(bool halves) {
  SmallVector<int64_t> values(lanes);
  for (unsigned i = 0; i < lanes; ++i)
    values[i] = halves ? i % (lanes / 2) : i;
  auto type = VectorType::get(lanes, b.getI64Type());
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(values)));
}

Value Lanes::join(Value low, Value high) {
  auto half = [&](Value value) -> Value {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(b, loc, VectorType::get(lanes / 2, value.getType()), value);
  };
  if (low == high && !isa<VectorType>(low.getType()))
    return splat(low);
  SmallVector<int32_t> all(lanes);
  std::iota(all.begin(), all.end(), 0);
  return LLVM::ShuffleVectorOp::create(b, loc, half(low), half(high), all);
}

Value Lanes::halfOf(Value value, bool isUpper) {
  SmallVector<int32_t> half(lanes / 2);
  std::iota(half.begin(), half.end(), isUpper ? lanes / 2 : 0);
  return LLVM::ShuffleVectorOp::create(b, loc, value, value, half);
}

Value Lanes::min(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(loc, x, y); }

Value Lanes::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  if (isa<VectorType>(x.getType()) || isa<VectorType>(y.getType())) {
    x = splat(x);
    y = splat(y);
  }
  return b.createOrFold<arith::AndIOp>(loc, x, y);
}

/// Returns floor(x / by) for a positive divisor.
static Value floorOf(Lanes &lanes, Value x, Value by) {
  Value rest = arith::RemSIOp::create(lanes.b, lanes.loc, x, by);
  Value isBelow = arith::CmpIOp::create(lanes.b, lanes.loc, arith::CmpIPredicate::slt, rest, lanes.i64(0));
  Value most = arith::SelectOp::create(lanes.b, lanes.loc, isBelow, lanes.i64(1), lanes.i64(0));
  return lanes.sub(arith::DivSIOp::create(lanes.b, lanes.loc, x, by), most);
}

/// Returns the value of a formula that the kernel gets no value of. Sizes of buffers are sums that have other formulas than the
/// sizes of their parts, although these follow from the same names.
static Value valueOfFormula(Lanes &lanes, StringRef name) {
  std::optional<DerivedDim> formula = derivedDim(name);
  if (!formula || formula->kind == DerivedDim::CeilSqrt)
    llvm::report_fatal_error("the kernel has no size '" + name + "'");
  Value first = lanes.extent(formula->operands[0]);
  Value second = formula->operands.size() == 2 ? lanes.extent(formula->operands[1]) : lanes.i64(formula->divisor);
  if (formula->hasSizeAsDivisor())
    second = arith::MaxSIOp::create(lanes.b, lanes.loc, second, lanes.i64(1));
  switch (formula->kind) {
  case DerivedDim::FloorDiv:
    return floorOf(lanes, first, second);
  case DerivedDim::CeilDiv:
    return lanes.sub(lanes.i64(0), floorOf(lanes, lanes.sub(lanes.i64(0), first), second));
  case DerivedDim::Max:
    return arith::MaxSIOp::create(lanes.b, lanes.loc, first, second);
  case DerivedDim::Min:
    return lanes.min(first, second);
  default: {
    Value isOne = arith::CmpIOp::create(lanes.b, lanes.loc, arith::CmpIPredicate::eq, first, lanes.i64(1));
    return arith::SelectOp::create(lanes.b, lanes.loc, isOne, second, first);
  }
  }
}

Value Lanes::extent(const Dim &dim) {
  Value sum;
  for (auto &[names, coefficient] : dim.getTerms()) {
    Value term = i64(coefficient);
    for (const std::string &name : names) {
      auto symbol = symbols.find(name);
      term = mul(symbol != symbols.end() ? symbol->second : valueOfFormula(*this, name), term);
    }
    sum = sum ? add(sum, term) : term;
  }
  return sum ? sum : i64(0);
}

Value Lanes::materialize(const Index &index) {
  if (index.vector)
    return index.vector;
  Value base = index.second ? join(index.base, index.second) : index.base;
  if (index.step == 0 || lanes == 1)
    return base;
  Value steps = iota(/*halves=*/bool(index.second));
  if (index.step != 1)
    steps = mul(steps, splat(i64(index.step)));
  return add(splat(base), steps);
}

/// Returns where the upper half of the lanes begins. Without a second base, all lanes of an index are the same.
static Value secondOf(const Index &index) { return index.second ? index.second : index.base; }

Index Lanes::plus(const Index &x, const Index &y) {
  if (x.vector || y.vector)
    return {{}, 0, add(splat(materialize(x)), splat(materialize(y)))};
  Value second;
  if (x.second || y.second)
    second = add(secondOf(x), secondOf(y));
  return {add(x.base, y.base), x.step + y.step, {}, second};
}

Index Lanes::times(const Index &x, Value factor) {
  IntegerAttr constant;
  if (!x.vector && (x.step == 0 || matchPattern(factor, m_Constant(&constant))))
    return {mul(x.base, factor), x.step ? x.step * constant.getInt() : 0, {}, x.second ? mul(x.second, factor) : Value()};
  return {{}, 0, mul(splat(materialize(x)), splat(factor))};
}

Index Lanes::floorDivide(const Index &x, Value divisor, bool wantRemainder) {
  Value value = materialize(x);
  bool isVector = isa<VectorType>(value.getType());
  Value by = isVector ? splat(divisor) : divisor;
  IntegerAttr constant;
  Value quotient;
  if (matchPattern(divisor, m_Constant(&constant)) && llvm::isPowerOf2_64(constant.getInt())) {
    int64_t mask = constant.getInt() - 1, bits = llvm::Log2_64(constant.getInt());
    auto number = [&](int64_t n) { return isVector ? splat(i64(n)) : i64(n); };
    Value result = wantRemainder ? b.createOrFold<arith::AndIOp>(loc, value, number(mask))
                                 : b.createOrFold<arith::ShRSIOp>(loc, value, number(bits));
    return isVector ? Index{{}, 0, result} : Index{result, 0, {}};
  }
  // Round down for negative values too: such indices are computed, but never used for a load.
  Value zero = isVector ? splat(i64(0)) : i64(0), one = isVector ? splat(i64(1)) : i64(1);
  Value negative = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, value, zero);
  Value shifted = b.createOrFold<arith::SelectOp>(loc, negative, add(sub(value, by), one), value);
  quotient = b.createOrFold<arith::DivSIOp>(loc, shifted, by);
  Value result = wantRemainder ? sub(value, mul(quotient, by)) : quotient;
  return isVector ? Index{{}, 0, result} : Index{result, 0, {}};
}

Index Lanes::evaluate(AffineExpr expr, ArrayRef<Index> dims, ArrayRef<Value> symbolValues) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return uniform(symbolValues[symbol.getPosition()]);
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return uniform(i64(constant.getValue()));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Index left = evaluate(binary.getLHS(), dims, symbolValues), right = evaluate(binary.getRHS(), dims, symbolValues);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return plus(left, right);
  case AffineExprKind::Mul:
    return right.isUniform() ? times(left, right.base) : times(right, left.base);
  case AffineExprKind::FloorDiv:
    return floorDivide(left, right.base, false);
  case AffineExprKind::Mod:
    return floorDivide(left, right.base, true);
  default:
    llvm_unreachable("accesses have no ceildiv");
  }
}

Value Lanes::holds(const Index &index, bool equality) {
  Value value = materialize(index);
  Value zero = isa<VectorType>(value.getType()) ? splat(i64(0)) : i64(0);
  auto predicate = equality ? arith::CmpIPredicate::eq : arith::CmpIPredicate::sge;
  Value condition = b.createOrFold<arith::CmpIOp>(loc, predicate, value, zero);
  IntegerAttr constant;
  if (matchPattern(condition, m_Constant(&constant)) && constant.getValue().isAllOnes())
    return {};
  return condition;
}
