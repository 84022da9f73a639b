// Places and values of all lanes at once: what a point of a nest is when its code is vectorised.
#ifndef LATHE_CODEGEN_POINTS_LANES_H
#define LATHE_CODEGEN_POINTS_LANES_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include <map>

namespace lathe {

/// An i64 for each lane: base + lane * step, or `vector` where it is not of that form.
struct Index {
  mlir::Value base;
  int64_t step = 0;
  mlir::Value vector;

  bool isUniform() const { return !vector && step == 0; }
  auto key() const { return std::make_tuple(base.getAsOpaquePointer(), step, vector.getAsOpaquePointer()); }
};

/// Builds lane-wise code at the builder's place. Values are scalars while all lanes agree, else vectors of `lanes`.
class Lanes {
public:
  Lanes(mlir::OpBuilder &builder, mlir::Location location) : b(builder), loc(location) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  unsigned lanes = 1;
  /// Values of the named dimensions in this kernel.
  std::map<std::string, mlir::Value> symbols;

  mlir::Value i64(int64_t value);
  mlir::Value constant(mlir::Type type, double value);
  /// A constant in its register.
  mlir::Value constant(mlir::TypedAttr value);
  /// What holds a scalar in registers: itself, a half as its bits.
  mlir::Type registerType(mlir::Type scalar) const;
  mlir::Type vectorOf(mlir::Type element) const;
  /// The scalar in every lane; a vector as it is.
  mlir::Value splat(mlir::Value value);
  /// 0, 1, 2, ... as i64.
  mlir::Value iota();

  mlir::Value add(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::AddIOp>(loc, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::SubIOp>(loc, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::MulIOp>(loc, x, y); }
  mlir::Value min(mlir::Value x, mlir::Value y);
  /// Conjunction; null is true. Either may be a scalar or a vector.
  mlir::Value both(mlir::Value x, mlir::Value y);

  /// The value of a dimension expression.
  mlir::Value extent(const Dim &dim);

  Index uniform(mlir::Value value) { return {value, 0, {}}; }
  /// The index as a value: a scalar if uniform, else a vector.
  mlir::Value materialize(const Index &index);
  Index plus(const Index &x, const Index &y);
  Index times(const Index &x, mlir::Value factor);
  /// An affine expression of indices and symbol values.
  Index evaluate(mlir::AffineExpr expr, mlir::ArrayRef<Index> dims, mlir::ArrayRef<mlir::Value> symbolValues);
  /// index >= 0, or index == 0; null if it is known to hold in every lane.
  mlir::Value holds(const Index &index, bool equality);

private:
  Index floorDivide(const Index &x, mlir::Value divisor, bool wantRemainder);
};

} // namespace lathe

#endif
