// Plans how each rank computes its part of an op.
#ifndef LATHE_PASSES_PARTITION_PLAN_H
#define LATHE_PASSES_PARTITION_PLAN_H

#include "passes/Partition/Rule.h"
#include "passes/Partition/Sharding.h"

namespace lathe::partition {

/// A split dimension that an op gathers first, and the reason.
struct Gathered {
  unsigned operand;
  int64_t dim;
  std::string reason;
};

/// The shardings that an op needs of its operands, and those of its results.
struct Plan {
  llvm::SmallVector<Sharding> operands, results;
  mlir::StringAttr indexed; // the axis that divides what operand 1, indices, counts; null for none
  llvm::SmallVector<Gathered> gathered;
};

/// Plans an op without regions. For each axis that divides operands, the factor is chosen that needs the fewest bytes of other
/// operands to be exchanged; an operand that is whole is cut, which costs nothing.
Plan planOf(mlir::Operation *op, llvm::ArrayRef<Sharding> operands, const Axes &axes);

} // namespace lathe::partition

#endif
