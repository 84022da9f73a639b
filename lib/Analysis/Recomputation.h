// The cost of computing a value again where it is read, compared with storing and loading it.
#ifndef LATHE_ANALYSIS_RECOMPUTATION_H
#define LATHE_ANALYSIS_RECOMPUTATION_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// True if each kernel that reads the op's result computes it for itself, because that costs less than a buffer: broadcasts,
/// iotas, splat constants, numbers made of sizes, halves or integers that readers widen, tables of all pairs (a sum,
/// difference or product of two broadcasts) with several readers, and what a few cheap ops make of one value that is in memory
/// in any case, with several readers.
bool isRecomputed(mlir::Operation *op);

/// Returns the rough work for one point of a nest, without what computes its inputs, in simple operations.
unsigned pointCost(NestOp nest);

/// The work of a point from which it pays to store a value in the first cache and load it again, in simple operations.
inline constexpr unsigned kStoreAndLoad = 6;

} // namespace lathe

#endif
