// Finds the maxima of rows whose handling of NaN shows in no result.
#ifndef LATHE_ANALYSIS_NANS_H
#define LATHE_ANALYSIS_NANS_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// True if nothing depends on what a maximum makes of NaN and of the signs of zeros: it is only subtracted from its own row,
/// and the row's results come from the exponentials of these differences and from their sum, as in a softmax. The sum is NaN
/// where the row has one.
bool mayIgnoreNaN(ReduceOp largest);

} // namespace lathe

#endif
