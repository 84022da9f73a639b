// Single- and double-precision arithmetic.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Floats.h"

namespace standin {

void integerAdd(Build &build);
void integerSub(Build &build);
void integerMul(Build &build);
void integerMad(Build &build);
void integerDiv(Build &build, Type type);
void integerMinMax(Build &build, Type type, bool isMax);
void integerAbsNeg(Build &build, Type type, bool isAbs);
bool buildHalfArithmetic(Build &build, Type type);

namespace {
void operands(Build &build, Type type, size_t count) {
  build.expect(count, count);
  build.inst.op[0] = build.result(0, type);
  for (size_t i = 1; i < count; ++i)
    build.inst.op[i] = build.source(i, type);
}

Type peekType(const Build &build) {
  Type type, last;
  for (const auto word : build.statement.words)
    if (parseType(word, type))
      last = type;
  return last;
}

bool isHalf(Type type) { return type.kind == 'h' || (type.kind == 'f' && (type.bits == 16 || type.packed)); }
bool isFloat(Type type) { return type.kind == 'f' && !isHalf(type); }

template <class T>
constexpr auto add = [](T a, T b) { return a + b; };
template <class T>
constexpr auto sub = [](T a, T b) { return a - b; };
template <class T>
constexpr auto mul = [](T a, T b) { return a * b; };
template <class T>
constexpr auto fma = [](T a, T b, T c) { return __builtin_fma(a, b, c); };
template <>
constexpr auto fma<float> = [](float a, float b, float c) { return __builtin_fmaf(a, b, c); };
template <class T>
constexpr auto divide = [](T a, T b) { return a / b; };

// f(x) with .ftz and .sat around it, all of which vectorise.
template <class T, auto F, bool ftz, bool sat>
constexpr auto wrapped2 = [](T a, T b) -> T {
  if constexpr (ftz) {
    a = flush(a);
    b = flush(b);
  }
  T made = canonical(F(a, b));
  if constexpr (ftz)
    made = flush(made);
  return sat ? saturated(made) : made;
};
template <class T, auto F, bool ftz, bool sat>
constexpr auto wrapped3 = [](T a, T b, T c) -> T {
  if constexpr (ftz) {
    a = flush(a);
    b = flush(b);
    c = flush(c);
  }
  T made = canonical(F(a, b, c));
  if constexpr (ftz)
    made = flush(made);
  return sat ? saturated(made) : made;
};

enum Kind : u32 { Add, Sub, Mul, Fma, Div };

/// Returns an approximation of the exact value: as far off as the PTX ISA lets it be in units of the last place, by what
/// the operand's bits choose, so that nobody relies on more. Results for zeros, infinities and NaN are those of its tables.
float approximated(float exact, float operand, s64 mostUlps) {
  if (std::fpclassify(exact) != FP_NORMAL || operand == 0 || !std::isfinite(operand))
    return exact;
  const u32 chance = (floatToBits(operand) * 2654435761u) >> 8;
  const float made = bitsToFloat(static_cast<u32>(floatToBits(exact) + chance % static_cast<u64>(2 * mostUlps + 1) - mostUlps));
  return std::fpclassify(made) == FP_NORMAL ? made : exact;
}

/// div.approx, and where kind is set div.full, which scales large divisors.
void approximateDivision(Warp &warp, const Inst &inst) {
  const bool ftz = inst.kind2 & 16;
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    float a = in<float>(warp, inst.op[1])[lane], b = in<float>(warp, inst.op[2])[lane];
    a = ftz ? flush(a) : a;
    b = ftz ? flush(b) : b;
    const bool vanishes = !inst.kind && std::fabs(b) > 0x1p126f && std::isfinite(b);
    const float made = canonical(vanishes ? a * std::copysign(0.0f, b) : approximated(a / b, b, 2));
    out<float>(warp, inst.op[0])[lane] = ftz ? flush(made) : made;
  }
}

template <class T>
T oneRounded(u32 kind, T a, T b, T c, Rounding rounding) {
  switch (kind) {
  case Add:
    return roundedAdd(a, b, rounding);
  case Sub:
    return roundedAdd(a, -b, rounding);
  case Mul:
    return roundedMul(a, b, rounding);
  case Div:
    return roundedDiv(a, b, rounding);
  default:
    return roundedFma(a, b, c, rounding);
  }
}

/// kind: the operation; kind2: the rounding, 16 for .ftz, 32 for .sat.
template <class T>
void rounded(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    T a = in<T>(warp, inst.op[1])[lane], b = in<T>(warp, inst.op[2])[lane];
    T c = inst.kind == Fma ? in<T>(warp, inst.op[3])[lane] : T(0);
    if constexpr (sizeof(T) == 4)
      if (inst.kind2 & 16) {
        a = flush(a);
        b = flush(b);
        c = flush(c);
      }
    T made = canonical(oneRounded(inst.kind, a, b, c, static_cast<Rounding>(inst.kind2 & 15)));
    if constexpr (sizeof(T) == 4)
      made = inst.kind2 & 16 ? flush(made) : made;
    out<T>(warp, inst.op[0])[lane] = inst.kind2 & 32 ? saturated(made) : made;
  }
}

