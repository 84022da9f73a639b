// Loops, memory accesses and arithmetic at a builder's insertion point, from which all kernel code is built.
#ifndef LATHE_CODEGEN_POINTS_CODEFRAME_H
#define LATHE_CODEGEN_POINTS_CODEFRAME_H

#include "codegen/Points/PointEvaluator.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace lathe {

/// Emits loops, memory accesses and arithmetic at the builder's insertion point.
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
  using Step = llvm::function_ref<Carry(mlir::Value, mlir::ValueRange)>;
  void loop(mlir::Value low, mlir::Value high, int64_t step, llvm::function_ref<void(mlir::Value)> body);
  /// Emits a loop that carries values from step to step. Returns the last ones.
  Carry loop(mlir::Value low, mlir::Value high, int64_t step, mlir::ValueRange init, Step body);
  Carry loop(mlir::Value low, mlir::Value high, mlir::ValueRange init, Step body) { return loop(low, high, 1, init, body); }

  /// Emits `body` under a condition.
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  /// Emits code for both cases of a condition.
  void choose(mlir::Value condition, llvm::function_ref<void()> first, llvm::function_ref<void()> second);
  /// The same with values: returns those of the case that holds.
  Carry branch(mlir::Value condition, mlir::TypeRange types, llvm::function_ref<Carry()> first,
               llvm::function_ref<Carry()> second);
  mlir::Value either(mlir::Value condition, mlir::Type type, llvm::function_ref<mlir::Value()> first,
                     llvm::function_ref<mlir::Value()> second);
  mlir::Value isNot(mlir::Value condition);

  mlir::Value divide(mlir::Value x, int64_t divisor);
  mlir::Value divide(mlir::Value x, mlir::Value divisor);
  mlir::Value remainder(mlir::Value x, int64_t divisor);
  mlir::Value remainder(mlir::Value x, mlir::Value divisor);
  mlir::Value max(mlir::Value x, mlir::Value y);
  /// Returns x / divisor, rounded up.
  mlir::Value divideUp(mlir::Value x, int64_t divisor) { return divide(eval.add(x, eval.i64(divisor - 1)), divisor); }

  /// Allocates `count` elements on the stack. Must be called before the first loop.
  mlir::Value stack(mlir::Type element, int64_t count);
  /// Returns buffer + offset elements.
  mlir::Value at(mlir::Value buffer, mlir::Type element, mlir::Value offset);
  mlir::Value at(mlir::Value buffer, mlir::Type element, int64_t offset);
  /// Loads or stores one element, or eval.lanes of them with lanes outside eval.tail masked off.
  mlir::Value loadOne(mlir::Value from, mlir::Type element);
  mlir::Value loadLanes(mlir::Value from, mlir::Type element);
  void storeOne(mlir::Value value, mlir::Value to);
  void storeLanes(mlir::Value value, mlir::Value to);
  /// Returns total + x * y in all lanes, as a fused multiply-add if the target has one.
  mlir::Value multiplyAdd(mlir::Value x, mlir::Value y, mlir::Value total);
  void close() { mlir::LLVM::ReturnOp::create(b, loc, mlir::ValueRange()); }
};

} // namespace lathe

#endif
