// What plan and its verifier ask of a function of kernels.
#ifndef LATHE_PASSES_PLAN_LIVENESS_H
#define LATHE_PASSES_PLAN_LIVENESS_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lathe {

/// The value whose memory this one is: reshapes are views.
mlir::Value memoryOf(mlir::Value value);

/// Bytes that a value takes, as an expression; an i1 takes one byte.
Dim byteSize(mlir::Value value);

/// Whether the kernel reads this input only at the place of this result that it is about to write, so that both may share
/// memory: all ops between the input and the results are elementwise, of the result's shape. A loop over rows may also reduce
/// what it reads of the row, if the result is written in its last pass.
bool readsInPlace(KernelOp kernel, unsigned input, unsigned result);

} // namespace lathe

#endif
