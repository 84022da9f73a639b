// Runs lathe.nest.
#ifndef LATHE_INTERPRETER_NEST_H
#define LATHE_INTERPRETER_NEST_H

#include "dialects/Lathe/Interpreter/Evaluate.h"

namespace lathe {

/// The parts of the surrounding kernel that a nest uses.
struct NestEnvironment {
  const Sizes &sizes;
  llvm::function_ref<const Tensor *(mlir::Value)> tensorOf;
};

/// Computes the tensor that the nest defines. Fails, with a diagnostic, at an extent without a size and at an out-of-range
/// read.
mlir::FailureOr<Tensor> evaluateNest(NestOp op, const NestEnvironment &environment);

} // namespace lathe

#endif
