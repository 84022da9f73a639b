// The constant right operand of a product: whether and how it can be stored in panels.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_WEIGHTS_H
#define LATHE_CODEGEN_CPU_CONTRACTION_WEIGHTS_H

#include "codegen/CPU/Contraction/Shape.h"
#include "codegen/Points/VectorTarget.h"
#include "codegen/Schedules/Panels.h"

namespace lathe::cpu {

/// Returns the tensor in memory that an operand is read from: the operand itself, or the halves or narrower integers that a
/// nest widens. Returns null for any other operand.
mlir::Value inMemory(mlir::Value operand);

/// Returns the width of the panels that a product's right operand is stored in; 0 for row-major order.
int64_t panelWidthOf(DotGeneralOp op);

/// Chooses the panels for the right operand of a kernel's product, which all targets of an object share. The ops in front of
/// the product are nests. Returns nullopt if the operand cannot be in panels: if the kernel reads it elsewhere too, or if it is
/// not an array of static matrices [depth, columns] wider than a panel.
std::optional<PanelChoice> choosePanels(KernelOp kernel, llvm::ArrayRef<VectorTarget> targets);

} // namespace lathe::cpu

#endif
