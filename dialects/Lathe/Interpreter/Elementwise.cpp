// Elementwise ops.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Functions.h"
#include "dialects/Lathe/Interpreter/Scalars.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

template <typename T, typename F>
static Tensor map(const Tensor &x, F f) {
  using U = decltype(f(T()));
  Tensor result(elementOf<U>(), x.getShape());
  const T *from = x.data<T>();
  U *to = result.data<U>();
  for (int64_t i = 0, size = x.size(); i < size; ++i)
    to[i] = f(from[i]);
  return result;
}
template <typename F>
static Tensor mapNumber(const Tensor &x, F f) {
  return visitNumber(x.getElement(), [&](auto zero) { return map<decltype(zero)>(x, f); });
}
template <typename F>
static Tensor mapFloat(const Tensor &x, F f) {
  return visitFloat(x.getElement(), [&](auto zero) { return map<decltype(zero)>(x, f); });
}

template <typename F>
static Tensor mapBits(const Tensor &x, F f) {
  return visitBits(x.getElement(), [&](auto zero) { return map<decltype(zero)>(x, f); });
}

/// Returns the elementary floating-point function that the op computes, or null.
static const ElementaryFunction *functionOf(const Call &call) {
  bool isReal = isa<FloatType>(getElementTypeOrSelf(call.op->getResult(0).getType()));
  return isReal && call.op->hasTrait<ElementaryTrait>() ? elementaryFunction(call.op->getName().stripDialect()) : nullptr;
}

static Tensor bitcast(const Tensor &x, Element to) {
  Tensor result(to, x.getShape());
  result.getBytes() = x.getBytes();
  return result;
}

Result lathe::evaluateUnary(const Call &call) {
  if (call.operands.size() != 1 || !call.op->hasTrait<ElementwiseTrait>())
    return std::nullopt;
  const Tensor &x = call.operand();
  if (const ElementaryFunction *function = functionOf(call)) {
    auto polygamma = dyn_cast<PolygammaOp>(call.op);
    double order = polygamma ? double(polygamma.getOrder()) : 0;
    return mapFloat(x, [&](auto v) { return (*function)(v, decltype(v)(order)); });
  }
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](NegOp) { return mapNumber(x, [](auto v) { return scalar::neg(v); }); })
      .Case([&](AbsOp) { return mapNumber(x, [](auto v) { return scalar::abs(v); }); })
      .Case([&](SignOp) { return mapNumber(x, [](auto v) { return scalar::sign(v); }); })
      .Case([&](SqrtOp) { return mapFloat(x, [](auto v) { return std::sqrt(v); }); })
      .Case([&](FloorOp) { return mapFloat(x, [](auto v) { return std::floor(v); }); })
      .Case([&](CeilOp) { return mapFloat(x, [](auto v) { return std::ceil(v); }); })
      .Case([&](RoundOp) { return mapFloat(x, [](auto v) { return std::nearbyint(v); }); })
      .Case([&](TruncOp) { return mapFloat(x, [](auto v) { return std::trunc(v); }); })
      .Case([&](RoundHalfAwayOp) { return mapFloat(x, [](auto v) { return scalar::roundHalfAway(v); }); })
      .Case([&](IsNanOp) { return mapFloat(x, [](auto v) { return std::isnan(v); }); })
      .Case([&](IsInfOp) { return mapFloat(x, [](auto v) { return std::isinf(v); }); })
      .Case([&](IsFiniteOp) { return mapFloat(x, [](auto v) { return std::isfinite(v); }); })
      .Case([&](PopcountOp) { return mapBits(x, [](auto v) { return scalar::popcount(v); }); })
      .Case([&](CountLeadingZerosOp) { return mapBits(x, [](auto v) { return scalar::countLeadingZeros(v); }); })
      .Case([&](CountTrailingZerosOp) { return mapBits(x, [](auto v) { return scalar::countTrailingZeros(v); }); })
      .Case([&](BitcastOp op) { return bitcast(x, *elementOf(op.getTo())); })
      .Case([&](NotOp) {
        return visitInteger(x.getElement(),
                            [&](auto zero) { return map<decltype(zero)>(x, [](auto v) { return scalar::invert(v); }); });
      })
      .Case([&](StopGradientOp) { return x; })
      .Case([&](ConvertOp op) { return convert(x, *elementOf(op.getTo())); })
      .Default([](Operation *) { return std::nullopt; });
}

// ---- Two and three operands

/// Applies implicit broadcasts, which import makes explicit.
static Tensor stretched(const Tensor &x, ArrayRef<int64_t> shape) {
  auto dims = llvm::to_vector(llvm::seq<int64_t>(shape.size() - x.getRank(), shape.size()));
  return broadcast(x, dims, shape);
}

template <typename T, typename F>
static Tensor zip(const Tensor &a, const Tensor &b, F f) {
  using U = decltype(f(T(), T()));
  Tensor result(elementOf<U>(), a.getShape());
  const T *left = a.data<T>(), *right = b.data<T>();
  U *to = result.data<U>();
  for (int64_t i = 0, size = a.size(); i < size; ++i)
    to[i] = f(left[i], right[i]);
  return result;
}
template <typename F>
static Tensor zipNumber(const Tensor &a, const Tensor &b, F f) {
  return visitNumber(a.getElement(), [&](auto zero) { return zip<decltype(zero)>(a, b, f); });
}
template <typename F>
static Tensor zipFloat(const Tensor &a, const Tensor &b, F f) {
  return visitFloat(a.getElement(), [&](auto zero) { return zip<decltype(zero)>(a, b, f); });
}
template <typename F>
static Tensor zipInteger(const Tensor &a, const Tensor &b, F f) {
  return visitInteger(a.getElement(), [&](auto zero) { return zip<decltype(zero)>(a, b, f); });
}
template <typename F>
static Tensor zipBits(const Tensor &a, const Tensor &b, F f) {
  return visitBits(a.getElement(), [&](auto zero) { return zip<decltype(zero)>(a, b, f); });
}

