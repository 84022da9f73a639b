// Which functions of a graph become entries.
#ifndef LATHE_COMPILER_ENTRIES_H
#define LATHE_COMPILER_ENTRIES_H

#include "lathe/CompileOptions.h"
#include "mlir/IR/BuiltinOps.h"

namespace lathe {

/// Resolves the entries that the options name, with the parts of sharded steps, and makes all other functions private: import
/// removes those that are not called. Failure with a diagnostic for a name that no function has.
mlir::LogicalResult chooseEntries(mlir::ModuleOp module, CompileOptions &options);

} // namespace lathe

#endif
