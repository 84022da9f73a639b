// What lathec --check adds to a graph.
#ifndef LATHE_PASSES_CHECKS_CHECKS_H
#define LATHE_PASSES_CHECKS_CHECKS_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

/// `lathe-insert-checks`. Puts a lathe.check behind every op that computes floats (`finite`), and in front of every op whose
/// operands are places in a tensor (`bounds`), in regions too. Requires that derivatives and batches are expanded. Guarantees
/// that the first check that fails, in the order of the graph, names the first op at fault, whatever later passes make of the
/// ops.
std::unique_ptr<mlir::Pass> createInsertChecksPass(bool finite = true, bool bounds = true);
void registerChecksPasses();

} // namespace lathe

#endif
