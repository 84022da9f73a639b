// --gradcheck: compares derivatives with central differences.
#ifndef LATHE_TOOLS_LATHE_RUN_GRADCHECK_H
#define LATHE_TOOLS_LATHE_RUN_GRADCHECK_H

#include "tools/lathe-run/Runner.h"

/// Checks the derivatives of the function, in f64, at the inputs that the options give, and prints a line for each tensor by
/// which it differentiates. d is the compiler's derivative of sum(c * result) for fixed random cotangents c (1 for a loss that
/// is minimised), along a unit direction or for an entry. D is the central difference. They agree if
///   |d - D| <= 1e-5 * max(|d|, |D|, r),  r the root of the mean square of the tensor's gradient.
/// If differences with half the step, or on one side, show a kink, other steps are tried, and then the sample is skipped. If
/// the rounding of f64 exceeds that limit for every step, d and D must agree to that rounding; the sample then counts as zero
/// if it is below the rounding itself, else as skipped. A tensor fails if a sample fails, or if more than a quarter of them are
/// skipped.
std::optional<Failure> gradcheck(const RunOptions &options);

#endif
