// Derivative rules of triangular_solve and cholesky. x: result; t: tangent; c: cotangent.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

using Ints = SmallVector<int64_t>;

namespace {
/// Matrices in the last two dimensions.
struct Matrices {
  Emit &e;

  Value swapped(Value m) {
    Ints permutation = llvm::to_vector(llvm::seq<int64_t>(typeOf(m).getRank()));
    std::swap(permutation[permutation.size() - 2], permutation.back());
    return e.transpose(m, permutation);
  }
  Value product(Value left, Value right) {
    int64_t rows = typeOf(left).getRank() - 2;
    Ints batch = llvm::to_vector(llvm::seq<int64_t>(rows));
    return e.make<DotGeneralOp>(left, right, Ints{rows + 1}, Ints{rows}, batch, batch);
  }
  Value solve(TriangularSolveOp op, Value a, Value b, bool transposed) {
    return e.make<TriangularSolveOp>(a, b, op.getRight(), op.getUpper(), transposed, op.getUnit());
  }
  /// Returns the elements for whose row and column the comparison holds, zeros elsewhere.
  Value part(Value m, CompareKind rowToColumn) {
    Dims dims = dimsOf(m);
    ShapeAttr shape = shapeOf(m.getContext(), dims);
    Type i64 = e.getBuilder().getI64Type();
    Value row = e.make<IotaOp>(int64_t(dims.size()) - 2, shape, i64),
          column = e.make<IotaOp>(int64_t(dims.size()) - 1, shape, i64);
    return e.select(e.compare(rowToColumn, row, column), m, e.zeros(m.getType()));
  }
};
} // namespace

/// Returns dx from a dx = db - da x, where da is the triangle that is read; the same for the other side.
static Value solveTangent(Emit &e, TriangularSolveOp op, Values t) {
  Matrices m{e};
  Value right = t[1];
  if (t[0]) {
    CompareKind strict = op.getUpper() ? CompareKind::LT : CompareKind::GT,
                full = op.getUpper() ? CompareKind::LE : CompareKind::GE;
    Value da = m.part(t[0], op.getUnit() ? strict : full);
    if (op.getTransposed())
      da = m.swapped(da);
    Value moved = op.getRight() ? m.product(op.getResult(), da) : m.product(da, op.getResult());
    right = t[1] ? e.sub(t[1], moved) : e.neg(moved);
  }
  return m.solve(op, op.getA(), right, op.getTransposed());
}

/// Returns the tangent dl of a = l l'. With s = l^-1 da l'^-1, which is symmetric, dl = l (the lower triangle of s, its
/// diagonal halved).
static Value choleskyTangent(Emit &e, CholeskyOp op, Values t) {
  Matrices m{e};
  Value l = op.getResult(), below = m.part(t[0], CompareKind::GT), diagonal = m.part(t[0], CompareKind::EQ);
  Value da = e.add(e.add(below, m.swapped(below)), diagonal);
  auto solve = [&](Value b, bool right) {
    return e.make<TriangularSolveOp>(l, b, right, /*upper=*/false, /*transposed=*/right, /*unit=*/false);
  };
  Value s = solve(solve(da, false), true);
  Value half = e.mul(m.part(s, CompareKind::EQ), e.splatLike(s, 0.5));
  return m.product(l, e.add(m.part(s, CompareKind::GT), half));
}

void autodiff::addLinearAlgebraRules(Rules &rules) {
  rules.add<TriangularSolveOp>()
      .linear({{1}})
      .tangent(solveTangent)
      .transpose([](Emit &e, TriangularSolveOp op, Values a, Value c, MutableArrayRef<Value> out) {
        out[1] = Matrices{e}.solve(op, a[0], c, !op.getTransposed());
      });
  rules.add<CholeskyOp>().tangent(choleskyTangent);
}
