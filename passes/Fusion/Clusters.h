// The clusters of ops that fusion builds, and the rules by which they grow.
#ifndef LATHE_PASSES_FUSION_CLUSTERS_H
#define LATHE_PASSES_FUSION_CLUSTERS_H

#include "dialects/Lathe/IR/Control.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>
#include <vector>

namespace lathe {

/// A partition of a block's ops: each cluster becomes a kernel, or is a branch or loop. Ops that are cheaper to recompute than
/// to store (broadcasts, splat constants, iota) belong to no cluster; the kernels that use them get copies.
class Clusters {
public:
  explicit Clusters(mlir::Block &block);

  /// Joins ops over items (passes/Fusion/ItemForm.h) if kernels of other forms would store many values between them, or `any`.
  void joinItems(bool any);
  /// Grows clusters over the whole block, in program order. Those over items stay as they are.
  void grow();
  /// Merges depthwise convolutions between planes with the transposes around them (opsBetweenPlanes), and other convolutions
  /// with the transpose of their results to planes (opsToPlanes).
  void joinPlanes();

  /// Returns the cluster of an op, or -1.
  int of(mlir::Operation *op) const;
  const std::vector<std::vector<mlir::Operation *>> &all() const { return members; }
  /// Returns the op whose line represents the cluster: its reduction, else its last op.
  mlir::Operation *mainOp(int cluster) const;
  /// Returns the last ordered op (isOrdered) before an ordered op, which must precede it; null for any other op.
  mlir::Operation *before(mlir::Operation *op) const { return orderedBefore.lookup(op); }
  /// Returns values of the cluster that are used outside it, in program order.
  llvm::SmallVector<mlir::Value> outputs(int cluster) const;

  /// Returns why `op`'s cluster cannot merge with one that it reads; empty if it can.
  llvm::StringRef obstacle(mlir::Operation *op, int cluster) const;
  /// True if the cluster is a loop over rows (see kRowsAttr).
  bool isOverRows(int cluster) const { return overRows.contains(cluster); }
  /// True if the cluster is a kernel over items (see kItemsAttr).
  bool isOverItems(int cluster) const { return items.contains(cluster); }

  static bool isView(mlir::Operation *op) { return mlir::isa<ReshapeOp>(op); }
  static bool isHero(mlir::Operation *op) { return op->hasTrait<HeroTrait>(); }
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
  /// The items of a cluster, and the number of elements that it computes for each of them.
  struct Items {
    Dim extent;
    int64_t elements;
  };
  void joinItemsOf(mlir::Operation *op);
  bool isWorthItems(int cluster) const;
  /// Gives each op of a cluster the one that it had at first; a view has none.
  void dissolve(int cluster, const llvm::DenseMap<mlir::Operation *, int> &first);
  /// Merges the op's cluster with those that it reads, as far as possible.
  void joinSources(mlir::Operation *op);
  /// Returns the cluster that reads all values of this one through ops that pick parts of them, without reading more elements
  /// than it has; -1 if there is none.
  int readerOfParts(int index) const;
  /// Merges a cluster that only picks elements, the last of them by `op`, with its only reader. Growing does not do this: while
  /// it considers one part, the other parts are outside, and the value would be stored for them. If the value is computed where
  /// its parts are read, it is neither stored nor read back, and no index is looked up more often. If several kernels read
  /// parts, it stays in memory: otherwise each of them would load the rows of a large table through the cache again.
  void joinReaderOfParts(mlir::Operation *op);
  bool wouldCycle(int cluster, int joining) const;
  void merge(int into, int from, bool asRows);
  bool hasHero(int cluster) const;
  bool usesOutside(mlir::Value value, int cluster, int joining) const;
  /// Finds the clusters that must precede `op`: those whose values it uses, also through recomputed ops, and that of the
  /// ordered op before it.
  void sources(mlir::Operation *op, llvm::SmallVectorImpl<int> &found) const;

  mlir::Block &block;
  llvm::DenseMap<mlir::Operation *, int> cluster;
  llvm::DenseMap<mlir::Operation *, unsigned> position;
  std::vector<std::vector<mlir::Operation *>> members;
  llvm::SmallDenseSet<int> overRows, grown;                           // grown: with several members
  std::map<int, Items> items;                                         // of the clusters over items
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> orderedBefore; // for each ordered op, the previous one
};

} // namespace lathe

#endif