template <auto F>
Exec choose2(bool ftz, bool sat) {
  if (ftz)
    return sat ? binary<float, wrapped2<float, F, true, true>> : binary<float, wrapped2<float, F, true, false>>;
  return sat ? binary<float, wrapped2<float, F, false, true>> : binary<float, wrapped2<float, F, false, false>>;
}
template <auto F>
Exec choose3(bool ftz, bool sat) {
  if (ftz)
    return sat ? ternary<float, wrapped3<float, F, true, true>> : ternary<float, wrapped3<float, F, true, false>>;
  return sat ? ternary<float, wrapped3<float, F, false, true>> : ternary<float, wrapped3<float, F, false, false>>;
}

void arithmetic(Build &build, Kind kind) {
  const Type type = build.type();
  const bool ftz = build.has("ftz"), sat = build.has("sat");
  const bool full = build.has("full"), approximates = build.has("approx") || full;
  const Rounding rounding = build.rounding(Rounding::NearestEven);
  operands(build, type, kind == Fma ? 4 : 3);
  if (approximates) {
    build.inst.kind = full;
    build.inst.kind2 = ftz << 4;
    return build.emit(approximateDivision);
  }
  if (rounding != Rounding::NearestEven) {
    build.inst.kind = kind;
    build.inst.kind2 = static_cast<u32>(rounding) | ftz << 4 | sat << 5;
    return build.emit(type.bits == 64 ? rounded<double> : rounded<float>);
  }
  if (type.bits == 64) {
    static constexpr Exec runs[] = {binary<double, add<double>>, binary<double, sub<double>>, binary<double, mul<double>>,
                                    ternary<double, fma<double>>, binary<double, divide<double>>};
    return build.emit(runs[kind]);
  }
  switch (kind) {
  case Add:
    return build.emit(choose2<add<float>>(ftz, sat));
  case Sub:
    return build.emit(choose2<sub<float>>(ftz, sat));
  case Mul:
    return build.emit(choose2<mul<float>>(ftz, sat));
  case Div:
    return build.emit(choose2<divide<float>>(ftz, sat));
  case Fma:
    return build.emit(choose3<fma<float>>(ftz, sat));
  }
}

// PTX ISA, "min": the number if one is NaN, the canonical NaN with .NaN; -0 is below +0.
template <class T, bool isMax, bool keepsNan>
constexpr auto extreme = [](T a, T b) -> T {
  const T nan = sizeof(T) == 4 ? static_cast<T>(bitsToFloat(0x7fffffffu)) : std::bit_cast<double>(u64(0x7fffffffffffffff));
  if (keepsNan && (a != a || b != b))
    return nan;
  if (a != a)
    return b != b ? nan : b;
  if (b != b)
    return a;
  if (a == b)
    return std::signbit(a) == isMax ? b : a;
  return (a < b) == isMax ? b : a;
};
template <class T, bool isMax, bool keepsNan, bool ftz>
constexpr auto flushedExtreme = [](T a, T b) -> T {
  if constexpr (ftz)
    return extreme<T, isMax, keepsNan>(flush(a), flush(b));
  else
    return extreme<T, isMax, keepsNan>(a, b);
};
template <bool isMax, bool keepsNan, bool ftz>
constexpr auto extremeOfThree = [](float a, float b, float c) {
  return flushedExtreme<float, isMax, keepsNan, ftz>(flushedExtreme<float, isMax, keepsNan, ftz>(a, b), c);
};

