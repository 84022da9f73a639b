// Messages of lathe-run about results.
#ifndef LATHE_TOOLS_LATHE_RUN_REPORT_H
#define LATHE_TOOLS_LATHE_RUN_REPORT_H

#include "dialects/Lathe/Interpreter/Tensor.h"
#include <string>

/// Returns "y: f32[2][3] min 1 max 6 mean 3.5: 1 2 3 4 5 6", or "c = 300" for rank 0.
std::string describe(const std::string &name, const lathe::Tensor &tensor);

/// Returns the index of an element in row-major order.
std::vector<int64_t> indexOf(int64_t element, llvm::ArrayRef<int64_t> shape);

/// Describes how closely two tensors of one type and shape agree: "bit for bit", or "to 1.2e-07 of 3.5", the largest difference
/// and the largest number. Counts elements that are infinite or NaN in both: they agree, but say little.
std::string agreement(const lathe::Tensor &actual, const lathe::Tensor &expected);

/// Describes the element that is furthest outside |actual - expected| <= atol + rtol * |expected|; empty if all are inside. A
/// NaN equals a NaN, an infinity itself.
std::string compare(const lathe::Tensor &actual, const lathe::Tensor &expected, double rtol, double atol);

#endif
