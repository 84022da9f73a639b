// A rough model of the work and time of a kernel, for decisions between storing and recomputing values, and for reports.
#ifndef LATHE_ANALYSIS_KERNELCOST_H
#define LATHE_ANALYSIS_KERNELCOST_H

#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/Sizes.h"

namespace lathe {

/// The rates of a machine in the model: billions of floating-point operations and of bytes a second. `start` is the nanoseconds
/// that each kernel takes besides, and `coldRate` is the rate of bytes to and from a cold workspace.
struct MachineModel {
  double productRate, otherRate, byteRate, start, coldRate;
};

/// One core, and one GPU of a data centre, which starts a kernel in some microseconds. Cold memory is
/// taken to be half as fast as memory, and for the GPU to be the host's.
inline constexpr MachineModel kOneCore{60, 8, 10, 200, 5}, kOneGpu{20'000, 10'000, 1500, 4000, 20};

/// The work of a kernel for some sizes.
struct KernelCost {
  double productFlops = 0; // of matrix products and convolutions
  double otherFlops = 0;   // one for a simple operation, more for an elementary function
  double moves = 0;        // elements that ops compute without arithmetic on floating-point numbers
  double bytes = 0;        // inputs and results, each once; no scratch memory

  double flops() const { return productFlops + otherFlops; }
  /// Returns the estimated nanoseconds.
  double nanoseconds(const MachineModel &machine = kOneCore) const {
    double computes = productFlops / machine.productRate + (otherFlops + moves) / machine.otherRate;
    return std::max(computes, bytes / machine.byteRate) + machine.start;
  }
};

/// A count for any sizes: a factor times the largest of some products of dimensions. A negative dimension counts as 0, and one
/// without a size as 1.
struct WorkTerm {
  double factor;
  llvm::SmallVector<Dims, 1> products;

  double at(const Sizes &sizes) const;
};

/// The work of a kernel for any sizes, as sums. It refers to no IR.
struct KernelWork {
  std::vector<WorkTerm> productFlops, otherFlops, moves;
  std::vector<Dim> bytes;

  KernelCost at(const Sizes &sizes) const;
};

KernelWork workOf(KernelOp kernel);

inline KernelCost costOf(KernelOp kernel, const Sizes &sizes) { return workOf(kernel).at(sizes); }

} // namespace lathe

#endif
