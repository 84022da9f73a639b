// Loops over the parts of a range of work items.
#ifndef LATHE_CODEGEN_CPU_TILES_PARTS_H
#define LATHE_CODEGEN_CPU_TILES_PARTS_H

#include "codegen/Points/CodeFrame.h"

namespace lathe::cpu {

/// Cuts the range [low, high) at the multiples of `size`. Calls `body` for each part with its number, and with its range
/// counted from the multiple in front of it.
inline void forParts(CodeFrame &frame, mlir::Value low, mlir::Value high, mlir::Value size,
                     llvm::function_ref<void(mlir::Value part, mlir::Value low, mlir::Value high)> body) {
  PointEvaluator &eval = frame.eval;
  mlir::Value end = frame.divide(eval.add(high, eval.sub(size, eval.i64(1))), size);
  frame.loop(frame.divide(low, size), end, 1, [&](mlir::Value part) {
    mlir::Value origin = eval.mul(part, size);
    body(part, frame.max(eval.sub(low, origin), eval.i64(0)), eval.min(eval.sub(high, origin), size));
  });
}

} // namespace lathe::cpu

#endif
