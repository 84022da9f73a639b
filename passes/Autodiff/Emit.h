// Builds the ops of tangents and cotangents at one insertion point.
#ifndef LATHE_AUTODIFF_EMIT_H
#define LATHE_AUTODIFF_EMIT_H

#include "passes/Autodiff/Body.h"
#include "llvm/ADT/DenseMap.h"

namespace lathe::autodiff {

/// Every op takes the current location, which is the primal op's. Identities fold as they are built, and constants are shared,
/// to keep generated derivatives small.
class Emit {
public:
  explicit Emit(mlir::OpBuilder builder) : builder(builder), location(builder.getUnknownLoc()) {}
  /// Returns an emitter at the end of a body whose results this one's ops will use.
  Emit inside(Body &body) {
    Emit inner(body.end(builder.getContext()));
    inner.at(location);
    return inner;
  }

  ShapeAttr shape(llvm::ArrayRef<Dim> dims) { return shapeOf(builder.getContext(), dims); }
  void at(mlir::Location primal) { location = primal; }
  mlir::Location getLocation() const { return location; }
  mlir::OpBuilder &getBuilder() { return builder; }

  template <typename Op, typename... Arguments>
  mlir::Value make(Arguments &&...arguments) {
    return builder.createOrFold<Op>(location, std::forward<Arguments>(arguments)...);
  }

  // Elementwise, on equal types.
  mlir::Value add(mlir::Value a, mlir::Value b) { return make<AddOp>(a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return make<SubOp>(a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value div(mlir::Value a, mlir::Value b) { return make<DivOp>(a, b); }
  mlir::Value neg(mlir::Value a) { return make<NegOp>(a); }
  mlir::Value compare(CompareKind kind, mlir::Value a, mlir::Value b) { return make<CompareOp>(kind, a, b); }
  mlir::Value select(mlir::Value predicate, mlir::Value a, mlir::Value b) { return make<SelectOp>(predicate, a, b); }
  mlir::Value convert(mlir::Value a, mlir::Type element) { return make<ConvertOp>(a, element); }
  /// Returns the sum of two values, each of which may be a symbolic zero (null).
  mlir::Value plus(mlir::Value a, mlir::Value b) { return !a ? b : !b ? a : add(a, b); }

  // Constants of any shape; named dimensions give a scalar and its broadcast.
  mlir::Value splat(mlir::RankedTensorType type, double number);
  mlir::Value splatLike(mlir::Value value, double number) { return splat(typeOf(value), number); }
  mlir::Value zeros(mlir::Type type) { return splat(mlir::cast<mlir::RankedTensorType>(type), 0); }
  mlir::Value integer(mlir::Type element, int64_t number); // of rank 0, all of its bits
  mlir::Value scalar(mlir::Type element, double number) { return splat(mlir::RankedTensorType::get({}, element), number); }

  // Shapes.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> dims, const Dims &shape);
  /// `like`, if given, says which sizes are assumed to be equal.
  mlir::Value reshape(mlir::Value value, const Dims &shape, ReshapeOp like = {});
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int64_t> permutation) {
    return make<TransposeOp>(value, permutation);
  }
  mlir::Value pad(mlir::Value value, llvm::ArrayRef<Dim> low, llvm::ArrayRef<Dim> high, llvm::ArrayRef<int64_t> interior,
                  double filler = 0);
  mlir::Value reduceSum(mlir::Value value, llvm::ArrayRef<int64_t> dims);
  /// Repeats a reduced value along `dims`, to the shape `full` before the reduction.
  mlir::Value spread(mlir::Value reduced, mlir::RankedTensorType full, llvm::ArrayRef<int64_t> dims);
  /// Returns the size of a dimension at run time, as a rank 0 i64.
  mlir::Value sizeOf(const Dim &dim);

  /// Reports that an op has no derivative here; the current step then ends.
  mlir::Value fail(mlir::Operation *op, const llvm::Twine &reason);
  bool hasFailed() const { return failedOnce; }

private:
  mlir::Value constant(mlir::DenseElementsAttr value);

  mlir::OpBuilder builder;
  mlir::Location location;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
  bool failedOnce = false;
};

/// Returns the dimensions below `rank` that are not in `dims`.
llvm::SmallVector<int64_t> otherDims(int64_t rank, llvm::ArrayRef<int64_t> dims);

} // namespace lathe::autodiff

#endif
