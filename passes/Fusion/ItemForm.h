// Ops that compute few elements for each of many items, as those of a function that `lathe.vmap` applies to short vectors. One
// kernel takes any number of them (kItemsAttr): it keeps the elements of an item in registers, with an item in each lane.
#ifndef LATHE_PASSES_FUSION_ITEMFORM_H
#define LATHE_PASSES_FUSION_ITEMFORM_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Returns the extent of the items if each element of the op's result depends on elements of its own item only, as far as the
/// operands are values of items, and if code can name each of the few elements of an item. nullopt for other ops, and for fewer
/// than `leastItems` items if their number is known.
std::optional<Dim> itemsOf(mlir::Operation *op, int64_t leastItems);

/// Returns the number of elements that the op computes for an item: those that it reads if it reduces them.
int64_t elementsPerItem(mlir::Operation *op);

/// Returns the last extent of what the op computes for an item, or reduces; 1 if that is one element.
int64_t lineOfItem(mlir::Operation *op);

/// True if the op only moves elements within items. Kernels of nests and of rows store such an operand.
bool movesWithinItems(mlir::Operation *op);

/// Returns the indices by which a gather picks from each item, if they are numbers in range; nullopt for other gathers.
std::optional<llvm::SmallVector<int64_t>> indicesWithinItems(GatherOp gather);

} // namespace lathe

#endif
