// Branches and loops whose conditions stay on the device. The host launches the kernels of both sides of a branch, and those of
// loop steps that may not run. Each kernel reads a predicate byte, and exits at once if it must not run.
#ifndef LATHE_CODEGEN_GPU_PREDICATION_H
#define LATHE_CODEGEN_GPU_PREDICATION_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// True if the host must read a value that `root` computes: a loop's condition, an operand of the application's function, or a
/// reported value.
bool needsHost(mlir::Operation *root);

/// True if only kernels need the branch's predicate.
inline bool isPredicated(IfOp branch) { return !needsHost(branch); }

/// True if steps of the loop can be launched before it is known that they run, because nothing in it needs the host.
bool launchesAhead(WhileOp loop);

/// True if each step computes the loop's condition. Otherwise the condition is a carry, which may alternate between two
/// buffers. Steps that do not run see both alternately, so their kernels read the predicates of two steps.
bool makesCondition(WhileOp loop);

/// Returns the number of predicates of a kernel at this op: one or two for each predicated branch and each loop around it that
/// launches ahead.
unsigned predicateDepth(mlir::Operation *op);

/// The numbers of predicated branches and of loops that launch ahead in a function.
struct Predicated {
  unsigned branches = 0, loops = 0;
};
Predicated countPredicated(mlir::Operation *function);

/// Returns the offset of a loop's predicate bytes in the memory for predicates, which begins with a copy of each branch's
/// predicate, one byte each.
inline constexpr int64_t kLoopBytes = 64;
int64_t loopPlace(const Predicated &all, unsigned loop);

} // namespace lathe

#endif
