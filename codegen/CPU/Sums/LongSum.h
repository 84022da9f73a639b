// The loops of a reduction, with the accumulators that keep a long sum accurate.
#ifndef LATHE_CODEGEN_CPU_SUMS_LONGSUM_H
#define LATHE_CODEGEN_CPU_SUMS_LONGSUM_H

#include "codegen/CPU/Sums/PairSums.h"
#include "codegen/CPU/Sums/SumOrder.h"

namespace lathe::cpu {

/// Accumulators over loops around a row. Those that are floating-point sums follow a SumOrder, in steps of the row: a step is a
/// vector of terms, one for each lane. All others are carried from step to step.
class LongSum {
public:
  using Values = llvm::SmallVector<mlir::Value>;
  struct Loops {
    Dims outer;     // extents of the loops around a row, slowest first
    Dim row;        // elements of a row
    int64_t stepBy; // elements of a row in a step
  };
  /// Sets the place along an outer loop.
  using Enter = llvm::function_ref<void(unsigned, mlir::Value)>;
  /// Adds the elements [low, high) of a row to the accumulators. `high` is the row's end, or whole steps lie between.
  using Piece = llvm::function_ref<Values(mlir::Value low, mlir::Value high, bool isLast, Values)>;

  /// `isSum` tells for each accumulator whether it is a floating-point sum.
  LongSum(PointEvaluator &eval, mlir::Operation *function, SumOrder order, Loops loops, llvm::ArrayRef<bool> isSum);

  /// Whether there may be more than one chain.
  bool isLong() const { return hasChains; }
  /// The accumulators over all rows, from their neutral values.
  Values run(const Values &neutral, Enter enter, Piece piece);

private:
  /// Carries from step to step the accumulators of a chain, of a group and of all groups, and how much they hold.
  struct State {
    Values chain, group, all;
    mlir::Value rows, chains, groups;
  };
  Values pack(const State &state) const;
  State unpack(mlir::ValueRange values) const;
  void yield(const State &state);
  State overRows(unsigned dim, const State &state, Enter enter, Piece piece);
  State alongRow(const State &state, Piece piece);
  State when(mlir::Value condition, const State &state, llvm::function_ref<State(State)> change);
  State endChain(State state);
  State endGroup(State state);
  Values finish(const State &state);
  Values sums(const Values &first, const Values &second);
  std::optional<int64_t> chainCount() const;
  mlir::Value wholeRowsOfChain();
  Values negativeZeros() const;

  PointEvaluator &eval;
  mlir::OpBuilder &b;
  SumOrder order;
  Loops loops;
  llvm::SmallVector<bool> isSum;
  mlir::Operation *function;
  bool hasChains = false, hasGroups = false; // whether there may be several
  bool countsRows = false;                   // of a chain
  Values neutral;
  mlir::Value rowsOfChain;
  std::optional<PairSums> pairs;
};

} // namespace lathe::cpu

#endif
