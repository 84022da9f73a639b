// Loops that count their steps, which become scans.
#ifndef LATHE_IMPORT_STABLEHLO_OPERATORS_LOOPS_H
#define LATHE_IMPORT_STABLEHLO_OPERATORS_LOOPS_H

#include "lib/Import/StableHLO/HloNode.h"

namespace lathe::hloimport {

/// The counter of a while: which carry it is, its first value, what a step adds to it, and the number of steps.
struct Count {
  unsigned carry;
  int64_t start, step, trip;
};

/// Returns the counter of a loop whose number of steps is known; nullopt for any other loop.
std::optional<Count> countOf(HloNode &node);

/// Converts such a loop to a scan. An operand that each step slices at the counter becomes a sequence of the scan, and a carry
/// that each step updates there becomes a stack.
void convertCounted(HloNode &node, const Count &count);

/// Emits a scan along the first dimension of `xs`. `step` emits a step at the builder: from carries and slices to the next
/// carries and the collected values. Returns the results; nothing after a refusal.
SmallVector<Value> emitScan(HloNode &node, ArrayRef<Value> first, ArrayRef<Value> xs,
                            llvm::function_ref<SmallVector<Value>(ValueRange carries, ValueRange slices)> step,
                            bool isReverse = false);

/// Converts chlo.scan.
void convertScan(HloNode &node);

} // namespace lathe::hloimport

#endif
