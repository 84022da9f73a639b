// Elementwise ops.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Scalars.h"
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
/// A function of the C library: f32 through f64.
template <typename F>
static Tensor mapFunction(const Tensor &x, F f) {
  return visitFloat(x.getElement(), [&](auto zero) {
    using T = decltype(zero);
    return map<T>(x, [&](T value) { return T(f(double(value))); });
  });
}
template <typename F>
static Tensor mapFloat(const Tensor &x, F f) {
  return visitFloat(x.getElement(), [&](auto zero) { return map<decltype(zero)>(x, f); });
}

Result lathe::evaluateUnary(const Call &call) {
  if (call.operands.size() != 1 || !call.op->hasTrait<ElementwiseTrait>())
    return std::nullopt;
  const Tensor &x = call.operand();
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](NegOp) { return mapNumber(x, [](auto v) { return scalar::neg(v); }); })
      .Case([&](AbsOp) { return mapNumber(x, [](auto v) { return scalar::abs(v); }); })
      .Case([&](SignOp) { return mapNumber(x, [](auto v) { return scalar::sign(v); }); })
      .Case([&](ExpOp) { return mapFunction(x, [](double v) { return std::exp(v); }); })
      .Case([&](Expm1Op) { return mapFunction(x, [](double v) { return std::expm1(v); }); })
      .Case([&](LogOp) { return mapFunction(x, [](double v) { return std::log(v); }); })
      .Case([&](Log1pOp) { return mapFunction(x, [](double v) { return std::log1p(v); }); })
      .Case([&](SqrtOp) { return mapFunction(x, [](double v) { return std::sqrt(v); }); })
      .Case([&](RsqrtOp) { return mapFloat(x, [](auto v) { return scalar::rsqrt(v); }); })
      .Case([&](SinOp) { return mapFunction(x, [](double v) { return std::sin(v); }); })
      .Case([&](CosOp) { return mapFunction(x, [](double v) { return std::cos(v); }); })
      .Case([&](TanhOp) { return mapFunction(x, [](double v) { return std::tanh(v); }); })
      .Case([&](LogisticOp) { return mapFloat(x, [](auto v) { return scalar::logistic(v); }); })
      .Case([&](ErfOp) { return mapFunction(x, [](double v) { return std::erf(v); }); })
      .Case([&](FloorOp) { return mapFunction(x, [](double v) { return std::floor(v); }); })
      .Case([&](CeilOp) { return mapFunction(x, [](double v) { return std::ceil(v); }); })
      .Case([&](RoundOp) { return mapFunction(x, [](double v) { return std::nearbyint(v); }); })
      .Case([&](NotOp) {
        return visitInteger(x.getElement(),
                            [&](auto zero) { return map<decltype(zero)>(x, [](auto v) { return scalar::invert(v); }); });
      })
      .Case([&](StopGradientOp) { return x; })
      .Case([&](ConvertOp op) { return convert(x, *elementOf(op.getTo())); })
      .Default([](Operation *) { return std::nullopt; });
}

// ---- Two and three operands

/// Stretches implicit broadcasts, which import makes explicit.
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
static Tensor zipInteger(const Tensor &a, const Tensor &b, F f) {
  return visitInteger(a.getElement(), [&](auto zero) { return zip<decltype(zero)>(a, b, f); });
}
template <typename F>
static Tensor zipShift(const Tensor &a, const Tensor &b, F f) {
  return visitOneOf<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
      a.getElement(), [&](auto zero) { return zip<decltype(zero)>(a, b, f); });
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
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](AddOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::add(x, y); }); })
      .Case([&](SubOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::sub(x, y); }); })
      .Case([&](MulOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::mul(x, y); }); })
      .Case([&](DivOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::div(x, y); }); })
      .Case([&](RemOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::rem(x, y); }); })
      .Case([&](PowOp) {
        return visitFloat(a.getElement(), [&](auto zero) {
          return zip<decltype(zero)>(a, b, [](auto x, auto y) { return scalar::pow(x, y); });
        });
      })
      .Case([&](MaxOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::max(x, y); }); })
      .Case([&](MinOp) { return zipNumber(a, b, [](auto x, auto y) { return scalar::min(x, y); }); })
      .Case([&](AndOp) { return zipInteger(a, b, [](auto x, auto y) { return decltype(x)(x & y); }); })
      .Case([&](OrOp) { return zipInteger(a, b, [](auto x, auto y) { return decltype(x)(x | y); }); })
      .Case([&](XorOp) { return zipInteger(a, b, [](auto x, auto y) { return decltype(x)(x ^ y); }); })
      .Case([&](ShiftLeftOp) { return zipShift(a, b, [](auto x, auto y) { return scalar::shiftLeft(x, y); }); })
      .Case([&](ShiftRightOp) { return zipShift(a, b, [](auto x, auto y) { return scalar::shiftRight(x, y); }); })
      .Case([&](CompareOp op) { return compare(op.getKind(), a, b); })
      .Case([&](SelectOp) { return select(a, b, *operands[2]); })
      .Default([](Operation *) { return std::nullopt; });
}
