// Elementary functions as straight-line arithmetic on scalars and vectors.
#ifndef LATHE_CODEGEN_MATH_MATH_H
#define LATHE_CODEGEN_MATH_MATH_H

#include "mlir/IR/Builders.h"

namespace lathe::elementary {

/// The instructions that functions may use. Without FMA no math.fma is emitted, since it would become a call of fmaf.
struct MathTarget {
  bool hasFMA;
  bool hasF16C = false;    // conversions between f16 and f32
  bool hasScale = false;   // AVX-512's x 2^n
  int64_t lookupLanes = 0; // lanes of the instruction that looks up f32 in a register by index: 0, 8 (AVX2), 16 (AVX-512)
  bool hasBF16 = false;    // rounds f32 to bf16 and keeps denormals
  /// Rounds f32 to bf16 as x86's instruction does, which counts numbers below 2^-126 as zeros of their sign.
  bool flushesBF16 = false;
  /// Uses a GPU's approximations of 2^x and 1 / x for f32, in functions that have such a version: see Approximate.cpp.
  bool approximates = false;
  /// Uses the shorter functions of f32 of --math=fast: see Fast.cpp.
  bool isFast = false;
};

/// The name of exp for operands that are at most 0 or NaN.
inline constexpr llvm::StringLiteral kExpOfNonpositive = "exp_of_nonpositive";

/// Returns the value of `function`, kExpOfNonpositive or the name of an op of the dialect (table in Math.cpp). Operands have
/// one type: f32, f64, for "pow" an integer, or a vector of them with any number of lanes. `order` is that of polygamma.
///
/// No call is emitted, and lanes are independent. Infinities, signed zeros, denormal operands and results are kept; a NaN
/// operand gives a NaN. Returns null for an unknown name, a wrong operand count or another type. Maximal errors in ULP:
/// docs/math-accuracy.md; the test codegen-cpu-math checks them.
mlir::Value emitMath(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef function, mlir::ValueRange operands,
                     MathTarget target, unsigned order = 0);

/// Widens an f16 or bf16, given by its bits (i16, or a vector of them), to f32.
mlir::Value emitExtend(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value half, mlir::Type type, MathTarget target);

/// Returns the bits of an f32 or f64 rounded once to f16 or bf16, to nearest, ties to even. Denormals and NaNs are kept.
mlir::Value emitTruncate(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type type, MathTarget target);

/// Returns x / y of f32 by a GPU's approximation, within 2 ULP.
mlir::Value emitApproximateQuotient(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Value y);

/// Returns x / y for f32 values that hold f16 or bf16, such that rounding the result to `type` gives the correctly rounded
/// quotient. Uses a GPU's approximation of 1 / y.
mlir::Value emitHalfQuotient(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Value y, mlir::Type type);

/// Returns the quotient, rounded towards zero, or the remainder of vectors of integers of at most 32 bits, by a floating-point
/// division. No divisor may be 0, nor -1 if the dividend is the smallest number.
mlir::Value emitDivide(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Value y, bool isSigned,
                       bool wantsRemainder);

} // namespace lathe::elementary

#endif // LATHE_CODEGEN_MATH_MATH_H
