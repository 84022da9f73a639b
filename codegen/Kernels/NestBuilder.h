// Builds lathe.nest ops: extents, accesses and a scalar body.
#ifndef LATHE_CODEGEN_KERNELS_NESTBUILDER_H
#define LATHE_CODEGEN_KERNELS_NESTBUILDER_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Builders.h"

namespace lathe {

inline mlir::RankedTensorType typeOf(mlir::Value tensor) { return mlir::cast<mlir::RankedTensorType>(tensor.getType()); }

class NestBuilder {
public:
  /// A nest over `parallel` (the result's shape) and `reduce` dimensions.
  NestBuilder(mlir::OpBuilder &builder, mlir::Location location, mlir::RankedTensorType result, llvm::ArrayRef<Dim> reduce = {},
              NestReduction reduction = NestReduction::None);

  /// The nest's dimension i: parallel ones first.
  mlir::AffineExpr dim(unsigned i) const { return mlir::getAffineDimExpr(i, context()); }
  mlir::AffineExpr constant(int64_t value) const { return mlir::getAffineConstantExpr(value, context()); }
  /// A dimension expression over the nest's symbols, which it may add to.
  mlir::AffineExpr expr(const Dim &dim);

  /// Adds an input, read at `indices` where every `guard` is >= 0 and every `zero` is 0, else `fill` (zero by default).
  struct Guard {
    llvm::SmallVector<mlir::AffineExpr> nonNegative, zero;
  };
  void read(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> indices, const Guard &guard = {}, mlir::TypedAttr fill = {});

  /// Makes the op. `body` gets the scalars of the inputs in order and gives the scalar of the result.
  using Body = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
  mlir::Value finish(Body body);
  /// The body of a nest that copies.
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
