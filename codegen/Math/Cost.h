// The cost of elementary functions and scalar ops, for cost models.
#ifndef LATHE_CODEGEN_MATH_COST_H
#define LATHE_CODEGEN_MATH_COST_H

#include "codegen/Math/Math.h"

namespace lathe::elementary {

/// The time of straight-line code on a core.
struct Cost {
  double instructions = 0;
  double latency = 0; // cycles from its operands to its result
};

/// Returns the cost of an op whose operands are in registers, where a multiply-add takes `fmaLatency` cycles.
Cost costOf(mlir::Operation &op, unsigned fmaLatency);

/// Returns the cost of a block's ops, given that of each: all instructions, and the latency of the longest chain.
Cost costOfChains(mlir::Block &block, llvm::function_ref<Cost(mlir::Operation &)> of);

/// Returns the cost of a function of `operands` operands of a type: counts what emitMath emits.
Cost costOf(mlir::MLIRContext *context, llvm::StringRef function, mlir::Type type, unsigned operands, MathTarget target,
            unsigned order, unsigned fmaLatency);

} // namespace lathe::elementary

#endif
