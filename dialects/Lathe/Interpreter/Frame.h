// One run of a function, kernel or region: its current values.
#ifndef LATHE_INTERPRETER_FRAME_H
#define LATHE_INTERPRETER_FRAME_H

#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/Sizes.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"

namespace lathe {

/// Keeps each value until its last use.
class Frame {
public:
  /// `steps` are those of the enclosing loops.
  Frame(Sizes sizes, const InterpretOptions &options, llvm::ArrayRef<int64_t> steps = {})
      : sizes(std::move(sizes)), options(options), steps(steps) {}

  /// Runs the block and returns the operands of its terminator. `arguments` are those of the block, except for leading ones
  /// that are kept.
  mlir::FailureOr<std::vector<Tensor>> run(mlir::Block &block, std::vector<Tensor> arguments);
  /// Sets the step of the next run of a loop's region.
  void setStep(int64_t step) { steps.back() = step; }
  /// Sets a value for all runs of the frame.
  void keep(mlir::Value value, Tensor tensor);

private:
  mlir::LogicalResult step(mlir::Operation &op);
  mlir::LogicalResult stepCall(mlir::func::CallOp call);
  mlir::LogicalResult stepKernel(KernelOp kernel);
  mlir::LogicalResult stepStrips(StripsOp strips);
  mlir::LogicalResult stepNest(NestOp nest);
  mlir::LogicalResult stepExtern(ExternOp op);
  mlir::LogicalResult stepCollective(CollectiveOpInterface op);
  mlir::LogicalResult stepReport(mlir::Operation &op);
  mlir::LogicalResult runAssert(AssertOp op);
  mlir::LogicalResult runCheck(CheckOp op);
  const Tensor &valueOf(mlir::Value value) const { return values.find(value)->second->tensor; }
  /// Returns the same steps, and one more for setStep.
  llvm::SmallVector<int64_t> inLoop() const;
  mlir::LogicalResult stepControl(mlir::Operation &op);
  mlir::FailureOr<std::vector<Tensor>> runIf(IfOp op, Tensor predicate, std::vector<Tensor> consts);
  mlir::FailureOr<std::vector<Tensor>> runScan(ScanOp op, std::vector<Tensor> operands);
  mlir::FailureOr<std::vector<Tensor>> runWhile(WhileOp op, std::vector<Tensor> operands);
  void release(mlir::Value value);
  mlir::LogicalResult shapeOf(mlir::Operation &op, mlir::Type type, llvm::SmallVectorImpl<int64_t> &shape);
  void define(mlir::Value value, Tensor tensor);
  Tensor take(mlir::OpOperand &use);
  std::vector<Tensor> takeAll(llvm::MutableArrayRef<mlir::OpOperand> uses);

  struct Entry {
    Tensor tensor;
    uint64_t uses;
  };
  Sizes sizes;
  const InterpretOptions &options;
  llvm::SmallVector<int64_t> steps;
  llvm::DenseMap<mlir::Value, std::unique_ptr<Entry>> values;
};

} // namespace lathe

#endif
