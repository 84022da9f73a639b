// Implements --const-input for graphs in text and bytecode.
#ifndef LATHE_IMPORT_MAKECONSTANTS_H
#define LATHE_IMPORT_MAKECONSTANTS_H

#include "lib/Import/Constants/ConstInputs.h"
#include "mlir/IR/BuiltinOps.h"

namespace lathe {

/// Turns the named inputs of public functions into constants. Requires arguments to have their names. Emits an error if an
/// input does not exist, has dimensions without a number, or if its value does not fit.
llvm::LogicalResult makeConstants(mlir::ModuleOp module, ConstInputs &constants);

} // namespace lathe

#endif
