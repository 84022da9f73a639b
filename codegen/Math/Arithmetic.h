// Operators on MLIR values: floats, integers of the same width, and masks. Every operator emits one op; a plain number becomes
// a constant of the other operand's type.
#ifndef LATHE_CODEGEN_MATH_ARITHMETIC_H
#define LATHE_CODEGEN_MATH_ARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace lathe::elementary {

/// Returns the type with its element type replaced.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// The insertion point of the operations, and the instructions that they may use.
struct Emitter {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  bool hasFMA;
  bool hasScale = false;   // has AVX-512's x 2^n
  int64_t lookupLanes = 0; // see MathTarget
};

struct Lane {
  Emitter *emitter;
  mlir::Value value;
  mlir::Type type() const { return value.getType(); }
};

struct Mask : Lane {
  /// Returns an i1 that is true if any lane is set.
  mlir::Value any() const;
  Mask operator&(Mask other) const;
  Mask operator|(Mask other) const;
  Mask operator!() const;
};

struct Real;

/// Integers as wide as the float type: i32 with f32, i64 with f64.
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
  /// Shifts logically: AVX2 has no 64-bit arithmetic shift.
  Bits operator>>(int64_t count) const;
  Mask operator==(int64_t number) const;
  Mask operator!=(int64_t number) const;
  /// Bitcasts to a float.
  Real real() const;
};

struct Real : Lane {
  bool isSingle() const { return mlir::getElementTypeOrSelf(type()).isF32(); }
  /// Returns the explicit fraction bits of the type: 23 or 52.
  int fractionBits() const { return isSingle() ? 23 : 52; }
  int exponentBias() const { return isSingle() ? 127 : 1023; }
  double infinity() const;
  /// Returns the number or table for the type.
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
  /// Is true for NaN too.
  Mask operator!=(Real other) const;
  Mask isNaN() const { return *this != *this; }
  /// Returns the sign bit, with all other bits cleared.
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

/// Returns a * b + c, rounded once if the target has FMA, otherwise twice.
Real fma(Real a, Real b, Real c);
inline Real fma(Real a, double b, Real c) { return fma(a, a.like(b), c); }
inline Real fma(Real a, Real b, double c) { return fma(a, b, a.like(c)); }
inline Real fma(Real a, double b, double c) { return fma(a, a.like(b), a.like(c)); }

/// A sum high + low, which represents a + b exactly.
struct Pair {
  Real high, low;
};
Pair exactSum(Real a, Real b);
/// Requires a = 0 or |a| >= |b|.
Pair exactSumOrdered(Real a, Real b);

/// Returns a * b and its rounding error. The product of two pairs omits that of the low parts.
Pair product(Real a, Real b);
Pair product(Pair a, Pair b);

/// Returns a * b - product. It is exact if `product` is the rounded product and, without FMA, the last fraction bit of an f64
/// `a` is 0.
Real productError(Real a, Real b, Real product);

Real select(Mask mask, Real yes, Real no);
inline Real select(Mask mask, Real yes, double no) { return select(mask, yes, yes.like(no)); }
inline Real select(Mask mask, double yes, Real no) { return select(mask, no.like(yes), no); }
Bits select(Mask mask, Bits yes, Bits no);

Real abs(Real x);
Real sqrt(Real x);
Real trunc(Real x);
/// Rounds to the nearest integer, ties to even.
Real roundEven(Real x);
/// Returns the magnitude of the first operand with the sign of the second.
Real copysign(Real magnitude, Real sign);

/// Widens f32 to f64; narrows f64 to f32 with one rounding.
Real widen(Real x);
Real narrow(Real x);

/// True if the target has an instruction for scaleAtOnce of vectors of this length.
bool scalesAtOnce(Real x);
/// Returns x 2^n for integral n, rounded once.
Real scaleAtOnce(Real x, Real n);

/// Clamps x to [low, high]; NaN stays NaN.
Real clamp(Real x, double low, double high);
/// Returns the larger one of x and a number; NaN for NaN.
Real raise(Real x, double low);

/// The nearest integer n of x for |x| < 2^(fractionBits - 2). The bits of `biased`, shifted to the exponent, give 2^n.
struct RoundedInteger {
  Real n;
  Bits biased; // the low bits are n + bias
};
RoundedInteger roundBiased(Real x);

/// Returns c[0] + c[1] x + c[2] x^2 + ...
Real polynomial(Real x, llvm::ArrayRef<double> coefficients);
/// Evaluates a polynomial whose coefficients differ by lane: c(0) + c(1) x + ... + c(count - 1) x^(count - 1).
Real polynomial(Real x, size_t count, llvm::function_ref<Real(size_t)> coefficient);
/// Evaluates the coefficients `yes` where the mask is set, otherwise `no`, which has the same length.
Real polynomial(Real x, Mask mask, llvm::ArrayRef<double> yes, llvm::ArrayRef<double> no);

/// Returns table[index & 7] for a table of eight f32 and i32 indices.
Real lookup(Bits index, llvm::ArrayRef<double> table);

/// Returns `body` where the mask is set, otherwise `otherwise`. Branches around the body if no lane is set.
Real ifAny(Mask mask, Real otherwise, llvm::function_ref<Real()> body);

} // namespace lathe::elementary

#endif // LATHE_CODEGEN_MATH_ARITHMETIC_H