/// Applies f(a, b, c) elementwise; with two operands c is the first one again.
template <typename T, typename F>
static Tensor zipThree(ArrayRef<const Tensor *> operands, F f) {
  const Tensor &a = *operands[0], &b = *operands[1], &c = *operands[operands.size() > 2 ? 2 : 0];
  Tensor result(a.getElement(), a.getShape());
  for (int64_t i = 0, size = a.size(); i < size; ++i)
    result.data<T>()[i] = f(a.data<T>()[i], b.data<T>()[i], c.data<T>()[i]);
  return result;
}

static Tensor ldexp(const Tensor &x, const Tensor &exponent) {
  return visitFloat(x.getElement(), [&](auto zero) {
    return visitOneOf<int32_t, int64_t>(exponent.getElement(), [&](auto integer) {
      Tensor result(x.getElement(), x.getShape());
      for (int64_t i = 0, size = x.size(); i < size; ++i)
        result.data<decltype(zero)>()[i] = scalar::ldexp(x.data<decltype(zero)>()[i], exponent.data<decltype(integer)>()[i]);
      return result;
    });
  });
}

static Tensor compare(CompareKind kind, const Tensor &a, const Tensor &b) {
  return visitComputable(a.getElement(), [&](auto zero) {
    using T = decltype(zero);
    switch (kind) {
    case CompareKind::EQ:
      return zip<T>(a, b, [](T x, T y) { return x == y; });
    case CompareKind::NE:
      return zip<T>(a, b, [](T x, T y) { return x != y; });
    case CompareKind::LT:
      return zip<T>(a, b, [](T x, T y) { return x < y; });
    case CompareKind::LE:
      return zip<T>(a, b, [](T x, T y) { return x <= y; });
    case CompareKind::GT:
      return zip<T>(a, b, [](T x, T y) { return x > y; });
    case CompareKind::GE:
      return zip<T>(a, b, [](T x, T y) { return x >= y; });
    }
    return Tensor();
  });
}

static Tensor select(const Tensor &predicate, const Tensor &onTrue, const Tensor &onFalse) {
  Tensor result(onTrue.getElement(), onTrue.getShape());
  visitAny(onTrue.getElement(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0, size = result.size(); i < size; ++i)
      result.data<T>()[i] = predicate.data<bool>()[i] ? onTrue.data<T>()[i] : onFalse.data<T>()[i];
    return true;
  });
  return result;
}

Result lathe::evaluateBinary(const Call &call) {
  if (call.operands.size() < 2 || !call.op->hasTrait<ElementwiseTrait>())
    return std::nullopt;
  SmallVector<Tensor> copies;
  SmallVector<const Tensor *> operands = call.operands;
  copies.reserve(operands.size());
  for (const Tensor *&operand : operands)
    if (operand->getShape() != ArrayRef<int64_t>(call.shape))
      operand = &copies.emplace_back(stretched(*operand, call.shape));
  const Tensor &a = *operands[0], &b = *operands[1];
  if (const ElementaryFunction *function = functionOf(call))
    return visitFloat(a.getElement(), [&](auto zero) { return zipThree<decltype(zero)>(operands, *function); });
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](AddOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::add(x, y); }); })
      .Case([&](SubOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::sub(x, y); }); })
      .Case([&](MulOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::mul(x, y); }); })
      .Case([&](DivOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::div(x, y); }); })
      .Case([&](RemOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::rem(x, y); }); })
      .Case([&](FloorDivOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::floorDiv(x, y); }); })
      .Case([&](FloorModOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::floorMod(x, y); }); })
      .Case([&](PowOp) { return zipBits(a, b, [](auto x, auto y) { return scalar::pow(x, y); }); }) // of integers
      .Case([&](CopysignOp) { return zipFloat(a, b, [](auto x, auto y) { return std::copysign(x, y); }); })
      .Case([&](NextafterOp) { return zipFloat(a, b, [](auto x, auto y) { return scalar::nextafter(x, y); }); })
      .Case([&](LdexpOp) { return ldexp(a, b); })
      .Case([&](ClampOp) {
        return visitNumber(a.getElement(), [&](auto zero) {
          return zipThree<decltype(zero)>(operands, [](auto low, auto x, auto high) { return scalar::clamp(low, x, high); });
        });
      })
      .Case([&](MaxOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::max(x, y); }); })
      .Case([&](MinOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::min(x, y); }); })
      .Case([&](AndOp) { return zipInteger(a, b, [](auto x, auto y) { return decltype(x)(x & y); }); })
      .Case([&](OrOp) { return zipInteger(a, b, [](auto x, auto y) { return decltype(x)(x | y); }); })
      .Case([&](XorOp) { return zipInteger(a, b, [](auto x, auto y) { return decltype(x)(x ^ y); }); })
      .Case([&](ShiftLeftOp) { return zipBits(a, b, [](auto x, auto y) { return scalar::shiftLeft(x, y); }); })
      .Case([&](ShiftRightOp) { return zipBits(a, b, [](auto x, auto y) { return scalar::shiftRight(x, y); }); })
      .Case([&](ShiftRightArithmeticOp) {
        return zipBits(a, b, [](auto x, auto y) { return scalar::shiftRightArithmetic(x, y); });
      })
      .Case([&](CompareOp op) { return compare(op.getKind(), a, b); })
      .Case([&](SelectOp) { return select(a, b, *operands[2]); })
      .Default([](Operation *) { return std::nullopt; });
}
