// The clusters of ops that fusion builds, and the rules by which they grow.
#ifndef LATHE_PASSES_FUSION_CLUSTERS_H
#define LATHE_PASSES_FUSION_CLUSTERS_H

#include "dialects/Lathe/IR/Control.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace lathe {

/// A matrix product, or a convolution or one of its derivatives.
bool multiplies(mlir::Operation *op);

/// A partition of a block's ops: each cluster becomes a kernel, or is a branch or loop. Ops that are cheaper made again than
/// stored (broadcasts, splat constants, iota) belong to none; the kernels that use them get copies.
class Clusters {
public:
  explicit Clusters(mlir::Block &block);

  /// Grows clusters over the whole block, in program order.
  void grow();

  /// The cluster of an op; -1 for an op without one.
  int of(mlir::Operation *op) const;
  const std::vector<std::vector<mlir::Operation *>> &all() const { return members; }
  /// The op whose line stands for the cluster: its reduction, else its last op.
  mlir::Operation *mainOp(int cluster) const;
  /// Returns the last reporting op before an op that reports, which must precede it; null for any other op.
  mlir::Operation *before(mlir::Operation *op) const { return orderedBefore.lookup(op); }
  /// Values of the cluster that something outside uses, in program order.
  llvm::SmallVector<mlir::Value> outputs(int cluster) const;

  /// Why `op` and its cluster may not join another cluster that it reads; empty if they may.
  llvm::StringRef obstacle(mlir::Operation *op, int cluster) const;
  /// True if the cluster is a loop over rows (see kRowsAttr).
  bool isOverRows(int cluster) const { return overRows.contains(cluster); }

  static bool isRemade(mlir::Operation *op);
  static bool isView(mlir::Operation *op) { return mlir::isa<ReshapeOp>(op); }
  static bool isHero(mlir::Operation *op);
  /// True if the op reads its operands from memory, so that none is recomputed for it.
  static bool needsMemory(mlir::Operation *op) {
    return isView(op) || isControl(op) || op->hasTrait<mlir::OpTrait::IsTerminator>() || op->hasTrait<OwnKernelTrait>();
  }

private:
  /// The same for a kernel of one reduction and results of one shape, and for one over rows.
  llvm::StringRef nestObstacle(mlir::Operation *op, int cluster) const;
  llvm::StringRef rowsObstacle(int cluster, int joining) const;
  bool readsThroughRemade(int reader, int source) const;
  void add(mlir::Operation *op);
  /// Merges the op's cluster with those that it reads, as far as nothing is in the way.
  void joinSources(mlir::Operation *op);
  /// The cluster that reads all values of this one, by ops that pick parts of them, and no element more often than there are
  /// elements; -1 if there is none.
  int readerOfParts(int index) const;
  /// Merges a cluster that only picks elements, the last of them by `op`, with the only one that reads it. Growing did not:
  /// while one part is looked at, the others are outside, and the value would be stored for them. Computed where its parts are
  /// read, it is neither stored nor read back, and no index is looked up more often than before. If several kernels read parts,
  /// it stays in memory: rows picked from a large table would come through the cache again for each of them.
  void joinReaderOfParts(mlir::Operation *op);
  bool wouldCycle(int cluster, int joining) const;
  void merge(int into, int from, bool asRows);
  bool hasHero(int cluster) const;
  bool usesOutside(mlir::Value value, int cluster, int joining) const;
  /// Clusters that `op` comes after: whose values it uses, through ops that are made again, or whose reports come before its
  /// own.
  void sources(mlir::Operation *op, llvm::SmallVectorImpl<int> &found) const;

  mlir::Block &block;
  llvm::DenseMap<mlir::Operation *, int> cluster;
  llvm::DenseMap<mlir::Operation *, unsigned> position;
  std::vector<std::vector<mlir::Operation *>> members;
  llvm::SmallDenseSet<int> overRows, grown;                           // grown: of several members
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> orderedBefore; // of what reports, the one in front of it
};

} // namespace lathe

#endif
