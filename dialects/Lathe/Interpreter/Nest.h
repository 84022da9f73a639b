// Running lathe.nest.
#ifndef LATHE_INTERPRETER_NEST_H
#define LATHE_INTERPRETER_NEST_H

#include "dialects/Lathe/Interpreter/Evaluate.h"

namespace lathe {

/// What a nest sees of the kernel around it.
struct NestEnvironment {
  const Sizes &sizes;
  llvm::function_ref<const Tensor *(mlir::Value)> tensorOf;
};

mlir::FailureOr<Tensor> evaluateNest(NestOp op, const NestEnvironment &environment);

} // namespace lathe

#endif
