// Kernels over rows (kRowsAttr): one loop over rows that threads share, several passes over each row, whose values stay in
// registers or in the first-level cache.
#ifndef LATHE_CODEGEN_CPU_ROWPASSES_ROWPASSES_H
#define LATHE_CODEGEN_CPU_ROWPASSES_ROWPASSES_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

/// How rows are gone through.
struct RowPassesSchedule {
  int64_t rows = 1;                   // in lockstep: while one waits for its sum, the others compute
  bool inRegisters = false;           // all values of a row, without a loop
  llvm::SmallVector<int64_t> vectors; // registers of a pass's main loop, pass by pass

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("rows", rows, 1, 8);
    visitor("in_registers", inRegisters);
    visitor("vectors", vectors, 1, 4);
  }
};

/// The form of kernels over rows. The order of a sum is that of its lanes, so these follow from the type of the sum.
const Form &rowPassesForm();

} // namespace lathe::cpu

#endif
