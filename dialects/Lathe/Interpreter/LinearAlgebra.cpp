// Systems of equations.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace lathe;

namespace {
/// One matrix of a batch, or its transpose.
template <typename T>
struct Matrix {
  T *data;
  int64_t rowStep, columnStep;

  Matrix(T *data, int64_t columns, bool transposed = false)
      : data(data), rowStep(transposed ? 1 : columns), columnStep(transposed ? columns : 1) {}
  T &operator()(int64_t row, int64_t column) const { return data[row * rowStep + column * columnStep]; }
};
} // namespace

/// Solves row by row, from the row that has only its diagonal.
template <typename T>
static void solve(Matrix<const T> a, Matrix<T> x, int64_t extent, int64_t columns, bool lower, bool unit) {
  for (int64_t step = 0; step < extent; ++step) {
    int64_t i = lower ? step : extent - 1 - step, first = lower ? 0 : i + 1, end = lower ? i : extent;
    for (int64_t j = 0; j < columns; ++j) {
      T sum = x(i, j);
      for (int64_t k = first; k < end; ++k)
        sum -= a(i, k) * x(k, j);
      x(i, j) = unit ? sum : sum / a(i, i);
    }
  }
}

static Tensor triangularSolve(TriangularSolveOp op, const Tensor &a, const Tensor &b) {
  Tensor result = b;
  ArrayRef<int64_t> shape = b.getShape();
  int64_t rows = shape[shape.size() - 2], columns = shape.back(), extent = a.getShape().back();
  bool right = op.getRight(), transposed = op.getTransposed() != right; // X a = b is a' X' = b'
  visitFloat(b.getElement(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0, batch = product(shape.drop_back(2)); i < batch; ++i) {
      Matrix<const T> left(a.data<T>() + i * extent * extent, extent, transposed);
      Matrix<T> x(result.data<T>() + i * rows * columns, columns, right);
      solve(left, x, extent, right ? rows : columns, op.getUpper() == transposed, op.getUnit());
    }
    return true;
  });
  return result;
}

static Tensor cholesky(const Tensor &a) {
  Tensor result(a.getElement(), a.getShape());
  int64_t extent = a.getShape().back();
  visitFloat(a.getElement(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t first = 0; first < a.size(); first += extent * extent) {
      Matrix<const T> from(a.data<T>() + first, extent);
      Matrix<T> l(result.data<T>() + first, extent);
      for (int64_t j = 0; j < extent; ++j)
        for (int64_t i = j; i < extent; ++i) {
          T sum = from(i, j);
          for (int64_t k = 0; k < j; ++k)
            sum -= l(i, k) * l(j, k);
          l(i, j) = i == j ? std::sqrt(sum) : sum / l(j, j);
        }
    }
    return true;
  });
  return result;
}

Result lathe::evaluateLinearAlgebra(const Call &call) {
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](TriangularSolveOp op) { return triangularSolve(op, call.operand(0), call.operand(1)); })
      .Case([&](CholeskyOp) { return cholesky(call.operand()); })
      .Default([](Operation *) { return std::nullopt; });
}