template <bool isMax>
void minMax(Build &build) {
  const Type type = peekType(build);
  if (isHalf(type) && buildHalfArithmetic(build, type))
    return;
  if (!isFloat(type))
    return integerMinMax(build, build.type(), isMax);
  build.type();
  const bool nan = build.has("NaN"), ftz = build.has("ftz");
  if (type.bits == 32 && build.count() == 4) {
    operands(build, type, 4);
    return build.emit(
        nan ? (ftz ? ternary<float, extremeOfThree<isMax, true, true>> : ternary<float, extremeOfThree<isMax, true, false>>)
            : (ftz ? ternary<float, extremeOfThree<isMax, false, true>> : ternary<float, extremeOfThree<isMax, false, false>>));
  }
  operands(build, type, 3);
  if (type.bits == 64)
    return build.emit(binary<double, flushedExtreme<double, isMax, false, false>>);
  build.emit(nan ? (ftz ? binary<float, flushedExtreme<float, isMax, true, true>>
                        : binary<float, flushedExtreme<float, isMax, true, false>>)
                 : (ftz ? binary<float, flushedExtreme<float, isMax, false, true>>
                        : binary<float, flushedExtreme<float, isMax, false, false>>));
}

template <bool isAbs>
void absNeg(Build &build) {
  const Type type = peekType(build);
  if (isHalf(type) && buildHalfArithmetic(build, type))
    return;
  if (!isFloat(type))
    return integerAbsNeg(build, build.type(), isAbs);
  build.type();
  const bool ftz = build.has("ftz");
  operands(build, type, 2);
  constexpr u64 top = u64(1) << 63;
  if (type.bits == 64)
    return build.emit(isAbs ? unary<u64, [](u64 a) { return a & ~top; }> : unary<u64, [](u64 a) { return a ^ top; }>);
  if (ftz)
    return build.emit(isAbs ? unary<float, [](float a) { return std::fabs(flush(a)); }>
                            : unary<float, [](float a) { return -flush(a); }>);
  build.emit(isAbs ? unary<u32, [](u32 a) { return a & 0x7fffffffu; }> : unary<u32, [](u32 a) { return a ^ 0x80000000u; }>);
}

template <Kind kind>
void arithmeticOrOther(Build &build) {
  const Type type = peekType(build);
  if (isFloat(type)) {
    if (build.types().size() > 1) // add.f32.f16 and the like
      build.unknown();
    return arithmetic(build, kind);
  }
  if (isHalf(type) && buildHalfArithmetic(build, type))
    return;
  switch (kind) {
  case Add:
    return integerAdd(build);
  case Sub:
    return integerSub(build);
  case Mul:
    return integerMul(build);
  case Fma:
    return integerMad(build);
  case Div:
    return integerDiv(build, build.type());
  }
}

enum Function : u32 { Rcp, Sqrt, Rsqrt, Ex2, Lg2, Sin, Cos, Tanh };
constexpr s64 ulpsOf[] = {1, 2, 2, 2, 0, 0, 0, 0}; // of approximations; of 0 the ISA bounds another error

float evaluate(u32 function, float value, Rounding rounding) {
  const double x = value;
  switch (function) {
  case Rcp:
    return roundedDiv(1.0f, value, rounding);
  case Sqrt:
    return roundedSqrt(value, rounding);
  case Rsqrt:
    return static_cast<float>(1 / std::sqrt(x));
  case Ex2:
    return static_cast<float>(std::exp2(x));
  case Lg2:
    return static_cast<float>(std::log2(x));
  case Sin:
    return static_cast<float>(std::sin(x));
  case Cos:
    return static_cast<float>(std::cos(x));
  default:
    return static_cast<float>(std::tanh(x));
  }
}

