// --gradcheck: derivatives held against central differences.
#ifndef LATHE_TOOLS_LATHE_RUN_GRADCHECK_H
#define LATHE_TOOLS_LATHE_RUN_GRADCHECK_H

#include "tools/lathe-run/Runner.h"

/// Checks the derivatives of the function, in f64, at the inputs that the options give, and prints a line for each tensor that
/// it differentiates by. The measure: d, the derivative that the compiler made, of sum(c * result) for fixed random cotangents
/// c (1 for a loss that is minimised) along a unit direction or an entry, and D, the central difference, agree if
///   |d - D| <= 1e-5 * max(|d|, |D|, r),  r the root of the mean square of the tensor's gradient.
/// Where differences with half the step, or on one side, show a kink, other steps are tried, and then the sample is skipped.
/// Where the rounding of f64 is larger than that limit for every step, they must agree to that rounding; the sample counts as
/// zero if it is below the rounding itself, else as skipped. A tensor fails if a sample does, or if more than a quarter of them
/// are skipped.
std::optional<Failure> gradcheck(const RunOptions &options);

#endif
