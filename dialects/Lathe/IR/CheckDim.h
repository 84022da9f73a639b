// The check of an op's attribute `dim`.
#ifndef LATHE_IR_CHECKDIM_H
#define LATHE_IR_CHECKDIM_H

#include "mlir/IR/Diagnostics.h"

namespace lathe {

/// Checks that `dim` is a dimension of an operand of this rank.
inline mlir::LogicalResult checkDim(std::optional<mlir::Location> location, llvm::StringRef op, int64_t dim, int64_t rank) {
  if (dim >= 0 && dim < rank)
    return mlir::success();
  return mlir::emitOptionalError(location, op, ": 'dim' is ", dim, ", but the operand has rank ", rank);
}

} // namespace lathe

#endif
