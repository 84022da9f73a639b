// Exchanges along several axes of the devices for which a program is written.
#ifndef LATHE_IMPORT_STABLEHLO_OPERATORS_RANKS_H
#define LATHE_IMPORT_STABLEHLO_OPERATORS_RANKS_H

#include "lib/Import/StableHLO/Operators/Operators.h"

namespace lathe::hloimport {

/// Axes of the program's mesh, the one that counts slowest first.
using Axes = ArrayRef<const MeshAxis *>;

/// Emits a collective along an axis.
template <typename Op>
Value emitAlong(HloNode &node, const MeshAxis &axis, ValueRange operands, ArrayRef<NamedAttribute> attributes = {}) {
  SmallVector<NamedAttribute> all{node.Emitter::word("axis", axis.name), node.shape("size", {Dim(axis.size)})};
  all.append(attributes.begin(), attributes.end());
  return node.emit<Op>(operands, all);
}

/// Returns the product of the axes' sizes.
int64_t sizeOf(Axes axes);
/// Emits this rank's number among those that differ in their indices along the axes, as an i64.
Value numberAlong(HloNode &node, Axes axes);
/// Emits the values of these ranks, one after the other along a dimension.
Value gatherAlong(HloNode &node, Value value, int64_t dim, Axes axes);
/// Emits this rank's part of a value that the axes divide along a dimension. Refuses the op if they do not divide it.
Value partAlong(HloNode &node, Value value, int64_t dim, Axes axes);

} // namespace lathe::hloimport

#endif
