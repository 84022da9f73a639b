// What kernels with an emitter of their own share: the closure's words as values, loops, memory, the results of a tile.
#ifndef LATHE_CODEGEN_CPU_TILES_FRAME_H
#define LATHE_CODEGEN_CPU_TILES_FRAME_H

#include "codegen/CPU/LeafAccesses.h"
#include "codegen/CPU/PointEvaluator.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace lathe::cpu {

/// Loops, memory and sums at the builder's place.
class CodeFrame {
public:
  CodeFrame(mlir::OpBuilder &builder, mlir::Location location, const Target &target)
      : b(builder), loc(location), target(target), eval(builder, location, target, buffers) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  const Target &target;
  Buffers buffers;
  PointEvaluator eval;

  using Carry = llvm::SmallVector<mlir::Value>;
  void loop(mlir::Value low, mlir::Value high, int64_t step, llvm::function_ref<void(mlir::Value)> body);
  Carry loop(mlir::Value low, mlir::Value high, mlir::ValueRange init,
             llvm::function_ref<Carry(mlir::Value, mlir::ValueRange)> body);

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

/// The body of a kernel's function.
class KernelFrame : public CodeFrame {
public:
  /// Binds inputs, outputs and named dimensions.
  KernelFrame(KernelOp kernel, KernelLoops loops, mlir::LLVM::LLVMFuncOp function, const Target &target,
              mlir::OpBuilder &builder);

  mlir::LLVM::LLVMFuncOp function;
  mlir::Value begin, end; // pieces to do
  KernelLoops loops;

  /// Evaluates the kernel's results at `place`, where the hero has `value`, and stores them.
  void finish(mlir::Value hero, mlir::Value value, llvm::ArrayRef<Index> place);
  /// The buffer of a result of the kernel.
  mlir::Value output(unsigned i) const { return outputs[i]; }

private:
  llvm::SmallVector<mlir::Value> outputs;
};

/// The function of this name in the kernel's module; made if it is not there, with what `body` emits from its arguments.
/// Kernels whose inner parts are the same share them so.
mlir::LLVM::LLVMFuncOp sharedFunction(KernelFrame &frame, llvm::StringRef symbol, llvm::ArrayRef<mlir::Type> arguments,
                                      llvm::function_ref<void(CodeFrame &, llvm::ArrayRef<mlir::Value>)> body);

/// A constant array of words in the kernel's module.
class WordTable {
public:
  WordTable(KernelFrame &frame, llvm::StringRef name, llvm::ArrayRef<int32_t> words);
  /// A table that lies at an address.
  WordTable(CodeFrame &frame, mlir::Value address) : frame(frame), address(address) {}
  /// The word at `index + offset`, as i64.
  mlir::Value operator()(mlir::Value index, int64_t offset);
  mlir::Value addressOf(mlir::Value index, int64_t offset);

private:
  CodeFrame &frame;
  mlir::Value address;
};

} // namespace lathe::cpu

#endif
