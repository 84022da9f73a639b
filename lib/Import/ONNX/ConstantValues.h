// Values that constants alone decide, whatever operator they come of: the reference interpreter works them out while importing.
#ifndef LATHE_IMPORT_ONNX_CONSTANTVALUES_H
#define LATHE_IMPORT_ONNX_CONSTANTVALUES_H

#include "lib/Import/ONNX/Known.h"
#include "mlir/IR/Value.h"

namespace lathe::onnximport {

/// The elements of a small value that is made of constants by ops without regions; nullopt of any other.
std::optional<Known> knownValue(mlir::Value value);

/// Erases the ops of a block whose results nobody reads, which what was worked out leaves behind.
void eraseUnread(mlir::Block &block);

} // namespace lathe::onnximport

#endif
