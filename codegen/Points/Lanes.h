// Indices and values of all lanes of a vector, for one point of a nest whose code is vectorised.
#ifndef LATHE_CODEGEN_POINTS_LANES_H
#define LATHE_CODEGEN_POINTS_LANES_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include <map>

namespace lathe {

/// One i64 per lane: base + lane * step, or `vector` if the lanes are not of that form. If there is a `second`, the upper half
/// of the lanes begins there: second + (lane - lanes / 2) * step.
struct Index {
  mlir::Value base;
  int64_t step = 0;
  mlir::Value vector;
  mlir::Value second = {};

  bool isUniform() const { return !vector && !second && step == 0; }
  using Key = std::tuple<const void *, int64_t, const void *, const void *>;
  Key key() const { return {base.getAsOpaquePointer(), step, vector.getAsOpaquePointer(), second.getAsOpaquePointer()}; }
};

/// Builds lane-wise code at the builder's insertion point. A value is a scalar if all lanes agree, otherwise a vector of
/// `lanes`.
class Lanes {
public:
  Lanes(mlir::OpBuilder &builder, mlir::Location location) : b(builder), loc(location) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  unsigned lanes = 1;
  /// Values of the kernel's named dimensions.
  std::map<std::string, mlir::Value> symbols;

  mlir::Value i64(int64_t value);
  mlir::Value constant(mlir::Type type, double value);
  /// Creates a constant of the value's register type.
  mlir::Value constant(mlir::TypedAttr value);
  /// Returns the type of a scalar in registers: its own, or i16 for a half.
  mlir::Type registerType(mlir::Type scalar) const;
  mlir::Type vectorOf(mlir::Type element) const;
  /// Broadcasts a scalar to all lanes; returns a vector unchanged.
  mlir::Value splat(mlir::Value value);
  /// Returns 0, 1, 2, ... as i64; with `halves`, each half of the lanes begins at 0.
  mlir::Value iota(bool halves = false);
  /// Returns a vector of all lanes whose halves are given, as vectors or as scalars for all lanes of a half.
  mlir::Value join(mlir::Value low, mlir::Value high);
  /// Returns the lower or the upper half of the lanes.
  mlir::Value halfOf(mlir::Value value, bool isUpper);

  mlir::Value add(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::AddIOp>(loc, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::SubIOp>(loc, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::MulIOp>(loc, x, y); }
  mlir::Value min(mlir::Value x, mlir::Value y);
  /// Returns the conjunction, where null means true. Operands may be scalars or vectors.
  mlir::Value both(mlir::Value x, mlir::Value y);

  /// Returns the value of a dimension expression.
  mlir::Value extent(const Dim &dim);

  Index uniform(mlir::Value value) { return {value, 0, {}}; }
  /// Returns the index as a value: a scalar if uniform, otherwise a vector.
  mlir::Value materialize(const Index &index);
  Index plus(const Index &x, const Index &y);
  Index times(const Index &x, mlir::Value factor);
  /// Evaluates an affine expression of indices and symbol values.
  Index evaluate(mlir::AffineExpr expr, mlir::ArrayRef<Index> dims, mlir::ArrayRef<mlir::Value> symbolValues);
  /// Returns the condition index >= 0 or, for an equality, index == 0; null if it is known to hold in every lane.
  mlir::Value holds(const Index &index, bool equality);

private:
  Index floorDivide(const Index &x, mlir::Value divisor, bool wantRemainder);
};

} // namespace lathe

#endif
