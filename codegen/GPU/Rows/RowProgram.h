// The base of row programs: kernels of one op that no loop nest describes (codegen/CPU/Rows/Rows.h).
#ifndef LATHE_CODEGEN_GPU_ROWS_ROWPROGRAM_H
#define LATHE_CODEGEN_GPU_ROWS_ROWPROGRAM_H

#include "codegen/GPU/Form.h"
#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/Points/Lines.h"

namespace lathe::gpu {

/// Returns the largest number of contiguous elements, a power of two of at most 16 bytes, that divides rows of this size.
unsigned lanesOf(KernelOp kernel, const Dim &row, mlir::Type element);

/// Returns the integer type that holds an element of the tensor in memory, for ops that only copy.
mlir::Type bitsOf(mlir::Value tensor);

/// A function of a row program: its frame, and loads and stores of elements or of aligned vectors.
class RowProgram {
public:
  /// `suffix` distinguishes the name of a kernel's second function.
  RowProgram(KernelOp kernel, const FunctionPlace &place, unsigned threads, llvm::StringRef suffix = "",
             bool hasScratch = false);

protected:
  unsigned lanesFor(const Dim &row, mlir::Type element) const { return lanesOf(kernel, row, element); }
  mlir::Value buffer(mlir::Value operand) { return frame.buffers.lookup(operand); }
  mlir::Value load(mlir::Value from, mlir::Type element, mlir::Value place, unsigned lanes = 1);
  void store(mlir::Value value, mlir::Value to, mlir::Type element, mlir::Value place, unsigned lanes = 1);
  /// Loads an index or a start, of 32 or 64 bits, as i64.
  mlir::Value wordAt(mlir::Value operand, mlir::Value place);

  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x, mlir::Value y);
  /// Tests 0 <= x < bound for a bound that is not negative.
  mlir::Value isWithin(mlir::Value x, mlir::Value bound) { return compare(mlir::arith::CmpIPredicate::ult, x, bound); }
  mlir::Value isEqual(mlir::Value x, mlir::Value y) { return compare(mlir::arith::CmpIPredicate::eq, x, y); }
  mlir::Value both(mlir::Value x, mlir::Value y) { return eval.both(x, y); }
  mlir::Value choose(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value either(mlir::Value condition, mlir::Type type, llvm::function_ref<mlir::Value()> first,
                     llvm::function_ref<mlir::Value()> second) {
    return frame.either(condition, type, first, second);
  }

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
