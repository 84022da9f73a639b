// Kernels over rows (kRowsAttr): threads share one loop over rows. Several passes over a row keep its values in registers or in
// the first-level cache.
#ifndef LATHE_CODEGEN_CPU_ROWPASSES_ROWPASSES_H
#define LATHE_CODEGEN_CPU_ROWPASSES_ROWPASSES_H

#include "codegen/CPU/Form.h"
#include "codegen/Points/RowPlan.h"

namespace lathe::cpu {

/// The schedule of a kernel over rows.
struct RowPassesSchedule {
  int64_t rows = 1;                   // rows at a time: one row computes while another waits for the latency of its sum
  bool inTurn = false;                // a pass is over a row before it begins the next one, instead of all rows in lockstep
  bool inRegisters = false;           // all values of a row are in registers, without a loop
  llvm::SmallVector<int64_t> vectors; // registers per step of the main loop, for each pass
  PassSchedule passes;

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("rows", rows, 1, 8);
    visitor("in_turn", inTurn);
    visitor("in_registers", inRegisters);
    visitor("vectors", vectors, 1, 4);
    passes.visit(visitor);
  }
};

/// The form of kernels over rows. A sum's order depends on its lanes, so these follow from the type of the sum.
const Form &rowPassesForm();

} // namespace lathe::cpu

#endif
