// A kernel of nests as loops: parallel ones outermost, one of all vectorised, reductions with their accumulators in registers.
#ifndef LATHE_CODEGEN_CPU_LOOPS_LOOPS_H
#define LATHE_CODEGEN_CPU_LOOPS_LOOPS_H

#include "codegen/CPU/Form.h"

namespace lathe::cpu {

struct LoopsSchedule {
  int64_t vectorLoop = -1; // the loop that vectors go along, parallel ones before those of the reduction; -1: none
  int64_t lanes = 1;       // of a register, in the loop over what is left
  int64_t vectors = 1;     // registers of the main loop
  int64_t steps = 1;       // of a long sum that are taken at a time
  int64_t piece = 1;       // elements of an only loop that are one piece of work

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("vector_loop", vectorLoop, -1, 63);
    visitor("lanes", lanes, 1, 64);
    visitor("vectors", vectors, 1, 8);
    visitor("steps", steps, 1, 8);
    visitor("piece", piece, 1, 1 << 20);
  }
};

/// The form of kernels whose body is nests, of which at most one has a reduction; its result the results may be made of. All
/// results have one shape. Every kernel can be lowered to it but those of ops without nests.
const Form &loopsForm();

} // namespace lathe::cpu

#endif
