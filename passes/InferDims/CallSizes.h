// The sizes of a call's operands, beside those that the function's arguments have.
#ifndef LATHE_PASSES_INFERDIMS_CALLSIZES_H
#define LATHE_PASSES_INFERDIMS_CALLSIZES_H

#include "dialects/Lathe/IR/EqualSizes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lathe {

/// Returns the dimensions that an argument's type or its `lathe.dims` names.
Dims declaredDims(mlir::func::FuncOp function, unsigned argument);

/// Gives operands of a call the sizes that `declared`, the function as it is written, asks for, where they may be equal and
/// cannot be proved so: the entry checks them. What cannot be equal stays as it is.
void takeSizesOf(mlir::func::FuncOp declared, mlir::func::CallOp call, MayBeEqual mayBeEqual);

} // namespace lathe

#endif
