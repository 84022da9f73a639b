// This file says which instructions elementary functions may use at the points of a kernel.
#ifndef LATHE_CODEGEN_POINTS_MATHTARGET_H
#define LATHE_CODEGEN_POINTS_MATHTARGET_H

#include "codegen/Math/Math.h"
#include "codegen/Points/VectorTarget.h"
#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Returns the instructions that functions may use on a target.
elementary::MathTarget mathTargetOf(const VectorTarget &target);

/// Returns the name by which emitMath knows the function of an op: a shorter one where the operand's range allows it.
llvm::StringRef functionOf(ApplyOp apply);

} // namespace lathe

#endif
