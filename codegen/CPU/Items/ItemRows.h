// The elements of some items in memory, where those of an item are contiguous, from and to vectors with an item in each lane.
#ifndef LATHE_CODEGEN_CPU_ITEMS_ITEMROWS_H
#define LATHE_CODEGEN_CPU_ITEMS_ITEMROWS_H

#include "codegen/Points/CodeFrame.h"

namespace lathe::cpu {

/// Stores the elements of `lanes` items. `values[i]` has element i of each item.
void storeItems(CodeFrame &frame, llvm::ArrayRef<mlir::Value> values, mlir::Value to, unsigned lanes);

} // namespace lathe::cpu

#endif
