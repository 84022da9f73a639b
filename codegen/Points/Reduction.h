// The accumulators of a nest's reduction: neutral values, steps, and the reduction across lanes.
#ifndef LATHE_CODEGEN_POINTS_REDUCTION_H
#define LATHE_CODEGEN_POINTS_REDUCTION_H

#include "codegen/Points/PointEvaluator.h"

namespace lathe {

/// Combines two values as a reduction of this kind does, lane by lane. A sum `ofProducts` may be contracted to fused
/// multiply-adds.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location location, NestReduction kind, mlir::Value total, mlir::Value value,
                    bool ofProducts = false);

/// Returns the neutral value of a reduction.
mlir::TypedAttr neutralOf(NestReduction kind, mlir::Type element, mlir::Builder builder);

/// Returns the reduction with which a cumulative op, or a scatter that does not set, combines values.
NestReduction reductionOf(CumulativeKind kind);
NestReduction reductionOf(ScatterKind kind);

/// Returns the bytes per element of a nest's floating-point sum or product, whose order depends on its lanes; 0 for all other
/// reductions. Nothing else decides the lanes, so that a sum is rounded in the same order in any kernel.
unsigned bytesOfOrderedSum(NestOp nest);
/// True if a reduction is a sum of floats, whose rounding errors accumulate.
bool isFloatSum(NestOp nest);

class Reduction {
public:
  using Accumulators = llvm::SmallVector<mlir::Value>;

  Reduction(NestOp nest, PointEvaluator &eval);

  /// Returns neutral accumulators for the evaluator's current lanes. There is one value. Argmax and argmin have the best value
  /// and its index, extrema of f32 the largest and the smallest key (see keyOf).
  Accumulators neutral() const;
  size_t size() const { return givesIndex(nest.getReduction()) || goesByKeys() ? 2 : 1; }
  /// Adds the nest's point at `place` to the accumulators, in lanes where `mask` holds (null: all).
  Accumulators step(const Accumulators &values, llvm::ArrayRef<Index> place, mlir::Value mask) const;
  /// Combines the accumulators of two parts of the elements.
  Accumulators merge(const Accumulators &left, const Accumulators &right) const;
  /// Combines the lanes to scalars by halving: lane i with lane i + n/2.
  Accumulators acrossLanes(const Accumulators &values) const;
  /// True if it sums products that the nest itself computes.
  bool sumsProducts() const { return ofProducts && nest.getReduction() == NestReduction::Sum; }
  /// Returns the nest's result, given its accumulators or the result of acrossLanes.
  mlir::Value result(const Accumulators &values) const;

private:
  mlir::Value combine(mlir::Value total, mlir::Value value) const;
  mlir::Value add(mlir::Value total, mlir::Value value) const;
  Accumulators stepIndexed(const Accumulators &values, mlir::Value value, mlir::Value index, mlir::Value mask) const;
  Accumulators firstOfBest(const Accumulators &left, const Accumulators &right) const;
  Accumulators choose(mlir::Value first, const Accumulators &values, const Accumulators &others) const;
  mlir::Value beats(mlir::Value value, mlir::Value best) const;
  mlir::Value indices(const Index &place) const;
  bool goesByKeys() const;
  /// True if it finds a maximum by comparisons, of which NaN may or may not be the result.
  bool ignoresNaN() const;
  mlir::Value keyOf(mlir::Value value) const;
  mlir::Value key(int32_t bits, mlir::Value like) const;
  mlir::Value extremeKey(const Accumulators &values) const;

  mutable NestOp nest; // a handle: its accessors are not const
  PointEvaluator &eval;
  mlir::Type element; // the type that the body yields
  bool ofProducts;    // computed by the nest itself: the product of another op is rounded, even if it is fused
};

} // namespace lathe

#endif
