// The lanes along which a sum is added up, as a rule for schedules.
#ifndef LATHE_CODEGEN_CPU_SUMS_SUMLANES_H
#define LATHE_CODEGEN_CPU_SUMS_SUMLANES_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

/// Refuses, with a diagnostic at the kernel, lanes that would change the order of a sum of elements of `sumBytes` along rows of
/// `length` elements. A sum along lanes has four registers of its own element; fewer serve where a known row fits them, since
/// the lanes that are left out would hold nothing.
mlir::LogicalResult checkSumLanes(KernelOp kernel, unsigned lanes, unsigned sumBytes, const Dim &length,
                                  const VectorTarget &target);

} // namespace lathe::cpu

#endif
