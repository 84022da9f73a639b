// The chains of a sum whose terms are consecutive, for code that adds whole chains.
#ifndef LATHE_CODEGEN_CPU_SUMS_CHAINS_H
#define LATHE_CODEGEN_CPU_SUMS_CHAINS_H

#include "codegen/CPU/Sums/SumOrder.h"
#include "codegen/Points/CodeFrame.h"

namespace lathe::cpu {

/// The chains of a sum of `depth` terms in rows of `row` terms. Chains and groups of chains are numbered. Integers form one
/// chain. With `kept` the sum has only so many of the terms, which are one row.
class Chains {
public:
  Chains(CodeFrame &frame, SumOrder order, mlir::Type element, const Dim &depth, const Dim &row, mlir::Value kept = {});

  /// True if such a sum has one chain for any sizes.
  static bool areOne(SumOrder order, mlir::Type element, const Dim &depth, const Dim &row);

  /// Returns the number of groups of such a sum if its sizes are static.
  static std::optional<int64_t> groupCount(SumOrder order, const Dim &depth, const Dim &row);

  /// True if there is one chain, or one group, for any sizes.
  bool areOne() const { return isOne; }
  bool areOneGroup() const { return isOneGroup; }

  /// Calls `body` for each chain, of which there is at least one, with the chain's number and whether it is the first of its
  /// group. Calls `endGroup` after each group, unless there is one group for any sizes.
  using Body = llvm::function_ref<void(mlir::Value number, mlir::Value isFirst)>;
  using EndGroup = llvm::function_ref<void(mlir::Value group, mlir::Value groups)>;
  void forEach(Body body, EndGroup endGroup);

  /// The range of terms of a chain.
  struct Terms {
    mlir::Value start, length;
  };
  Terms terms(mlir::Value number);

  /// Stores the vectors of a chain's sum at `to`, or adds them to those there unless the chain is the first.
  void store(llvm::ArrayRef<mlir::Value> totals, mlir::Value to, mlir::Value isFirst) { store(frame, totals, to, isFirst); }
  /// The same in a function that the kernel calls.
  void store(CodeFrame &inside, llvm::ArrayRef<mlir::Value> totals, mlir::Value to, mlir::Value isFirst) const;

private:
  void call(mlir::Value number, mlir::Value firstOfGroup, Body body);

  CodeFrame &frame;
  PointEvaluator &eval;
  SumOrder order;
  bool isOne, isOneGroup, isOneRow;
  mlir::Value depth;
  mlir::Value length;  // terms of a chain
  mlir::Value unit;    // terms of the rows that form a chain, or of a row that is cut into chains
  mlir::Value perUnit; // chains of a unit
  mlir::Value count;   // chains of the sum
};

/// Adds up groups of sums in memory: after each group, `sums` holds the total of all groups so far. `totals` is scratch memory
/// of the same size.
void addGroup(CodeFrame &frame, mlir::Type vector, mlir::Value sums, mlir::Value totals, mlir::Value vectors, mlir::Value group,
              mlir::Value groups);
/// Sets `count` vectors in memory to 0.
void clearVectors(CodeFrame &frame, mlir::VectorType vector, mlir::Value to, mlir::Value count);
/// Adds `count` vectors in memory to those at `to`, if `condition` holds.
void addVectors(CodeFrame &frame, mlir::Type vector, mlir::Value from, mlir::Value to, mlir::Value count,
                mlir::Value condition);

} // namespace lathe::cpu

#endif
