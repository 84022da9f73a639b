// Bounds of dimension expressions, for proofs that a size is never negative or that two sizes are equal.
#ifndef LATHE_IR_DIM_BOUNDS_H
#define LATHE_IR_DIM_BOUNDS_H

#include "dialects/Lathe/IR/Dims.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cmath>

namespace lathe {

/// The smallest and largest size of a name.
struct SizeRange {
  double least = 0, largest = HUGE_VAL;
};
using SizeRangeOf = llvm::function_ref<SizeRange(llvm::StringRef name)>;

/// Returns a lower bound of `dim`, or -infinity if none is found. Quotients are bounded by their operands, so that H - 2 *
/// floor_div(H, 2) is found to be at least 0; `rangeOf` returns the sizes of names.
double leastOf(const Dim &dim, SizeRangeOf rangeOf);
inline double largestOf(const Dim &dim, SizeRangeOf rangeOf) { return -leastOf(Dim(0) - dim, rangeOf); }

/// Splits `extent` >= 0 into two sides without negative coefficients, of which the first must be at least the second.
std::pair<Dim, Dim> sidesOf(const Dim &extent);

/// The range of a name without known bounds: no size is negative.
inline SizeRange anySize(llvm::StringRef) { return {}; }

} // namespace lathe

#endif
