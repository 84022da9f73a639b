// Arithmetic on MLIR values that reads like arithmetic: floats, integers of the same width, and masks.
// Every operator emits one op; a plain number becomes a constant of the other operand's type.
#ifndef LATHE_CODEGEN_MATH_ARITHMETIC_H
#define LATHE_CODEGEN_MATH_ARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace lathe::elementary {

/// A scalar or vector type with other elements.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// Where the operations go.
struct Emitter {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  bool hasFMA;
  bool hasScale = false;   // AVX-512's x 2^n
  int64_t lookupLanes = 0; // see MathTarget
};

struct Lane {
  Emitter *emitter;
  mlir::Value value;
  mlir::Type type() const { return value.getType(); }
};

struct Mask : Lane {
  /// One i1: whether any lane is set.
  mlir::Value any() const;
  Mask operator&(Mask other) const;
  Mask operator|(Mask other) const;
  Mask operator!() const;
};

struct Real;

/// Integers as wide as the float type: i32 beside f32, i64 beside f64.
struct Bits : Lane {
  Bits like(int64_t number) const;
  Bits operator+(Bits other) const;
  Bits operator-(Bits other) const;
  Bits operator&(Bits other) const;
  Bits operator|(Bits other) const;
  Bits operator^(Bits other) const;
  Bits operator+(int64_t number) const { return *this + like(number); }
  Bits operator-(int64_t number) const { return *this - like(number); }
  Bits operator&(int64_t number) const { return *this & like(number); }
  Bits operator|(int64_t number) const { return *this | like(number); }
  Bits operator<<(int64_t count) const;
  /// Logical: AVX2 has no arithmetic shift of 64 bits.
  Bits operator>>(int64_t count) const;
  Mask operator==(int64_t number) const;
  Mask operator!=(int64_t number) const;
  /// The same bits as a float.
  Real real() const;
};

struct Real : Lane {
  bool isSingle() const { return mlir::getElementTypeOrSelf(type()).isF32(); }
  /// Explicit fraction bits of the type: 23 or 52.
  int fractionBits() const { return isSingle() ? 23 : 52; }
  int exponentBias() const { return isSingle() ? 127 : 1023; }
  double infinity() const;
  /// The number that fits the type.
  double pick(double single, double dbl) const { return isSingle() ? single : dbl; }
  llvm::ArrayRef<double> pick(llvm::ArrayRef<double> single, llvm::ArrayRef<double> dbl) const {
    return isSingle() ? single : dbl;
  }
  Real like(double number) const;
  Bits bits() const;
  Real operator-() const;

  Mask operator<(Real other) const;
  Mask operator>(Real other) const { return other < *this; }
  Mask operator>=(Real other) const;
  Mask operator==(Real other) const;
  /// True for NaN too.
  Mask operator!=(Real other) const;
  Mask isNaN() const { return *this != *this; }
  /// The bit of the sign alone.
  Bits signBit() const { return bits() & (int64_t(1) << (isSingle() ? 31 : 63)); }
};

Real operator+(Real a, Real b);
Real operator-(Real a, Real b);
Real operator*(Real a, Real b);
Real operator/(Real a, Real b);
inline Real operator+(Real a, double b) { return a + a.like(b); }
inline Real operator-(Real a, double b) { return a - a.like(b); }
inline Real operator*(Real a, double b) { return a * a.like(b); }
inline Real operator/(Real a, double b) { return a / a.like(b); }
inline Real operator+(double a, Real b) { return b.like(a) + b; }
inline Real operator-(double a, Real b) { return b.like(a) - b; }
inline Real operator*(double a, Real b) { return b.like(a) * b; }
inline Real operator/(double a, Real b) { return b.like(a) / b; }
inline Mask operator<(Real a, double b) { return a < a.like(b); }
inline Mask operator>(Real a, double b) { return a > a.like(b); }
inline Mask operator>=(Real a, double b) { return a >= a.like(b); }
inline Mask operator==(Real a, double b) { return a == a.like(b); }
inline Mask operator!=(Real a, double b) { return a != a.like(b); }

/// a * b + c, rounded once where the target has FMA and twice where not.
Real fma(Real a, Real b, Real c);
inline Real fma(Real a, double b, Real c) { return fma(a, a.like(b), c); }
inline Real fma(Real a, Real b, double c) { return fma(a, b, a.like(c)); }
inline Real fma(Real a, double b, double c) { return fma(a, a.like(b), a.like(c)); }

/// a + b = high + low exactly.
struct Pair {
  Real high, low;
};
Pair exactSum(Real a, Real b);
/// The same for a = 0 or |a| >= |b|.
Pair exactSumOrdered(Real a, Real b);

/// a * b, and the error of that. Of two pairs without the product of the low parts.
Pair product(Real a, Real b);
Pair product(Pair a, Pair b);

/// a * b - product, exact if `product` is their rounded product and the last fraction bit of an f64 `a` is 0.
Real productError(Real a, Real b, Real product);

Real select(Mask mask, Real yes, Real no);
inline Real select(Mask mask, Real yes, double no) { return select(mask, yes, yes.like(no)); }
inline Real select(Mask mask, double yes, Real no) { return select(mask, no.like(yes), no); }
Bits select(Mask mask, Bits yes, Bits no);

Real abs(Real x);
Real sqrt(Real x);
Real trunc(Real x);
/// Magnitude of the first, sign of the second.
Real copysign(Real magnitude, Real sign);

/// f32 as f64, and back with one rounding.
Real widen(Real x);
Real narrow(Real x);

/// x 2^n for integral n, rounded once; nothing where the target has no instruction for vectors of this length.
std::optional<Real> scaleAtOnce(Real x, Real n);

/// x limited from both sides; NaN stays NaN.
Real clamp(Real x, double low, double high);

/// The nearest integer of x for |x| < 2^(fractionBits - 2), and 2^it times a power of two, from the bits of `biased`.
struct RoundedInteger {
  Real n;
  Bits biased; // the low bits are n + bias
};
RoundedInteger roundBiased(Real x);

/// c[0] + c[1] x + c[2] x^2 + ...
Real polynomial(Real x, llvm::ArrayRef<double> coefficients);
/// The same with coefficients that differ by lane: c(0) + c(1) x + ... + c(count - 1) x^(count - 1).
Real polynomial(Real x, size_t count, llvm::function_ref<Real(size_t)> coefficient);
/// `yes` where the mask is set, else `no`, which has as many.
Real polynomial(Real x, Mask mask, llvm::ArrayRef<double> yes, llvm::ArrayRef<double> no);

/// table[index & 7] of eight f32, with an i32 for the index.
Real lookup(Bits index, llvm::ArrayRef<double> table);

/// `body` where the mask is set, else `otherwise`; one branch where no lane is.
Real ifAny(Mask mask, Real otherwise, llvm::function_ref<Real()> body);

} // namespace lathe::elementary

#endif // LATHE_CODEGEN_MATH_ARITHMETIC_H
