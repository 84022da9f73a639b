// Products that the steps of a loop add up, as one product after it.
#ifndef LATHE_PASSES_SINK_SINK_H
#define LATHE_PASSES_SINK_SINK_H

#include <memory>

namespace mlir {
class Pass;
}

namespace lathe {

/// `lathe-sink-products`. Where a lathe.scan does nothing with a carry but add products of each step to it, as a reverse
/// derivative does for the weights that all steps share, it collects their operands instead, and one lathe.dot_general
/// contracts the steps as well: the sum is not read and written in each step, and products of few rows become one of many.
/// Operands that are slices of what the loop goes over are there already. Others are collected as long as a step writes no more
/// of them than the sum is large, nor eight times what is there, so that a loop needs no memory of another order; not in a
/// loop of loops, as the segments of a checkpoint policy are. Requires inferred types; halves stay as they are.
std::unique_ptr<mlir::Pass> createSinkProductsPass();
void registerSinkPasses();

} // namespace lathe

#endif
