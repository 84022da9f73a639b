// The rule for the lanes of a sum, which schedules must obey.
#ifndef LATHE_CODEGEN_CPU_SUMS_SUMLANES_H
#define LATHE_CODEGEN_CPU_SUMS_SUMLANES_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

/// The registers that a sum along lanes uses, which hide the latency of additions. The order of the sum depends on them.
inline constexpr unsigned kSumVectors = 4;

/// Returns the registers for a step along `length` elements, with `lanes` in a register: kSumVectors, or fewer if a static
/// length fits them. Halving the registers while it fits keeps the order of a sum across lanes.
unsigned vectorsAlong(const Dim &length, int64_t lanes);

/// Refuses, with a diagnostic at the kernel, lanes that would change the order of a sum of elements of `sumBytes` along rows of
/// `length` elements. A sum along lanes uses kSumVectors registers of its own element type. A static row that fits
/// fewer may use those, since the other lanes would be empty.
mlir::LogicalResult checkSumLanes(KernelOp kernel, unsigned lanes, unsigned sumBytes, const Dim &length,
                                  const VectorTarget &target);

} // namespace lathe::cpu

#endif
