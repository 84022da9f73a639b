// Elementary functions as straight-line arithmetic on scalars and vectors.
#ifndef LATHE_CODEGEN_MATH_MATH_H
#define LATHE_CODEGEN_MATH_MATH_H

#include "mlir/IR/Builders.h"

namespace lathe::elementary {

/// What the functions may rely on. Without FMA nothing emits math.fma, which would become a call of fmaf.
struct MathTarget {
  bool hasFMA;
  bool hasF16C = false;    // conversions between f16 and f32
  bool hasScale = false;   // AVX-512's x 2^n
  int64_t lookupLanes = 0; // of f32 that the target's instruction takes out of a register by index: 0, 8 (AVX2), 16 (AVX-512)
  bool hasBF16 = false;    // rounding of f32 to bf16 that keeps denormals
  /// f32 by a GPU's approximations of 2^x and 1 / x, where there are such ones of the function: see Approximate.cpp.
  bool approximates = false;
};

/// Value of `function`, the name of an op of the dialect (table in Math.cpp), at operands of one type: f32, f64, for "pow" an
/// integer, or a vector of them with any number of lanes. `order` is that of polygamma.
///
/// No call is emitted and every lane is independent of its neighbours. Infinities, signed zeros, denormal operands and
/// results are kept, a NaN operand gives a NaN. Null for an unknown name, a wrong operand count or another type.
/// Largest errors in ULP: docs/math-accuracy.md; the test codegen-cpu-math holds them.
mlir::Value emitMath(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef function, mlir::ValueRange operands,
                     MathTarget target, unsigned order = 0);

/// An f16 or bf16 given by its bits (i16, or a vector of them) as f32.
mlir::Value emitExtend(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value half, mlir::Type type, MathTarget target);

/// The bits of an f32 or f64 rounded once, to nearest, ties to even, to f16 or bf16. Denormals are kept, a NaN stays one.
mlir::Value emitTruncate(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type type, MathTarget target);

/// x / y of f32 by a GPU's approximation: within 2 ULP.
mlir::Value emitApproximateQuotient(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Value y);

/// x / y for f32 that hold f16 or bf16, such that rounding it to that `type` gives the quotient rounded once; by a GPU's
/// approximation of 1 / y.
mlir::Value emitHalfQuotient(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Value y, mlir::Type type);

/// The quotient, cut off towards zero, or the remainder of vectors of integers of at most 32 bits, by a division of floats. No
/// divisor is 0, and none is -1 under the smallest number.
mlir::Value emitDivide(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value x, mlir::Value y, bool isSigned,
                       bool wantsRemainder);

} // namespace lathe::elementary

#endif // LATHE_CODEGEN_MATH_MATH_H
