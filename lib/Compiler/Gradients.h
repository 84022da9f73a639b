// Adds the entries of --grad: a function's values and gradients, without an edit of the graph.
#ifndef LATHE_COMPILER_GRADIENTS_H
#define LATHE_COMPILER_GRADIENTS_H

#include "lathe/CompileOptions.h"
#include "mlir/IR/BuiltinOps.h"

namespace lathe {

/// Reads "loss" and "loss:wrt=x,w". Returns what is wrong, or an empty string.
std::string readGradOptions(const std::vector<std::string> &texts, CompileOptions &options);

/// Adds a public function F_grad for each F of the options: it takes F's inputs and returns F's results, then the gradient of
/// the first one by each chosen input or variable, or by each float input if none is chosen. Those by variables, which come
/// last, are left to the pass lathe-variable-gradients. Requires a module that has been read and checked.
mlir::LogicalResult addGradients(mlir::ModuleOp module, const CompileOptions &options);

} // namespace lathe

#endif
