// Kernels that are one loop over rows: what fusion, plan and code generators agree on.
#ifndef LATHE_IR_ROWKERNELS_H
#define LATHE_IR_ROWKERNELS_H

#include "llvm/ADT/StringRef.h"

namespace lathe {

/// Unit attribute of a kernel whose reductions take whole rows of one shape: every value in it is a row's (of the shape that is
/// left) or has the shape of the rows together with their elements, and is made of values of its own row alone. Its results may
/// be of both shapes. Without it a kernel has at most one reduction, and results of one shape.
inline constexpr llvm::StringLiteral kRowsAttr = "lathe.rows";

} // namespace lathe

#endif
