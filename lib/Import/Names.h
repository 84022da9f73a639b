// The names of arguments and results, from the SSA names of the source.
#ifndef LATHE_IMPORT_NAMES_H
#define LATHE_IMPORT_NAMES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class AsmParserState;
} // namespace mlir

namespace lathe {

/// Gives arguments and results of public functions that have no `lathe.name` one: the SSA name, with `arg` or `out` before a
/// leading digit. Without source text they are numbered.
void writeNames(mlir::ModuleOp module, const mlir::AsmParserState *places);

} // namespace lathe

#endif
