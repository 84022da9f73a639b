// Concatenations whose operands are written in place.
#ifndef LATHE_PASSES_PLAN_JOINS_H
#define LATHE_PASSES_PLAN_JOINS_H

#include "lib/Analysis/Liveness.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lathe {

/// A kernel that only concatenates, along a dimension in which each operand is one contiguous range of the result.
struct Join {
  struct Part {
    mlir::Value value;     // the result of an op in the kernel's block that can write it into the concatenation
    Dim offset;            // bytes, a multiple of 64
    unsigned operand;      // of the concatenation, the first one of a copy
    bool isCopied = false; // by a kernel that copyOtherParts inserted
  };
  KernelOp kernel;
  unsigned operands;             // of the concatenation
  llvm::SmallVector<Part> parts; // the other operands are copied
};

/// True if an offset is a multiple of 64 for all sizes of the named dimensions.
bool isAlignedOffset(const Dim &offset);

/// True if the end of a value's block has it as an operand.
bool isYielded(mlir::Value value);

/// True if a loop's carry begins with the value, or with a view of it.
bool beginsCarry(mlir::Value value);

/// Returns the concatenations of a function with at least one part that can be written in place. No value is a part of two.
/// Ends of blocks and starts of loops must have their copies.
std::vector<Join> findJoins(mlir::func::FuncOp function, const Positions &positions);

/// Inserts kernels that copy the operands which are not parts, and makes their results parts: one kernel for each run of
/// adjacent operands.
void copyOtherParts(Join &join, Positions &positions);

/// Replaces a kernel whose operands are all parts by a concatenation between kernels, which has the kernel's buffer.
void finishJoin(Join &join);

} // namespace lathe

#endif
