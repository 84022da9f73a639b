// Decides which functions of a graph become entries.
#ifndef LATHE_COMPILER_ENTRIES_H
#define LATHE_COMPILER_ENTRIES_H

#include "lathe/CompileOptions.h"
#include "mlir/IR/BuiltinOps.h"

namespace lathe {

/// Resolves the entries that the options name, with the parts of sharded steps. Makes all other functions private, so that
/// import removes those that are not called. Emits an error for a name without a function.
mlir::LogicalResult chooseEntries(mlir::ModuleOp module, CompileOptions &options);

} // namespace lathe

#endif
