// Matches the sizes of a call's operands with those of the function's arguments.
#ifndef LATHE_PASSES_INFERDIMS_CALLSIZES_H
#define LATHE_PASSES_INFERDIMS_CALLSIZES_H

#include "dialects/Lathe/IR/EqualSizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lathe {

/// Returns the dimensions that an argument's type or its `lathe.dims` names.
Dims declaredDims(mlir::func::FuncOp function, unsigned argument);

/// Reshapes operands of a call to the sizes in `declared`, the function as written, if they may be equal but this cannot be
/// proved: the entry checks them. Sizes that cannot be equal stay.
void takeSizesOf(mlir::func::FuncOp declared, mlir::func::CallOp call, MayBeEqual mayBeEqual);

} // namespace lathe

#endif
