// Decides if ops can be one loop over rows, with several passes over each row.
#ifndef LATHE_PASSES_FUSION_ROWFORM_H
#define LATHE_PASSES_FUSION_ROWFORM_H

#include "dialects/Lathe/IR/Lathe.h"
#include "llvm/ADT/SetVector.h"

namespace lathe {

/// The common iteration space of ops. Values of `full` shape have an element for each position of a row; values of the `kept`
/// dimensions have one for each row.
class RowForm {
public:
  /// `isRemade` is true for ops that each kernel recomputes for itself.
  RowForm(const llvm::SetVector<mlir::Operation *> &ops, llvm::function_ref<bool(mlir::Operation *)> isRemade)
      : ops(ops), isRemade(isRemade) {}

  /// Returns why the ops cannot be one loop over rows; empty if they can.
  llvm::StringRef obstacle();

private:
  bool unifyReductions();
  bool reads(mlir::Operation *op, mlir::OpOperand &operand);
  bool reachesInside(mlir::Operation *remade);
  bool isInside(mlir::Value value) const { return value.getDefiningOp() && ops.contains(value.getDefiningOp()); }
  bool isFull(mlir::Value value) const { return dimsOf(value) == full; }
  bool isPerRow(mlir::Value value) const { return dimsOf(value) == rows; }
  bool picksInRow(GatherOp gather) const;
  bool leavesNoRows() const;
  bool computesFunctionsOfShortRows();

  const llvm::SetVector<mlir::Operation *> &ops;
  llvm::function_ref<bool(mlir::Operation *)> isRemade;
  Dims full, rows;
  llvm::SmallVector<int64_t> kept, reduced;
  llvm::DenseMap<mlir::Operation *, bool> reaching; // results of reachesInside: there may be very many paths
};

} // namespace lathe

#endif
