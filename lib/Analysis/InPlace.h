// In-place rules: when a kernel may write its result over an input, and a loop its next carry over the old one. The plan and
// its verifier share them. Emitters keep to them: they read an element of such an input before they write there.
#ifndef LATHE_ANALYSIS_INPLACE_H
#define LATHE_ANALYSIS_INPLACE_H

#include "lib/Analysis/Liveness.h"

namespace lathe {

/// True if the kernel reads this input only at the index of this result that it is about to write, so that both may share
/// memory: all ops between the input and the results are elementwise and of the result's shape. A row kernel may also reduce
/// over the input's row, if the result is written in its last pass.
bool readsInPlace(KernelOp kernel, unsigned input, unsigned result);

/// True if a step may write carry `index` of a loop in place of its old value: nothing reads that later, and the op that
/// computes the new value reads only the elements that it replaces.
bool updatesInPlace(mlir::Operation *loop, unsigned index, const Positions &positions);

/// True for memory that nothing writes while its value is used: a constant, an argument of an entry other than a variable, or
/// an argument of a region other than a carry.
bool isReadOnly(mlir::Value memory);

/// Returns the value that originally fills the buffer of `value`: follows loops that update a carry in place back to the
/// initial value. Returns a block argument for a carry of the enclosing loop.
mlir::Value originOf(mlir::Value value, const Positions &positions);

} // namespace lathe

#endif
