// The closure: the words that a kernel's function is called with.
#ifndef LATHE_CODEGEN_POINTS_CLOSURE_H
#define LATHE_CODEGEN_POINTS_CLOSURE_H

#include "codegen/Points/PointEvaluator.h"

namespace lathe {

/// Loads a closure as described at KernelCode: the inputs' buffers go into `buffers`, the values of `symbols`, which name
/// dimensions, into `eval`. Returns the buffers of the results. `buffers` maps the null value to the closure itself, memory
/// that can always be read.
llvm::SmallVector<mlir::Value> bindClosure(mlir::Value closure, KernelOp kernel, llvm::ArrayRef<std::string> symbols,
                                           PointEvaluator &eval, Buffers &buffers);

} // namespace lathe

#endif
