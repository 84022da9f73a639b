// A kernel of nests as loops: parallel loops outermost, one loop vectorised, accumulators of reductions in registers.
#ifndef LATHE_CODEGEN_CPU_LOOPS_LOOPS_H
#define LATHE_CODEGEN_CPU_LOOPS_LOOPS_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

/// The schedule of a kernel of nests.
struct LoopsSchedule {
  int64_t vectorLoop = -1; // the vectorised loop, counting parallel loops before those of the reduction; -1: none
  int64_t lanes = 1;       // of a register; also the step of the remainder loop
  int64_t vectors = 1;     // registers per step of the main loop
  int64_t steps = 1;       // unroll factor of a long sum
  int64_t piece = 1;       // elements per work item, if no other loop is parallel
  int64_t fetch = 0;       // bytes ahead at which contiguous terms of a reduction are fetched into the caches; 0: none
  int64_t rowLoop = -1;    // a parallel loop of which `rows` indices are computed at once; -1: none
  int64_t rows = 1;        // indices of it, which divide its extent
  int64_t parts = -1;      // a concatenation, by number among the values, whose parts loops of their own go over; -1: none
  llvm::SmallVector<int64_t> keep; // values, by number, that stages of their own compute and keep for later ones

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("vector_loop", vectorLoop, -1, 63);
    visitor("lanes", lanes, 1, 64);
    visitor("vectors", vectors, 1, 8);
    visitor("steps", steps, 1, 8);
    visitor("piece", piece, 1, 1 << 20);
    visitor("fetch", fetch, 0, 1 << 16);
    visitor("row_loop", rowLoop, -1, 63);
    visitor("rows", rows, 1, 8);
    visitor("parts", parts, -1, kMostValues);
    visitor("keep", keep, 0, kMostValues);
  }

  static constexpr int64_t kMostValues = 1 << 20; // more than any graph has
};

/// The form of kernels that consist of nests, of which at most one has a reduction. The results may depend on its result, and
/// all have one shape. It is the fallback: every kernel of nests can be lowered to it.
const Form &loopsForm();

} // namespace lathe::cpu

#endif
