// Accumulators of a nest's reduction: neutral values, one step, and the sum across lanes.
#ifndef LATHE_CODEGEN_POINTS_REDUCTION_H
#define LATHE_CODEGEN_POINTS_REDUCTION_H

#include "codegen/Points/PointEvaluator.h"

namespace lathe {

/// Two values combined as a reduction of this kind does, lane by lane. A sum of products may take a product unrounded.
mlir::Value combine(mlir::OpBuilder &builder, mlir::Location location, NestReduction kind, mlir::Value total, mlir::Value value,
                    bool ofProducts = false);

/// The value that changes none when combined with it.
mlir::TypedAttr neutralOf(NestReduction kind, mlir::Type element, mlir::Builder builder);

/// How running results, and updates that are not set but combined, combine.
NestReduction reductionOf(CumulativeKind kind);
NestReduction reductionOf(ScatterKind kind);

/// Bytes of the element of a nest's floating sum or product, whose order is that of its lanes; 0 for all other reductions.
/// Lanes follow from it alone, so that the same sum rounds in the same order whatever it shares a kernel with.
unsigned bytesOfOrderedSum(NestOp nest);
/// Whether a reduction's accumulators are one sum of floats, whose rounding errors add up.
bool isFloatSum(NestOp nest);

class Reduction {
public:
  using Accumulators = llvm::SmallVector<mlir::Value>;

  Reduction(NestOp nest, PointEvaluator &eval);

  /// Accumulators at the evaluator's current number of lanes: one value; for argmax and argmin the best value and its index;
  /// for extrema of f32 the largest and the smallest key (see keyOf).
  Accumulators neutral() const;
  size_t size() const { return givesIndex(nest.getReduction()) || goesByKeys() ? 2 : 1; }
  /// The accumulators with the nest's point at `place` taken in, in lanes where `mask` holds (null: all).
  Accumulators step(const Accumulators &values, llvm::ArrayRef<Index> place, mlir::Value mask) const;
  /// The accumulators of two parts of the elements as those of both.
  Accumulators merge(const Accumulators &left, const Accumulators &right) const;
  /// Lanes combined to scalars by halving: lane i with lane i + n/2.
  Accumulators acrossLanes(const Accumulators &values) const;
  /// Whether it sums products that the nest makes itself.
  bool sumsProducts() const { return ofProducts && nest.getReduction() == NestReduction::Sum; }
  /// What the nest's result is at this point, from accumulators or from what acrossLanes made of them.
  mlir::Value result(const Accumulators &values) const;

private:
  mlir::Value combine(mlir::Value total, mlir::Value value) const {
    return lathe::combine(eval.b, eval.loc, nest.getReduction(), total, value, ofProducts);
  }
  mlir::Value add(mlir::Value total, mlir::Value value) const;
  Accumulators stepIndexed(const Accumulators &values, mlir::Value value, mlir::Value index, mlir::Value mask) const;
  Accumulators firstOfBest(const Accumulators &left, const Accumulators &right) const;
  Accumulators choose(mlir::Value first, const Accumulators &values, const Accumulators &others) const;
  mlir::Value beats(mlir::Value value, mlir::Value best) const;
  mlir::Value indices(const Index &place) const;
  bool goesByKeys() const;
  mlir::Value keyOf(mlir::Value value) const;
  mlir::Value key(int32_t bits, mlir::Value like) const;
  mlir::Value extremeKey(const Accumulators &values) const;

  mutable NestOp nest; // a handle: its accessors are not const
  PointEvaluator &eval;
  mlir::Type element; // of what the body yields
  bool ofProducts;    // made by the nest itself: another op's product is rounded, whatever it is fused with
};

} // namespace lathe

#endif
