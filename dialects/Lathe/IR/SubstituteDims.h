// Named dimensions replaced in everything below an op.
#ifndef LATHE_IR_SUBSTITUTEDIMS_H
#define LATHE_IR_SUBSTITUTEDIMS_H

#include "dialects/Lathe/IR/Dims.h"
#include "mlir/IR/Operation.h"

namespace lathe {

/// Replaces the names in all types and shape attributes of `root` and of what it holds. Names not in `values` stay.
void substituteDims(mlir::Operation *root, const std::map<std::string, Dim> &values);

} // namespace lathe

#endif
