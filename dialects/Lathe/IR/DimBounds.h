// Bounds of dimension expressions, for proofs that a size is never negative or that two sizes are equal.
#ifndef LATHE_IR_DIM_BOUNDS_H
#define LATHE_IR_DIM_BOUNDS_H

#include "dialects/Lathe/IR/Dims.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cmath>

namespace lathe {

/// The least and the largest size of a name.
struct SizeRange {
  double least = 0, largest = HUGE_VAL;
};
using SizeRangeOf = llvm::function_ref<SizeRange(llvm::StringRef name)>;

/// Returns an integer that `dim` is never below, -infinity where none is found. Quotients are bounded by their operand, so that
/// H - 2 * floor_div(H, 2) is found to be at least 0; names have the sizes that `rangeOf` returns.
double leastOf(const Dim &dim, SizeRangeOf rangeOf);
inline double largestOf(const Dim &dim, SizeRangeOf rangeOf) { return -leastOf(Dim(0) - dim, rangeOf); }

/// Splits `extent` >= 0 into two sides without negative coefficients, the first of which is to be at least the second.
std::pair<Dim, Dim> sidesOf(const Dim &extent);

/// The range of a name of which nothing is known but that no size is negative.
inline SizeRange anySize(llvm::StringRef) { return {}; }

} // namespace lathe

#endif
