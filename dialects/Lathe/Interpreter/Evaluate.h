// A function for each op family: computes an op's result from the values of its operands.
#ifndef LATHE_INTERPRETER_EVALUATE_H
#define LATHE_INTERPRETER_EVALUATE_H

#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/Sizes.h"
#include "dialects/Lathe/Interpreter/Tensor.h"

namespace lathe {

/// An op about to run: its operands' values, and the element type and shape of its first result. An op on halves receives and
/// returns f32.
struct Call {
  mlir::Operation *op;
  llvm::SmallVector<const Tensor *> operands;
  Element element;
  llvm::SmallVector<int64_t> shape;
  const Sizes &sizes;

  const Tensor &operand(unsigned i = 0) const { return *operands[i]; }
};

using Result = std::optional<Tensor>; // nullopt: not an op of this family

Result evaluateUnary(const Call &call);
Result evaluateBinary(const Call &call);
Result evaluateShape(const Call &call);
Result evaluateReduction(const Call &call);
Result evaluateContraction(const Call &call);
Result evaluateIndexing(const Call &call);
Result evaluateWindow(const Call &call);
Result evaluateScan(const Call &call);
Result evaluateSort(const Call &call);
Result evaluateLinearAlgebra(const Call &call);

/// `results` have the shapes of the function's outputs.
mlir::FailureOr<std::vector<Tensor>> evaluateExtern(ExternOp op, llvm::ArrayRef<const Tensor *> operands,
                                                    std::vector<Tensor> results);

/// Repeats the tensor to `shape`, with dimension i as dimension `dims[i]`.
Tensor broadcast(const Tensor &operand, llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> shape);
/// Returns the tensor with dimension `permutation[i]` as dimension i.
Tensor transpose(const Tensor &operand, llvm::ArrayRef<int64_t> permutation);

/// Threefry-2x32 with 20 rounds (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").
std::pair<uint32_t, uint32_t> threefry2x32(std::pair<uint32_t, uint32_t> key, std::pair<uint32_t, uint32_t> counter);

} // namespace lathe

#endif
