// Loops, memory and sums at a builder's place: what all code of kernels is written with.
#ifndef LATHE_CODEGEN_POINTS_CODEFRAME_H
#define LATHE_CODEGEN_POINTS_CODEFRAME_H

#include "codegen/Points/PointEvaluator.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace lathe {

/// Loops, memory and sums at the builder's place.
class CodeFrame {
public:
  CodeFrame(mlir::OpBuilder &builder, mlir::Location location, const VectorTarget &target)
      : b(builder), loc(location), target(target), eval(builder, location, target, buffers) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  const VectorTarget &target;
  Buffers buffers;
  PointEvaluator eval;

  using Carry = llvm::SmallVector<mlir::Value>;
  void loop(mlir::Value low, mlir::Value high, int64_t step, llvm::function_ref<void(mlir::Value)> body);
  Carry loop(mlir::Value low, mlir::Value high, mlir::ValueRange init,
             llvm::function_ref<Carry(mlir::Value, mlir::ValueRange)> body);

  /// Code for either case of a condition.
  void choose(mlir::Value condition, llvm::function_ref<void()> first, llvm::function_ref<void()> second);
  mlir::Value isNot(mlir::Value condition);

  mlir::Value divide(mlir::Value x, int64_t divisor);
  mlir::Value divide(mlir::Value x, mlir::Value divisor);
  mlir::Value remainder(mlir::Value x, int64_t divisor);
  mlir::Value remainder(mlir::Value x, mlir::Value divisor);
  mlir::Value max(mlir::Value x, mlir::Value y);
  /// x rounded up to a multiple of divisor, divided by it.
  mlir::Value divideUp(mlir::Value x, int64_t divisor) { return divide(eval.add(x, eval.i64(divisor - 1)), divisor); }

  /// Room on the stack for so many elements; to be called before the first loop.
  mlir::Value stack(mlir::Type element, int64_t count);
  /// buffer + offset elements.
  mlir::Value at(mlir::Value buffer, mlir::Type element, mlir::Value offset);
  mlir::Value at(mlir::Value buffer, mlir::Type element, int64_t offset);
  /// One element; or eval.lanes of them, those of eval.tail alone if that is set.
  mlir::Value loadOne(mlir::Value from, mlir::Type element);
  mlir::Value loadLanes(mlir::Value from, mlir::Type element);
  void storeOne(mlir::Value value, mlir::Value to);
  void storeLanes(mlir::Value value, mlir::Value to);
  /// total + x * y in all lanes, rounded once if the target can.
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value total);
  void close() { mlir::LLVM::ReturnOp::create(b, loc, mlir::ValueRange()); }
};

} // namespace lathe

#endif
