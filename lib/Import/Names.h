// Names of arguments and results, from the SSA names of the source.
#ifndef LATHE_IMPORT_NAMES_H
#define LATHE_IMPORT_NAMES_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace mlir {
class AsmParserState;
} // namespace mlir

namespace lathe {

/// Records the SSA names of all values, and the names of their ops, in the locations of ops and block arguments, so that later
/// messages can use them.
void nameLocations(mlir::ModuleOp module, const mlir::AsmParserState &places);
/// Returns the name that a value's location records, or an empty string. Values of a derivative have the names of the ops that
/// were differentiated.
std::string locationName(mlir::Value value);
/// True if an op is of the kind that its location records, or if the location is that of a composite. False for an op of
/// another kind that a pass added, for a derivative for example.
bool isOfLocation(mlir::Operation *op);

/// Sets `lathe.name` on arguments and results of public functions that lack it: to the SSA name, with `arg` or `out` before a
/// leading digit. Without source text they are numbered.
void writeNames(mlir::ModuleOp module, const mlir::AsmParserState *places);

} // namespace lathe

#endif
