// Loops that keep less of each step: another loop that reads the stacks of a scan slice by slice computes the slices again.
#ifndef LATHE_PASSES_RECOMPUTE_LOOPS_H
#define LATHE_PASSES_RECOMPUTE_LOOPS_H

#include "lib/Analysis/BlockMemory.h"
#include "lib/Analysis/KernelCost.h"

namespace lathe {

/// Stacks that a loop no longer collects. Only one other loop over the same steps reads them, a slice in each step. It computes
/// the slice again from what stays: other stacks, the carries before the step, what the first loop reads itself.
struct LoopCandidate {
  ScanOp collector, reader;
  llvm::SmallVector<unsigned> stacks; // results of `collector`
  /// The one stack is computed by elementwise ops from other results of its kernel that are stacked, or else from its inputs.
  /// Otherwise the kernels run again as a whole.
  bool isPart = false;
  /// How many kernels in a row run again before `reader`, where it would otherwise be the last to read a value from outside.
  unsigned levels = 0;
  /// True if each step computes its slice of a kernel's result that `reader` would otherwise be the last to read.
  bool slices = false;

  /// True if the other candidate only differs by slices that steps compute.
  bool keepsMoreThan(const LoopCandidate &other) const {
    return levels > 0 && !slices && other.slices && collector == other.collector && reader == other.reader &&
           isPart == other.isPart && stacks == other.stacks;
  }
};

/// Returns the candidates in a function's block whose values are live while the op `peak` of that block runs.
std::vector<LoopCandidate> findLoopCandidates(mlir::Block &block, mlir::Operation *peak);

/// Replaces the two loops of a candidate, and can bring them back.
class LoopRewrite {
public:
  LoopRewrite(const LoopCandidate &candidate, const Sizes &sizes, const MachineModel &machine);
  LoopRewrite(const LoopRewrite &) = delete;
  ~LoopRewrite();

  /// False if a slice cannot be computed again; the function is then as it was.
  bool isApplied() const { return bool(newCollector); }
  void undo();
  /// Erases the old loops, and the first new one if nobody reads its results.
  void commit();

  double nanoseconds() const { return added; }
  int64_t freedBytes() const { return freed; }
  mlir::Location getLoc() const { return location; } // of the op that makes the first stack's slices
  /// Returns the kernels that run again before the reader.
  llvm::ArrayRef<mlir::Operation *> before() const { return repeated; }
  mlir::Operation *oldCollector() const { return collector.op; }
  mlir::Operation *oldReader() const { return reader.op; }

private:
  /// An op outside of its block, and its operands there.
  struct Detached {
    mlir::Operation *op;
    llvm::SmallVector<mlir::Value> operands;
  };

  static void detach(Detached &each);
  static void attach(Detached &each, mlir::Operation *before);
  bool compute(const LoopCandidate &candidate);
  mlir::Value again(mlir::Value inside);
  mlir::Value argumentAgain(mlir::BlockArgument inside);
  mlir::Value sliceAgain(mlir::Value outside);
  mlir::Value outsideAgain(mlir::Value outside, unsigned levels);
  mlir::Value copyOf(mlir::Operation *op, mlir::Value result);
  mlir::Value partOf(mlir::Value inside);
  std::optional<unsigned> stackOf(mlir::Value inside);
  mlir::Value sliceOf(mlir::Value stack);
  mlir::Operation *insert(mlir::Operation *op);
  static void place(mlir::Operation *op);
  static void bringOperands(mlir::Operation *op);
  void shrink();
  static ScanOp withStack(ScanOp loop, mlir::Value inside);

  const Sizes &sizes;
  const MachineModel &machine;
  Detached collector, reader;
  ScanOp newCollector, newReader;
  llvm::SmallVector<std::pair<mlir::OpOperand *, mlir::Value>> uses; // of the old loops' results
  llvm::SmallDenseSet<unsigned> dropped;                             // results of the first loop
  llvm::DenseMap<mlir::Value, mlir::Value> known;                    // from the first loop's body to that of the second
  llvm::SmallVector<mlir::Operation *> inserted;                     // in the order of their operands
  unsigned levels;
  bool slices;
  bool isSliced = false; // a slice of an outer value is computed
  llvm::DenseMap<mlir::Value, mlir::Value> knownOutside;
  llvm::SmallVector<mlir::Operation *> outside, repeated; // inserted before the second loop; the kernels among them
  mlir::Location location;
  double added = 0;
  int64_t freed = 0;
};

} // namespace lathe

#endif
