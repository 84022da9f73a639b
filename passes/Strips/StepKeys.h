// The keys that a mask hides from all queries of a step, in a loop over blocks of queries.
#ifndef LATHE_PASSES_STRIPS_STEPKEYS_H
#define LATHE_PASSES_STRIPS_STEPKEYS_H

#include "passes/Strips/MaskKernel.h"
#include "llvm/ADT/SetVector.h"

namespace lathe {

/// Finds whether the kernels in the body of a loop may stop at the last key that a query of the step sees, as in gradients of
/// attention. Unlike strips, such kernels compute other things than a softmax, so that only finite numbers times zeros are
/// known to be zeros: a step skips keys if all of its inputs are finite and not huge, and if each of its queries sees a key
/// where the step itself computes the sums of the softmax.
class StepKeys {
public:
  explicit StepKeys(ScanOp loop) : loop(loop), body(loop.getBody().front()) {}

  /// Returns false if hidden keys may change a result although inputs are finite.
  bool find();
  /// Emits the kernels for the number of keys of a step, and lets those of the step stop there.
  void limit();

  /// Facts about the elements of hidden keys, or about a value with one element for each query.
  enum class Known { Any, Finite, Divisor, Zero, Never };

private:
  bool isInside(mlir::Value value) const;
  mlir::Value resolve(mlir::Value value) const;
  mlir::Value spread(mlir::Value value) const;
  std::optional<double> numberOf(mlir::Value value) const;
  bool isWide(mlir::Value value) const { return dimsOf(value) == wide; }
  bool isWideFloat(mlir::Value value) const;
  bool isOverKeys(ReduceOp reduce) const;
  Known knownOf(mlir::Value value);
  Known compute(mlir::Value value);
  Known ofInput(mlir::Value value);
  Known ofArithmetic(mlir::Operation *op);
  Known ofDivision(DivOp div);
  Known ofProduct(MulOp mul);
  Known ofReduce(ReduceOp reduce);
  bool isBounded(DotGeneralOp dot);
  bool findScores();
  llvm::StringRef roleOfProduct(KernelOp kernel, DotGeneralOp dot);
  std::optional<llvm::StringRef> roleOf(KernelOp kernel);
  bool isInputOfLoop(mlir::Value value);
  mlir::Value emitBound();
  mlir::Value emitCount(mlir::OpBuilder &builder, mlir::Value bound);

  ScanOp loop;
  mlir::Block &body;
  SelectOp scores; // of products, and -inf where a key is hidden
  bool hidesFalse = true;
  mlir::Value predicate; // of the select, without repetitions
  MaskKernel mask;
  bool needsKeys = false; // what is known holds for queries that see a key
  Dims wide;              // the dimensions of scores
  llvm::DenseMap<mlir::Value, Known> knowns;
  llvm::SmallSetVector<mlir::Value, 8> bounded, divisors; // inputs of the loop that must be finite, or not near 0 either
  llvm::SmallVector<std::pair<KernelOp, llvm::StringRef>> roles;
};

} // namespace lathe

#endif
