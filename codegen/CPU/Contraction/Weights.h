// The right operand of a product: where it is in memory, and whether and how it can be stored in panels.
#ifndef LATHE_CODEGEN_CPU_CONTRACTION_WEIGHTS_H
#define LATHE_CODEGEN_CPU_CONTRACTION_WEIGHTS_H

#include "codegen/CPU/Contraction/Shape.h"
#include "codegen/Points/VectorTarget.h"
#include "codegen/Schedules/Panels.h"

namespace lathe::cpu {

/// Returns the tensor in memory that a left operand is read from: the operand itself, or the halves or narrower integers that a
/// nest widens. Returns null for any other operand.
mlir::Value inMemory(mlir::Value operand);

/// The right operand of a product, as it is in memory.
struct RightOperand {
  mlir::Value memory;                // null if the operand is not in memory
  std::optional<PanelLayout> panels; // unset if it is in row-major order

  int64_t panelWidth() const { return panels ? panels->width : 0; }
};

/// Returns where a product's right operand is in memory: an argument of the kernel, the narrower numbers that nests widen, or
/// an argument [panels, depth, width] whose elements nests put into the order of a matrix [depth, columns]. The object stores
/// the first two in panels if the kernel has kPanelsAttr for them; the last one is in panels by itself
/// (lathe-pack-loop-weights).
RightOperand rightOperandOf(DotGeneralOp op);

/// Chooses the panels for the right operand of a kernel's product, which all targets of an object share. The ops in front of
/// the product are nests. Returns nullopt if the operand cannot be in panels: if the kernel reads it elsewhere too, or if it is
/// not an array of static matrices [depth, columns] wider than a panel.
std::optional<PanelChoice> choosePanels(KernelOp kernel, llvm::ArrayRef<VectorTarget> targets);

} // namespace lathe::cpu

#endif
