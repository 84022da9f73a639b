// Row programs: kernels that no loop nest describes, because they process a line of the operand sequentially or repeatedly.
// Threads share an outer space of independent rows. One sequential program runs per row.
#ifndef LATHE_CODEGEN_CPU_ROWS_ROWS_H
#define LATHE_CODEGEN_CPU_ROWS_ROWS_H

#include "codegen/CPU/Form.h"
#include "codegen/CPU/Tiles/Frame.h"
#include "codegen/Points/Lines.h"

namespace lathe::cpu {

/// The function of a kernel around one op on whole operands: its buffers, and vectorised loops.
class RowFrame : public KernelFrame {
public:
  RowFrame(KernelOp kernel, mlir::LLVM::LLVMFuncOp function, const VectorTarget &target, mlir::OpBuilder &builder);

  /// Lanes of a register, and of the main loop over contiguous memory: four registers hide latencies.
  unsigned lanesOf(mlir::Type element) const;
  unsigned wideLanesOf(mlir::Type element) const { return 4 * lanesOf(element); }
  /// Emits a loop from `low` to `high` in steps of `wide` lanes; the remainder runs in steps of `narrow` lanes with lanes past
  /// the end masked off.
  void vectors(mlir::Value low, mlir::Value high, unsigned wide, unsigned narrow, llvm::function_ref<void(mlir::Value)> body);
};

/// Returns the forms of kernels around ops on whole operands.
llvm::SmallVector<const Form *> rowForms();

// The form of each family of ops.
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
  /// Emits the program of the frame's rows, and sets how threads share them.
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

/// The schedule of ops that handle a number of columns at once.
struct ColumnsSchedule {
  int64_t piece = 1; // columns per work item, if threads do not share rows

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("piece", piece, 1, 1 << 20);
  }
};

} // namespace lathe::cpu

#endif
