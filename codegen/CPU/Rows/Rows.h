// Row programs: kernels that no loop nest describes, because a line of their operand is worked on from one end to the other, or
// again and again. An outer space of independent rows is what threads share; for each row one sequential program runs.
#ifndef LATHE_CODEGEN_CPU_ROWS_ROWS_H
#define LATHE_CODEGEN_CPU_ROWS_ROWS_H

#include "codegen/CPU/KernelEmitter.h"
#include "codegen/CPU/Tiles/Frame.h"

namespace lathe::cpu {

/// Columns that are a piece of work, where rows are not what threads share.
inline constexpr int64_t kPieceColumns = 256;

/// A tensor as lines along one dimension: [outer, length, inner], all row-major.
struct Lines {
  Dim outer{1}, length{1}, inner{1};
  mlir::Type element;

  Lines(mlir::RankedTensorType type, int64_t dim);
  mlir::RankedTensorType type() const { return tensorOf({outer, length, inner}, element); }
};

/// The function of a kernel that holds one op of whole operands: its buffers, and loops of lanes.
class RowFrame : public KernelFrame {
public:
  RowFrame(KernelOp kernel, mlir::LLVM::LLVMFuncOp function, const VectorTarget &target, mlir::OpBuilder &builder);

  /// Lanes of a register, and of the main loop where memory is neighbouring: four registers hide latencies.
  unsigned lanesOf(mlir::Type element) const;
  unsigned wideLanesOf(mlir::Type element) const { return 4 * lanesOf(element); }
  /// From low to high in steps of `wide` lanes, what is left in steps of `narrow` ones, of which those past the end are off.
  void vectors(mlir::Value low, mlir::Value high, unsigned wide, unsigned narrow, llvm::function_ref<void(mlir::Value)> body);
};

/// Transposes a square of vectors in registers: lane i of vector j becomes lane j of vector i. There are as many vectors, a
/// power of two, as each has lanes.
void transposeLanes(RowFrame &frame, llvm::MutableArrayRef<mlir::Value> vectors);

/// Every name that the kernel's buffers have in their sizes, in order.
llvm::SmallVector<std::string> symbolsOfBuffers(KernelOp kernel);

/// Emits the kernel around such an op.
KernelCode emitRows(KernelOp kernel, mlir::Operation *op, mlir::LLVM::LLVMFuncOp function, const VectorTarget &target,
                    mlir::OpBuilder &builder);

// One function a family; each emits what the frame's rows do and says how threads share them.
void emitScatter(RowFrame &frame, ScatterOp op, KernelCode &code);
void emitUpdateSlice(RowFrame &frame, DynamicUpdateSliceOp op, KernelCode &code);
void emitScan(RowFrame &frame, mlir::Operation *op, KernelCode &code);
void emitSort(RowFrame &frame, mlir::Operation *op, KernelCode &code);
void emitTriangularSolve(RowFrame &frame, TriangularSolveOp op, KernelCode &code); // from the left
void emitCholesky(RowFrame &frame, CholeskyOp op, KernelCode &code);
void emitConcatenation(RowFrame &frame, ConcatenateOp op, KernelCode &code);
void emitTranspose(RowFrame &frame, TransposeOp op, KernelCode &code);

/// Whether an op is all that its kernel does.
bool isAlone(mlir::Operation *op);
/// True if a concatenation is all that its kernel does, and copies lines of known length.
bool isCopied(ConcatenateOp op);
/// Whether a transpose is, and has tiles to go through.
bool isTiled(TransposeOp op);

} // namespace lathe::cpu

#endif
