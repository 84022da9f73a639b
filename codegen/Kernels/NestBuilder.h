// Builds lathe.nest ops: extents, accesses and a scalar body.
#ifndef LATHE_CODEGEN_KERNELS_NESTBUILDER_H
#define LATHE_CODEGEN_KERNELS_NESTBUILDER_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Builders.h"

namespace lathe {

inline mlir::RankedTensorType typeOf(mlir::Value tensor) { return mlir::cast<mlir::RankedTensorType>(tensor.getType()); }

class NestBuilder {
public:
  /// Begins a nest over the dimensions of `result` and the `reduce` dimensions.
  NestBuilder(mlir::OpBuilder &builder, mlir::Location location, mlir::RankedTensorType result, llvm::ArrayRef<Dim> reduce = {},
              NestReduction reduction = NestReduction::None);

  /// Returns the nest's dimension i; parallel dimensions come first.
  mlir::AffineExpr dim(unsigned i) const { return mlir::getAffineDimExpr(i, context()); }
  mlir::AffineExpr constant(int64_t value) const { return mlir::getAffineConstantExpr(value, context()); }
  /// Returns a dimension expression over the nest's symbols, which are extended as needed.
  mlir::AffineExpr expr(const Dim &dim);

  /// Adds an input. It is read at `indices` if every `nonNegative` expression of the guard is >= 0 and every `zero` one is 0.
  /// Otherwise its value is `fill` (zero by default).
  struct Guard {
    llvm::SmallVector<mlir::AffineExpr> nonNegative, zero;
  };
  void read(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> indices, const Guard &guard = {}, mlir::TypedAttr fill = {});

  /// Creates the op. `body` maps the scalars of the inputs, in order, to the scalar of the result.
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
  mlir::Value finish(Body body);
  /// The body of a nest that copies its first input.
  static mlir::Value firstScalar(mlir::OpBuilder &, mlir::Location, mlir::ValueRange scalars) { return scalars[0]; }

private:
  mlir::MLIRContext *context() const { return builder.getContext(); }

  struct Read {
    mlir::Value tensor;
    llvm::SmallVector<mlir::AffineExpr> indices;
    Guard guard;
    mlir::TypedAttr fill;
  };
  mlir::OpBuilder &builder;
  mlir::Location location;
  mlir::RankedTensorType result;
  Dims extents;
  NestReduction reduction;
  llvm::SmallVector<std::string> symbols;
  llvm::SmallVector<Read> reads;
};

} // namespace lathe

#endif
