// A rough model of the time that a kernel takes on one core, for decisions between storing and recomputing values.
#ifndef LATHE_ANALYSIS_KERNELCOST_H
#define LATHE_ANALYSIS_KERNELCOST_H

#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/Sizes.h"

namespace lathe {

/// The work of a kernel for some sizes.
struct KernelCost {
  double productFlops = 0; // of matrix products and convolutions
  double otherFlops = 0;   // one for a simple operation, more for an elementary function
  double bytes = 0;        // inputs and results, each once

  /// Returns nanoseconds on one core with 60 GFLOP/s in products, 8 in other operations, and 10 GB/s.
  double nanoseconds() const { return std::max(productFlops / 60 + otherFlops / 8, bytes / 10) + 200; }
};

KernelCost costOf(KernelOp kernel, const Sizes &sizes);

} // namespace lathe

#endif
