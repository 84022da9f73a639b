// The ranks of a job, which run a function at the same time and exchange values.
#ifndef LATHE_INTERPRETER_RANKS_H
#define LATHE_INTERPRETER_RANKS_H

#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "dialects/Lathe/Interpreter/RankAxis.h"

namespace lathe {

/// A job as one of its ranks sees it.
class Ranks {
public:
  virtual ~Ranks() = default;
  virtual llvm::ArrayRef<RankAxis> getAxes() const = 0;
  /// Returns this rank's index along axis number `axis`.
  virtual int64_t indexOn(unsigned axis) const = 0;
  /// Returns the values that the ranks along the axis have at this op, by index. Waits for the other ranks. Emits an error at
  /// the op if one of them has ended or is at another op.
  virtual mlir::FailureOr<std::vector<Tensor>> exchange(mlir::Operation *op, unsigned axis, const Tensor &mine) = 0;
};

/// Computes a collective's result, with the shape of `call`, from the values of all ranks along its axis.
Tensor evaluateCollective(const Call &call, llvm::ArrayRef<Tensor> values, int64_t index);

/// Runs a function on all ranks of a job, each on a thread with its own arguments. The rank of an index is its place in
/// row-major order of the axes. Returns the results by rank.
mlir::FailureOr<std::vector<std::vector<Tensor>>> interpretOnRanks(mlir::func::FuncOp function, llvm::ArrayRef<RankAxis> axes,
                                                                   llvm::ArrayRef<std::vector<Tensor>> arguments,
                                                                   const InterpretOptions &options = {});

/// The same with options for each rank, which `optionsOf` returns before the ranks start.
mlir::FailureOr<std::vector<std::vector<Tensor>>>
interpretOnRanks(mlir::func::FuncOp function, llvm::ArrayRef<RankAxis> axes, llvm::ArrayRef<std::vector<Tensor>> arguments,
                 llvm::function_ref<InterpretOptions(int64_t rank)> optionsOf);

} // namespace lathe

#endif
