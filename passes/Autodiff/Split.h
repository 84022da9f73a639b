// The state of splitting a piece in two; each kind of control op splits itself with it (Control/Split.cpp).
#ifndef LATHE_AUTODIFF_SPLIT_H
#define LATHE_AUTODIFF_SPLIT_H

#include "mlir/IR/IRMapping.h"
#include "passes/Autodiff/Linearise.h"
#include "passes/Autodiff/Slopes.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe::autodiff {

class Split {
public:
  Split(const Rules &rules, const Piece &both, Emit &known, LinearPart &part);

  mlir::FailureOr<llvm::SmallVector<mlir::Value>> run(Values knownArguments, llvm::ArrayRef<bool> isLinear);

  bool isUnknown(mlir::Value value) const { return unknown.contains(value); }
  /// Returns a known value of the piece in the known part; null for an unknown one.
  mlir::Value inKnown(mlir::Value value) const { return known.lookupOrNull(value); }
  /// Returns a value of the piece in the linear part. A known one becomes a residual, once. In a function, the plan decides if
  /// recomputing it is cheaper, since it knows sizes and lifetimes. In a region, where a residual may be a stack of all steps,
  /// constants are created again, and so are ops that repeat or widen something smaller.
  mlir::Value inLinear(mlir::Value value);
  /// The same for a value that exists only in the known part.
  mlir::Value residual(mlir::Value knownValue);

  void setKnown(mlir::Value value, mlir::Value become) { known.map(value, become); }
  void setLinear(mlir::Value value, mlir::Value become) { linear.map(value, become); }
  Emit &getKnown() { return knownEmit; }
  Emit &getLinear() { return linearEmit; }
  const Rules &getRules() const { return rules; }

private:
  void findNeeded(llvm::ArrayRef<bool> isLinear);
  mlir::LogicalResult split(mlir::Operation &op);
  mlir::LogicalResult splitPlain(mlir::Operation &op);
  /// At the end of a chain, emits its slope in the known part and the product with it in the linear part.
  void splitMerged(mlir::Operation &link);
  /// Finds an op of the known part that computes the same as `op`, an op of the linear part, and emits it if it comes later.
  /// Null if no op does, and in a function, where equal ops are merged later.
  mlir::Operation *equalInKnown(mlir::Operation &op);
  bool isRemade(mlir::Operation *op) const;
  bool isSpread(mlir::Operation *op) const;

  const Rules &rules;
  const Piece &both;
  Emit &knownEmit;
  LinearPart &part;
  Emit linearEmit;
  mlir::IRMapping known, linear;
  llvm::DenseSet<mlir::Value> unknown;
  llvm::DenseSet<mlir::Operation *> needed;
  llvm::DenseMap<mlir::Value, mlir::Value> slots;
  std::optional<Slopes> slopes;
};

/// Splits a control op with an unknown operand: a known op in the known part, a linear one in the linear part.
mlir::LogicalResult splitControl(Split &split, mlir::Operation *op);

} // namespace lathe::autodiff

#endif
