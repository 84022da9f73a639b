// Kernels of one op that no loop nest describes: what their forms share.
#ifndef LATHE_CODEGEN_GPU_ROWS_ROWKERNEL_H
#define LATHE_CODEGEN_GPU_ROWS_ROWKERNEL_H

#include "codegen/GPU/Form.h"
#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/Points/Lines.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace lathe::gpu {

/// Neighbours that 16 bytes hold, or less where rows of this size do not begin at multiples of them.
unsigned lanesOf(KernelOp kernel, const Dim &row, mlir::Type element);

/// One function of such a kernel: its frame, and memory as elements or as aligned vectors.
class RowKernel {
public:
  /// `suffix` tells a kernel's second function from its first.
  RowKernel(KernelOp kernel, const FunctionPlace &place, unsigned threads, llvm::StringRef suffix = "",
            bool hasScratch = false);

protected:
  unsigned lanesFor(const Dim &row, mlir::Type element) const { return lanesOf(kernel, row, element); }
  mlir::Value buffer(mlir::Value operand) { return frame.buffers.lookup(operand); }
  mlir::Value load(mlir::Value from, mlir::Type element, mlir::Value place, unsigned lanes = 1);
  void store(mlir::Value value, mlir::Value to, mlir::Type element, mlir::Value place, unsigned lanes = 1);
  /// An index or a start, of 32 or 64 bits, as a word.
  mlir::Value wordAt(mlir::Value operand, mlir::Value place);

  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y);
  /// 0 <= x < bound, the bound being no negative number.
  mlir::Value isWithin(mlir::Value x, mlir::Value bound) { return compare(mlir::arith::CmpIPredicate::ult, x, bound); }
  mlir::Value isEqual(mlir::Value x, mlir::Value y) { return compare(mlir::arith::CmpIPredicate::eq, x, y); }
  mlir::Value both(mlir::Value x, mlir::Value y) { return eval.both(x, y); }
  mlir::Value choose(mlir::Value condition, mlir::Value x, mlir::Value y);
  /// From low to high, with values that go from step to step.
  llvm::SmallVector<mlir::Value>
  carryLoop(mlir::Value low, mlir::Value high, mlir::Value step, mlir::ValueRange init,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);
  /// The value of one of two branches.
  mlir::Value either(mlir::Value condition, mlir::Type type, llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);

  KernelOp kernel;
  const FunctionPlace &place;
  llvm::SmallVector<std::string> symbols;
  VectorTarget thread;
  mlir::OpBuilder b;
  ThreadFrame frame;
  PointEvaluator &eval;
  mlir::Location loc;
};

} // namespace lathe::gpu

#endif
