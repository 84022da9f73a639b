// The loops of a reduction, with the accumulators that keep a long sum accurate.
#ifndef LATHE_CODEGEN_CPU_SUMS_LONGSUM_H
#define LATHE_CODEGEN_CPU_SUMS_LONGSUM_H

#include "codegen/CPU/Sums/PairSums.h"
#include "codegen/CPU/Sums/SumOrder.h"

namespace lathe::cpu {

/// Accumulators over the loops of a reduction. Accumulators of floating-point sums follow a SumOrder whose terms are steps
/// along a row: a step is a vector with one term per lane. All other accumulators are carried from step to step.
class LongSum {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  struct Loops {
    Dims outer;            // extents of the loops around a row, slowest first
    Dim row;               // elements of a row
    int64_t stepBy;        // elements of a row per step
    mlir::Value kept = {}; // the elements that are added, whole steps, if a row may have more
  };
  /// Sets the index of an outer loop.
  using Enter = llvm::function_ref<void(unsigned, mlir::Value)>;
  /// Adds the elements [low, high) of a row to the accumulators. Unless `high` is the row's end, the range consists of whole
  /// steps.
  using AddRange = llvm::function_ref<Values(mlir::Value low, mlir::Value high, bool isLast, Values)>;

  /// `isSum` says for each accumulator whether it is a floating-point sum.
  LongSum(CodeFrame &frame, mlir::Operation *function, SumOrder order, Loops loops, llvm::ArrayRef<bool> isSum);

  /// True if there may be more than one chain.
  bool isLong() const { return hasChains; }
  /// Emits the loops and returns the accumulators over all rows; the accumulators start from their neutral values.
  Values run(const Values &neutral, Enter enter, AddRange add);

private:
  /// The values carried from step to step: the accumulators of the chain, of the group and of all groups, and the rows in the
  /// chain, the chains in the group and the number of groups.
  struct State {
    Values chain, group, all;
    mlir::Value rows, chains, groups;
  };
  Values pack(const State &state) const;
  State unpack(mlir::ValueRange values) const;
  State overRows(unsigned dim, const State &state, Enter enter, AddRange add);
  State alongRow(const State &state, AddRange add);
  State when(mlir::Value condition, const State &state, llvm::function_ref<State(State)> change);
  State endChain(State state);
  State endGroup(State state);
  Values finish(const State &state);
  Values sums(const Values &first, const Values &second);
  std::optional<int64_t> chainCount() const;
  mlir::Value wholeRowsOfChain();
  Values negativeZeros() const;

  CodeFrame &frame;
  PointEvaluator &eval;
  mlir::OpBuilder &b;
  SumOrder order;
  Loops loops;
  llvm::SmallVector<bool> isSum;
  mlir::Operation *function;
  bool hasChains = false, hasGroups = false; // true if there may be several
  bool countsRows = false;                   // counts the rows of a chain
  Values neutral;
  mlir::Value rowsOfChain;
  std::optional<PairSums> pairs;
};

} // namespace lathe::cpu

#endif
