// The reference interpreter: defines what every op means, as directly as possible.
// || Elementwise ops round once. Reductions combine elements in ascending order; sums of floats keep more digits and are
// rounded once (Sum.h). Functions are the C library's (f32 through f64). Tests compare compiled code with it.
#ifndef LATHE_INTERPRETER_INTERPRETER_H
#define LATHE_INTERPRETER_INTERPRETER_H

#include "dialects/Lathe/IR/Dims.h"
#include "dialects/Lathe/Interpreter/RankAxis.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <functional>
#include <map>
#include <vector>

namespace lathe {

class Ranks;

struct InterpretOptions {
  /// Called with each value as it is computed, and the steps of the enclosing loops, outer ones first.
  std::function<void(mlir::Value, const Tensor &, llvm::ArrayRef<int64_t> steps)> observe;
  /// Called for each lathe.print with its value, and with its mask if it has one.
  std::function<void(mlir::Operation *, const Tensor &, const Tensor *mask)> print;
  /// The job that runs the function, as this rank sees it (Ranks.h); null for one rank.
  Ranks *ranks = nullptr;
};

/// Runs a function without state or derivative ops. Named dimensions take their sizes from the arguments. Wrong arguments and
/// failures inside are reported to the context as errors at the function or op.
mlir::FailureOr<std::vector<Tensor>> interpret(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments,
                                               const InterpretOptions &options = {});

/// Sizes of named dimensions, and the tensor in which each was found.
struct SolvedDims {
  std::map<std::string, int64_t> sizes;
  std::map<std::string, unsigned> givers;
};

/// Solves the names in the tensors' dimensions for the given shapes of the same ranks, one name after the other, beginning with
/// those that are `solved` already. Does not report contradictions.
SolvedDims solveDims(llvm::ArrayRef<Dims> tensors, llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes, SolvedDims solved = {});

/// Returns the sizes of named dimensions for arguments of these shapes. Axes give sizes that these do not. Emits an error at
/// the function if they contradict each other.
mlir::FailureOr<std::map<std::string, int64_t>>
bindDims(mlir::func::FuncOp function, llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes, llvm::ArrayRef<RankAxis> axes = {});

} // namespace lathe

#endif
