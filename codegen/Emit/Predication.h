// Branches and loops on a device that go by what the host need not know: kernels of both sides of a branch are launched, and
// those of steps that a loop may not come to; those that are not to run look at a byte and end at once.
#ifndef LATHE_CODEGEN_EMIT_PREDICATION_H
#define LATHE_CODEGEN_EMIT_PREDICATION_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Whether the host must look at a value that something in here makes: a condition of a loop, an operand of the application's
/// function, what is reported.
bool needsHost(mlir::Operation *root);

/// Whether nothing but kernels needs the branch's predicate.
inline bool isPredicated(IfOp branch) { return !needsHost(branch); }

/// Whether steps of the loop can be launched before it is known that they run: nothing in it needs the host.
bool launchesAhead(WhileOp loop);

/// Whether each step makes the loop's condition. One that is a carry may be in two places, of which steps that do not run see
/// both in turns: they look at two steps.
bool makesCondition(WhileOp loop);

/// How many predicates the kernel has that an op is, or would be: predicated branches and loops that launch ahead around it.
unsigned predicateDepth(mlir::Operation *op);

/// How many predicated branches and how many loops that launch ahead there are in a function.
struct Predicated {
  unsigned branches = 0, loops = 0;
};
Predicated countPredicated(mlir::Operation *function);

/// Where the bytes of a loop that launches ahead begin in the memory for predicates: copies of all branches' come first, a byte
/// each.
inline constexpr int64_t kLoopBytes = 64;
int64_t loopPlace(const Predicated &all, unsigned loop);

} // namespace lathe

#endif
