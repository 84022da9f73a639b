// Values that depend on constants only. The reference interpreter evaluates them during import, whatever operator they come
// from.
#ifndef LATHE_IMPORT_ONNX_CONSTANTVALUES_H
#define LATHE_IMPORT_ONNX_CONSTANTVALUES_H

#include "lib/Import/ONNX/Known.h"
#include "mlir/IR/Value.h"

namespace lathe::onnximport {

/// Returns the elements of a small value that ops without regions compute from constants, or nullopt.
std::optional<Known> knownValue(mlir::Value value);

/// Erases the ops of a block whose results have no uses. Evaluated values leave such ops behind.
void eraseUnread(mlir::Block &block);

} // namespace lathe::onnximport

#endif
