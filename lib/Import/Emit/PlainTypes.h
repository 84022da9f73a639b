// The types of an imported function as a user's text has them.
#ifndef LATHE_IMPORT_EMIT_PLAINTYPES_H
#define LATHE_IMPORT_EMIT_PLAINTYPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lathe {

/// Restores the form of a user's text: names at the arguments, and plain `?` in the body, which the import stage infers.
void stripNames(mlir::func::FuncOp function);

} // namespace lathe

#endif