/// kind2: the rounding, 16 for .ftz, 32 for .approx.
void runFunction(Warp &warp, const Inst &inst) {
  const bool ftz = inst.kind2 & 16;
  const s64 ulps = inst.kind2 & 32 ? ulpsOf[inst.kind] : 0;
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const float value = ftz ? flush(in<float>(warp, inst.op[1])[lane]) : in<float>(warp, inst.op[1])[lane];
    const float made = canonical(approximated(evaluate(inst.kind, value, static_cast<Rounding>(inst.kind2 & 15)), value, ulps));
    out<float>(warp, inst.op[0])[lane] = ftz ? flush(made) : made;
  }
}
void runDoubleFunction(Warp &warp, const Inst &inst) {
  for (u32 lanes = warp.mask; lanes; lanes &= lanes - 1) {
    const u32 lane = firstLane(lanes);
    const double value = in<double>(warp, inst.op[1])[lane];
    const Rounding rounding = static_cast<Rounding>(inst.kind2 & 15);
    out<double>(warp, inst.op[0])[lane] = inst.kind == Rcp    ? roundedDiv(1.0, value, rounding)
                                          : inst.kind == Sqrt ? roundedSqrt(value, rounding)
                                                              : 1 / std::sqrt(value);
  }
}

template <Function function>
void buildFunction(Build &build) {
  const Type type = peekType(build);
  if (isHalf(type) && buildHalfArithmetic(build, type))
    return;
  build.type();
  if (!isFloat(type) || (type.bits == 64 && function > Rsqrt))
    build.unknown();
  build.inst.kind = function;
  build.inst.kind2 = build.has("ftz") << 4 | build.has("approx") << 5;
  build.inst.kind2 |= static_cast<u32>(build.rounding(Rounding::NearestEven));
  operands(build, type, 2);
  build.emit(type.bits == 64 ? runDoubleFunction : runFunction);
}

template <class T>
bool tested(u32 test, T value) {
  switch (test) {
  case 0:
    return std::isfinite(value);
  case 1:
    return std::isinf(value);
  case 2:
    return value == value;
  case 3:
    return value != value;
  case 4:
    return std::fpclassify(value) == FP_NORMAL;
  default:
    return std::fpclassify(value) == FP_SUBNORMAL || value == 0;
  }
}
template <class T>
void runTest(Warp &warp, const Inst &inst) {
  u32 bits = 0;
  for (u32 lane = 0; lane < warpSize; ++lane)
    bits |= static_cast<u32>(tested(inst.kind, in<T>(warp, inst.op[1])[lane])) << lane;
  writePredicate(warp, inst.op[0], bits);
}

void testp(Build &build) {
  const int test = build.pick({"finite", "infinite", "number", "notanumber", "normal", "subnormal"}, -1);
  const Type type = build.type();
  bool ignored;
  if (test < 0)
    build.unknown();
  build.inst.kind = static_cast<u32>(test);
  build.inst.op[0] = build.predicate(build.operand(0), ignored);
  build.inst.op[1] = build.source(1, type);
  build.emit(type.bits == 64 ? runTest<double> : runTest<float>);
}

void copysign(Build &build) {
  const Type type = build.type();
  operands(build, type, 3);
  if (type.bits == 64)
    return build.emit(binary<u64, [](u64 a, u64 b) { return (a & (u64(1) << 63)) | (b & ~(u64(1) << 63)); }>);
  build.emit(binary<u32, [](u32 a, u32 b) { return (a & 0x80000000u) | (b & 0x7fffffffu); }>);
}
} // namespace

void addFloatOps(std::map<std::string_view, Builder> &ops) {
  ops["add"] = arithmeticOrOther<Add>;
  ops["sub"] = arithmeticOrOther<Sub>;
  ops["mul"] = arithmeticOrOther<Mul>;
  ops["fma"] = ops["mad"] = arithmeticOrOther<Fma>;
  ops["div"] = arithmeticOrOther<Div>;
  ops["min"] = minMax<false>;
  ops["max"] = minMax<true>;
  ops["abs"] = absNeg<true>;
  ops["neg"] = absNeg<false>;
  ops["rcp"] = buildFunction<Rcp>;
  ops["sqrt"] = buildFunction<Sqrt>;
  ops["rsqrt"] = buildFunction<Rsqrt>;
  ops["ex2"] = buildFunction<Ex2>;
  ops["lg2"] = buildFunction<Lg2>;
  ops["sin"] = buildFunction<Sin>;
  ops["cos"] = buildFunction<Cos>;
  ops["tanh"] = buildFunction<Tanh>;
  ops["testp"] = testp;
  ops["copysign"] = copysign;
}

} // namespace standin
