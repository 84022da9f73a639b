// Merges the slopes of a chain of elementwise ops into one: of a GELU or a SiLU, one tensor is stored in place of two or three.
#ifndef LATHE_AUTODIFF_SLOPES_H
#define LATHE_AUTODIFF_SLOPES_H

#include "mlir/IR/IRMapping.h"
#include "passes/Autodiff/Rules.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe::autodiff {

/// Finds tangents of a piece that are multiples of another tangent, element by element: if y = f(x) by elementwise ops, the
/// tangent of y is s * t, where t is the tangent of x and s the slope of f. The ops between them, which add tangents or
/// multiply them by known factors, are links of a chain. A chain is merged if its slopes are fewer than the residuals from
/// which the factors are computed and that nothing else in the linear part needs.
class Slopes {
public:
  /// `unknown` are the tangents of the piece, `needed` the ops of the known part.
  Slopes(const Piece &both, const llvm::DenseSet<mlir::Value> &unknown, const llvm::DenseSet<mlir::Operation *> &needed);

  /// True for a link of a merged chain.
  bool isMerged(mlir::Operation *op) const { return merged.contains(op); }
  /// True if the result of a merged link is needed outside of its chain, as a multiple of sourceOf(result).
  bool isEnd(mlir::Operation *op) const { return ends.contains(op); }
  mlir::Value sourceOf(mlir::Value tangent) const {
    mlir::Value source = sources.lookup(tangent);
    return source ? source : tangent;
  }
  /// True for an op of known values that only merged links need.
  bool isFactor(mlir::Operation *op) const { return factors.contains(op); }
  /// Emits the slope of the end of a merged chain in the known part, with the factors of it that are not there yet. Like
  /// cotangents, the factors are multiplied from the end to the source, so that a zero meets the same factors as in a chain
  /// that is not merged.
  mlir::Value emit(mlir::Operation *end, const Rules &rules, Emit &e, mlir::IRMapping &known) const;

private:
  /// A tangent of which others are multiples, and what is known of the links.
  struct Chain {
    llvm::SmallVector<mlir::Operation *> links, ends;
    unsigned numFactors = 0; // of links, constants aside
    unsigned numResiduals = 0;
  };

  bool isLink(mlir::Operation &op) const;
  bool isOfChain(mlir::Operation *op) const { return sourceOf(op->getResult(0)) != op->getResult(0); }
  bool endsAt(mlir::Operation *link, const Piece &both) const;
  void countResiduals(const Piece &both, llvm::DenseMap<mlir::Value, Chain> &chains) const;
  void addResiduals(mlir::Value known, llvm::SmallVectorImpl<mlir::Value> &residuals) const;
  void findFactors(const Piece &both);

  const llvm::DenseSet<mlir::Value> &unknown;
  const llvm::DenseSet<mlir::Operation *> &needed;
  llvm::DenseMap<mlir::Value, mlir::Value> sources;                        // of the results of links
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation *>> links; // of merged chains, by their sources
  llvm::DenseSet<mlir::Operation *> merged, ends, factors;
};

} // namespace lathe::autodiff

#endif
