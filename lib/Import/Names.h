// The names of arguments and results, from the SSA names of the source.
#ifndef LATHE_IMPORT_NAMES_H
#define LATHE_IMPORT_NAMES_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace mlir {
class AsmParserState;
} // namespace mlir

namespace lathe {

/// Puts the SSA names of all values, and the names of their ops, into the locations of ops and block arguments, so that what
/// comes of them later can be told by name.
void nameLocations(mlir::ModuleOp module, const mlir::AsmParserState &places);
/// The name that a value's location has for it; empty if none. Values of derivatives have those of the ops that they are of.
std::string locationName(mlir::Value value);
/// Whether an op is the one that its location names, or of a composite that it names: not one that a pass put beside it, for a
/// derivative, say, unless of the same kind.
bool isOfLocation(mlir::Operation *op);

/// Gives arguments and results of public functions that have no `lathe.name` one: the SSA name, with `arg` or `out` before a
/// leading digit. Without source text they are numbered.
void writeNames(mlir::ModuleOp module, const mlir::AsmParserState *places);

} // namespace lathe

#endif
