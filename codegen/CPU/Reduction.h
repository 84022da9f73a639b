// Accumulators of a nest's reduction: neutral values, one step, and the sum across lanes.
#ifndef LATHE_CODEGEN_CPU_REDUCTION_H
#define LATHE_CODEGEN_CPU_REDUCTION_H

#include "codegen/CPU/PointEvaluator.h"

namespace lathe::cpu {

/// Two values combined as a reduction of this kind does, lane by lane.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location location, NestReduction kind, mlir::Value total,
                    mlir::Value value);

/// The value that changes none when combined with it.
mlir::TypedAttr neutralOf(NestReduction kind, mlir::Type element, mlir::Builder builder);

class Reduction {
public:
  using Accumulators = llvm::SmallVector<mlir::Value>;

  Reduction(NestOp nest, PointEvaluator &eval);

  /// Accumulators at the evaluator's current number of lanes: one value; for argmax and argmin the best value and its index.
  Accumulators neutral() const;
  Accumulators neutralLanes() const { return neutral(); }
  /// The accumulators with the nest's point at `place` taken in, in lanes where `mask` holds (null: all).
  Accumulators step(const Accumulators &values, llvm::ArrayRef<Index> place, mlir::Value mask) const;
  /// Lanes combined to scalars by halving: lane i with lane i + n/2.
  Accumulators acrossLanes(const Accumulators &values) const;
  /// What the nest's result is at this point.
  mlir::Value result(const Accumulators &values) const { return values.back(); }

private:
  mlir::Value combine(mlir::Value total, mlir::Value value) const {
    return cpu::combine(eval.b, eval.loc, nest.getReduction(), total, value);
  }
  Accumulators stepIndexed(const Accumulators &values, mlir::Value value, mlir::Value index, mlir::Value mask) const;
  Accumulators firstOfBest(const Accumulators &left, const Accumulators &right) const;
  Accumulators choose(mlir::Value first, const Accumulators &values, const Accumulators &others) const;
  mlir::Value beats(mlir::Value value, mlir::Value best) const;
  mlir::Value indices(const Index &place) const;

  mutable NestOp nest; // a handle: its accessors are not const
  PointEvaluator &eval;
  mlir::Type element; // of what the body yields
};

} // namespace lathe::cpu

#endif
