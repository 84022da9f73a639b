// Which dimensions of an op's operands and results can be divided together.
#ifndef LATHE_PASSES_PARTITION_RULE_H
#define LATHE_PASSES_PARTITION_RULE_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::partition {

/// The dimensions of an op in terms of factors. A factor is a range of indices that dimensions of operands and results share: a
/// rank that has only a part of it computes the same part of the results that have it. Einstein's convention names dimensions
/// in the same way; Xu et al. 2021, "GSPMD: General and Scalable Parallelization for ML Computation Graphs", propagate splits
/// so.
struct Rule {
  /// A dimension that cannot be divided.
  static constexpr int kWhole = -1;

  /// Says how a result follows from those of the parts of a factor that it lacks.
  enum class Missing { Refused, Sum, Max, Min, Same };
  /// Which sums over ranks an op may be applied to before they are added up: in none of its operands, in the only tensor
  /// operand, in all operands together, in one operand at a time, or in the first operand.
  enum class Linear { None, Unary, All, OneOf, First };

  llvm::SmallVector<llvm::SmallVector<int>> operands, results; // for each dimension, its factor or kWhole
  llvm::SmallVector<int64_t> parts;                            // for each factor, a number that an axis' size must divide
  Missing missing = Missing::Refused;
  Linear linear = Linear::None;
  /// The factor that operand 1, indices, counts; a rank subtracts the start of its part from them. kWhole for none.
  int indexed = kWhole;

  /// Makes all dimensions of an op whole.
  explicit Rule(mlir::Operation *op);

  /// Adds a factor of this extent; kWhole if it is not a number.
  int add(const Dim &extent);
  /// Adds a factor for a dimension of the first operand, and gives it to a dimension of the first result.
  int share(mlir::Operation *op, int64_t operandDim, int64_t resultDim);
};

/// Returns the rule of an op without regions. An op that has none takes and returns whole values.
Rule ruleOf(mlir::Operation *op);

// The rules of families of ops; null for another op.
std::optional<Rule> ruleOfProduct(mlir::Operation *op);
std::optional<Rule> ruleOfMove(mlir::Operation *op);
std::optional<Rule> ruleOfIndexing(mlir::Operation *op);
std::optional<Rule> ruleAlong(mlir::Operation *op);

/// Returns why an op with a rule cannot take a split dimension of an operand; empty if a factor of it can be divided.
std::string whyWhole(mlir::Operation *op, const Rule &rule, unsigned operand, int64_t dim, int64_t ranks);

} // namespace lathe::partition

#endif
