// The reference interpreter: what every op means, as directly as it can be said.
//
// Elementwise ops round once, reductions add up in ascending order in their own type, functions are the C library's (f32
// through f64). Compiled code is held against it.
#ifndef LATHE_INTERPRETER_INTERPRETER_H
#define LATHE_INTERPRETER_INTERPRETER_H

#include "dialects/Lathe/IR/Dims.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <functional>
#include <map>
#include <vector>

namespace lathe {

struct InterpretOptions {
  /// Called with each value as it is computed, and the steps, outer ones first, of the loops around it.
  std::function<void(mlir::Value, const Tensor &, llvm::ArrayRef<int64_t> steps)> observe;
  /// Called for each lathe.print with its value, and with its mask if it has one.
  std::function<void(mlir::Operation *, const Tensor &, const Tensor *mask)> print;
};

/// Runs a function without state or derivative ops. Named dimensions take their sizes from the arguments. Wrong arguments and
/// what fails inside are errors at the function or op, told to the context.
mlir::FailureOr<std::vector<Tensor>> interpret(mlir::func::FuncOp function, llvm::ArrayRef<Tensor> arguments,
                                               const InterpretOptions &options = {});

/// Sizes of named dimensions, and which of the tensors each was found in.
struct SolvedDims {
  std::map<std::string, int64_t> sizes;
  std::map<std::string, unsigned> givers;
};

/// Solves the names in the tensors' dimensions for the given shapes of the same ranks, one name after the other. Does not
/// report contradictions.
SolvedDims solveDims(llvm::ArrayRef<Dims> tensors, llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);

/// The sizes of named dimensions that arguments of these shapes give; an error at the function if they contradict.
mlir::FailureOr<std::map<std::string, int64_t>> bindDims(mlir::func::FuncOp function,
                                                         llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes);

} // namespace lathe

#endif
