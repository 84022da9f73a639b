// The chains of a sum whose terms lie one behind the other, for code that adds up whole chains at once.
#ifndef LATHE_CODEGEN_CPU_SUMS_CHAINS_H
#define LATHE_CODEGEN_CPU_SUMS_CHAINS_H

#include "codegen/CPU/Sums/SumOrder.h"
#include "codegen/Points/CodeFrame.h"

namespace lathe::cpu {

/// Sums of `depth` terms in rows of `row` terms. Chains are numbered, and so are groups of chains. Integers are all one chain.
class Chains {
public:
  Chains(CodeFrame &frame, SumOrder order, mlir::Type element, const Dim &depth, const Dim &row);

  /// True if such sums have one chain only, whatever the sizes.
  static bool areOne(SumOrder order, mlir::Type element, const Dim &depth, const Dim &row);

  /// Whether there is one chain only, or one group, whatever the sizes.
  bool areOne() const { return isOne; }
  bool areOneGroup() const { return isOneGroup; }

  /// Calls `body` for all chains, of which there is at least one, with the chain's number and whether it is the first of its
  /// group. Behind each group calls `endGroup`, unless there is one only, whatever the sizes.
  using Body = llvm::function_ref<void(mlir::Value number, mlir::Value isFirst)>;
  using EndGroup = llvm::function_ref<void(mlir::Value group, mlir::Value groups)>;
  void forEach(Body body, EndGroup endGroup);

  /// Returns where a chain's terms begin, and how many they are.
  struct Terms {
    mlir::Value start, length;
  };
  Terms terms(mlir::Value number);

private:
  void call(mlir::Value number, mlir::Value firstOfGroup, Body body);

  CodeFrame &frame;
  PointEvaluator &eval;
  SumOrder order;
  bool isOne, isOneGroup, isOneRow;
  mlir::Value depth;
  mlir::Value length, unit, perUnit; // of a chain; of the rows of one chain, or the one row of several; chains of these
  mlir::Value count;
};

/// Adds up groups of sums in memory: behind a group, `sums` holds the total of all groups up to it. `totals` has room for as
/// many.
void addGroup(CodeFrame &frame, mlir::Type vector, mlir::Value sums, mlir::Value totals, mlir::Value vectors, mlir::Value group,
              mlir::Value groups);
/// Sets `count` vectors in memory to 0.
void clearVectors(CodeFrame &frame, mlir::VectorType vector, mlir::Value to, mlir::Value count);
/// Adds `count` vectors in memory to others, where `condition` holds.
void addVectors(CodeFrame &frame, mlir::Type vector, mlir::Value from, mlir::Value to, mlir::Value count,
                mlir::Value condition);

} // namespace lathe::cpu

#endif
