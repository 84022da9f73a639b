// Kernels whose code stops at the last key that a mask lets some row see.
#ifndef LATHE_IR_SKIPPEDKEYS_H
#define LATHE_IR_SKIPPEDKEYS_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// On a kernel (StringAttr): the dimension along which its code may stop early. The kernel's last input, which no op reads, is
/// an i32 of rank 0: so many leading indices count; in rows with reductions, at least one. The others do not change what
/// anything reads: nothing reads results there, and terms there add zeros. Code may compute them or not; the ops say what all
/// of them are.
inline constexpr llvm::StringLiteral kSkipsAttr = "lathe.skips";

/// The dimensions: the columns of a product's result, its contracted dimension, or the elements of a row kernel's rows; or the
/// rows of a product's result, which the kernel adds to an input: the other rows keep the input's values.
inline constexpr llvm::StringLiteral kSkipsColumns = "columns", kSkipsDepth = "depth", kSkipsElements = "elements",
                                     kSkipsRows = "rows";

/// Code computes whole steps of so many indices: a sum of the steps has the bits of the sum of all, because
/// a step is a multiple of the terms that are added at a time. It is a multiple of the terms of all targets for 4 bytes.
inline constexpr int64_t kKeysOfStep = 64;

} // namespace lathe

#endif
