// Kernels over items (kItemsAttr): threads share one loop over items, and all elements of an item are in registers.
#ifndef LATHE_CODEGEN_CPU_ITEMS_ITEMS_H
#define LATHE_CODEGEN_CPU_ITEMS_ITEMS_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

/// The schedule of a kernel over items.
struct ItemsSchedule {
  int64_t lanes = 1; // items at a time, one in each lane

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("lanes", lanes, 1, 64);
  }
};

/// The form of kernels over items.
const Form &itemsForm();

} // namespace lathe::cpu

#endif
