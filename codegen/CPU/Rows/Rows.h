// Row programs: kernels that no loop nest describes, because a line of their operand is worked on from one end to the other, or
// again and again. An outer space of independent rows is what threads share; for each row one sequential program runs.
#ifndef LATHE_CODEGEN_CPU_ROWS_ROWS_H
#define LATHE_CODEGEN_CPU_ROWS_ROWS_H

#include "codegen/CPU/Form.h"
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

/// The forms of kernels around ops of whole operands.
llvm::SmallVector<const Form *> rowForms();

// The form of each family.
const Form &concatenationForm();
const Form &transposeForm();
const Form &scatterForm();
const Form &updateSliceForm();
const Form &sortForm();
const Form &scanForm();
const Form &triangularSolveForm();
const Form &choleskyForm();

/// The base of these forms: the kernel's function is a RowFrame, and the hero is of one of the classes `Ops`.
template <typename Parameters, typename... Ops>
class RowForm : public FormOf<Parameters> {
public:
  using FormOf<Parameters>::FormOf;

  bool isHero(mlir::Operation *op) const override { return mlir::isa<Ops...>(op); }

protected:
  virtual Parameters chooseRows(mlir::Operation *op, const VectorTarget &target) const = 0;
  virtual mlir::LogicalResult checkRows(mlir::Operation *op, const Parameters &, const VectorTarget &target) const {
    return mlir::success();
  }
  /// Emits what the frame's rows do, and says how threads share them.
  virtual void emitRows(RowFrame &frame, mlir::Operation *op, const Parameters &parameters, KernelCode &code) const = 0;

private:
  mlir::FailureOr<Parameters> chooseFor(KernelOp kernel, const VectorTarget &target) const override {
    return chooseRows(this->heroOf(kernel), target);
  }
  mlir::LogicalResult check(KernelOp kernel, const Parameters &parameters, const VectorTarget &target) const override {
    return checkRows(this->heroOf(kernel), parameters, target);
  }
  mlir::FailureOr<KernelCode> emitBy(KernelOp kernel, const Parameters &parameters, const FunctionPlace &at) const override {
    RowFrame frame(kernel, at.function, at.target, at.builder);
    KernelCode code;
    code.function = at.function;
    code.symbols = frame.loops.symbols;
    emitRows(frame, this->heroOf(kernel), parameters, code);
    frame.close();
    return code;
  }
};

/// Parameters of forms that have none.
struct NoParameters {
  template <typename Visitor>
  void visit(Visitor &) {}
};

/// How many columns, or vectors of them, rows have at once.
struct ColumnsSchedule {
  int64_t piece = 1; // columns that are one piece of work, where threads do not share rows

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("piece", piece, 1, 1 << 20);
  }
};

/// True if an op is all that its kernel does.
bool isAlone(mlir::Operation *op);
} // namespace lathe::cpu

#endif
