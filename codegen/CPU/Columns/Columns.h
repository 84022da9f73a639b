// Reductions whose results are contiguous columns, such as a sum over the first dimension of a matrix.
#ifndef LATHE_CODEGEN_CPU_COLUMNS_COLUMNS_H
#define LATHE_CODEGEN_CPU_COLUMNS_COLUMNS_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

/// The schedule of a reduction over columns.
struct ColumnReductionSchedule {
  int64_t columnLoop = 0; // the loop over contiguous columns, counting parallel loops
  int64_t lanes = 1;      // of a register; also the step of the remainder loop
  int64_t vectors = 1;    // registers per step of the main loop
  int64_t terms = 1;      // of each column, added before the next columns
  int64_t columns = 1;    // whose accumulators are in memory together
  int64_t piece = 1;      // columns per work item
  int64_t fetch = 0;      // bytes ahead at which terms are fetched into the caches; 0: none

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("column_loop", columnLoop, 0, 63);
    visitor("lanes", lanes, 1, 64);
    visitor("vectors", vectors, 1, 8);
    visitor("terms", terms, 1, 8);
    visitor("columns", columns, 1, 1 << 16);
    visitor("piece", piece, 1, 1 << 20);
    visitor("fetch", fetch, 0, 1 << 16);
  }
};

/// The form of reductions of many terms per column, where the next term of a column lies in another row of memory. It reads
/// rows as they lie, a few at a time, with the accumulators of many columns in the first-level cache. Accumulators in registers
/// would cover a few cache lines of each row: the prefetchers cannot follow, and rows a power of two apart share cache sets.
const Form &columnsForm();

} // namespace lathe::cpu

#endif
