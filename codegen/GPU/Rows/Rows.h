// The forms of kernels around one op that no loop nest describes.
#ifndef LATHE_CODEGEN_GPU_ROWS_ROWS_H
#define LATHE_CODEGEN_GPU_ROWS_ROWS_H

#include "codegen/GPU/Form.h"

namespace lathe::gpu {

/// Returns all forms of these kernels.
llvm::SmallVector<const Form *> rowForms();

// The form of each family.
const Form &concatenationForm();
const Form &scatterForm();
const Form &updateSliceForm();
const Form &sortForm();
const Form &scanForm();
const Form &triangularSolveForm();
const Form &choleskyForm();

/// Marks the kernel with kInPlaceAttr if the plan has certainly put its result into its first operand's buffer.
void markInPlace(KernelOp kernel);

/// The base of these forms. Their hero is an op of one of the classes `Ops`.
template <typename Parameters, typename... Ops>
class RowForm : public FormOf<Parameters> {
public:
  using FormOf<Parameters>::FormOf;

  bool isHero(mlir::Operation *op) const override { return mlir::isa<Ops...>(op); }

protected:
  virtual Parameters chooseRows(KernelOp kernel, mlir::Operation *op) const = 0;
  virtual mlir::LogicalResult checkRows(KernelOp kernel, mlir::Operation *op, const Parameters &) const {
    return mlir::success();
  }
  virtual KernelCode emitRows(KernelOp kernel, mlir::Operation *op, const Parameters &parameters,
                              const FunctionPlace &place) const = 0;

private:
  mlir::FailureOr<Parameters> chooseFor(KernelOp kernel, const Target &) const override {
    return chooseRows(kernel, this->heroOf(kernel));
  }
  mlir::LogicalResult check(KernelOp kernel, const Parameters &parameters, const Target &) const override {
    return checkRows(kernel, this->heroOf(kernel), parameters);
  }
  mlir::FailureOr<KernelCode> emitBy(KernelOp kernel, const Parameters &parameters, const FunctionPlace &place) const override {
    return emitRows(kernel, this->heroOf(kernel), parameters, place);
  }
};

/// The contiguous elements that a thread copies at once.
struct LanesSchedule {
  int64_t lanes = 1;

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("lanes", lanes, 1, 16);
  }
};

/// Refuses, with a diagnostic, a number of lanes that does not divide `most`.
mlir::LogicalResult checkLanes(mlir::Operation *op, const LanesSchedule &schedule, unsigned most);

/// The base of forms whose threads copy as many contiguous elements at once as `mostLanes` allows.
template <typename Op>
class LanesForm : public RowForm<LanesSchedule, Op> {
public:
  using RowForm<LanesSchedule, Op>::RowForm;

private:
  virtual unsigned mostLanes(KernelOp kernel, Op op) const = 0;

  LanesSchedule chooseRows(KernelOp kernel, mlir::Operation *op) const override {
    return {mostLanes(kernel, mlir::cast<Op>(op))};
  }
  mlir::LogicalResult checkRows(KernelOp kernel, mlir::Operation *op, const LanesSchedule &schedule) const override {
    return checkLanes(op, schedule, mostLanes(kernel, mlir::cast<Op>(op)));
  }
};

} // namespace lathe::gpu

#endif
