// Reductions.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "dialects/Lathe/Interpreter/Scalars.h"
#include "dialects/Lathe/Interpreter/Sum.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

/// Calls take(index in the result, element) for all elements in row-major order: each result receives its elements in ascending
/// order.
template <typename T, typename F>
static void forEachElement(const Tensor &operand, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape, F take) {
  Extents strides(operand.getRank(), 0), kept = rowMajorStrides(shape);
  for (int64_t i = 0, next = 0; i < operand.getRank(); ++i)
    if (!llvm::is_contained(dims, i))
      strides[i] = kept[next++];
  const T *from = operand.data<T>();
  forEachPlace(operand.getShape(), strides, 0, [&](int64_t i, int64_t place) { take(place, from[i]); });
}

template <typename T, typename F>
static Tensor reduceWith(const Tensor &operand, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape, T neutral, F combine) {
  Tensor result(operand.getElement(), shape);
  T *to = result.data<T>();
  std::fill(to, to + result.size(), neutral);
  forEachElement<T>(operand, dims, shape, [&](int64_t place, T element) { to[place] = combine(to[place], element); });
  return result;
}

template <typename T>
static Tensor sum(const Tensor &operand, ArrayRef<int64_t> dims, ArrayRef<int64_t> shape) {
  std::vector<scalar::Sum<T>> sums(product(shape));
  forEachElement<T>(operand, dims, shape, [&](int64_t place, T element) { sums[place].add(element); });
  return tensorOfSums<T>(operand.getElement(), shape, sums);
}

static Tensor reduceBits(ReduceOp op, const Tensor &x, ArrayRef<int64_t> shape) {
  return visitInteger(x.getElement(), [&](auto zero) {
    using T = decltype(zero);
    switch (op.getKind()) {
    case ReduceKind::And:
      return reduceWith<T>(x, op.getDims(), shape, T(~uint64_t(0)), [](T a, T b) { return T(a & b); });
    case ReduceKind::Or:
      return reduceWith<T>(x, op.getDims(), shape, T(0), [](T a, T b) { return T(a | b); });
    default:
      return reduceWith<T>(x, op.getDims(), shape, T(0), [](T a, T b) { return T(a ^ b); });
    }
  });
}

static Tensor reduce(ReduceOp op, const Tensor &x, ArrayRef<int64_t> shape) {
  if (ofBits(op.getKind()))
    return reduceBits(op, x, shape);
  return visitNumber(x.getElement(), [&](auto zero) {
    using T = decltype(zero);
    ArrayRef<int64_t> dims = op.getDims();
    switch (op.getKind()) {
    case ReduceKind::Sum:
      return sum<T>(x, dims, shape);
    case ReduceKind::Product:
      return reduceWith<T>(x, dims, shape, T(1), [](T a, T b) { return scalar::mul(a, b); });
    case ReduceKind::Max:
      return reduceWith<T>(x, dims, shape, scalar::lowest<T>(), [](T a, T b) { return scalar::max(a, b); });
    default:
      return reduceWith<T>(x, dims, shape, scalar::highest<T>(), [](T a, T b) { return scalar::min(a, b); });
    }
  });
}

/// Returns the index of the first largest or smallest element; the first NaN comes before all.
template <typename Better>
static Tensor indexOfBest(const Tensor &x, int64_t dim, ArrayRef<int64_t> shape, Better better) {
  Tensor result(Element::I32, shape);
  int64_t outer = product(x.getShape().take_front(dim)), extent = x.getShape()[dim],
          inner = product(x.getShape().drop_front(dim + 1));
  visitNumber(x.getElement(), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        const T *from = x.data<T>() + o * extent * inner + i;
        int64_t best = 0;
        for (int64_t k = 1; k < extent && from[best * inner] == from[best * inner]; ++k)
          if (better(from[k * inner], from[best * inner]) || from[k * inner] != from[k * inner])
            best = k;
        result.data<int32_t>()[o * inner + i] = best;
      }
    return true;
  });
  return result;
}

Result lathe::evaluateReduction(const Call &call) {
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](ReduceOp op) { return reduce(op, call.operand(), call.shape); })
      .Case([&](ArgmaxOp op) { return indexOfBest(call.operand(), op.getDim(), call.shape, std::greater<>()); })
      .Case([&](ArgminOp op) { return indexOfBest(call.operand(), op.getDim(), call.shape, std::less<>()); })
      .Default([](Operation *) { return std::nullopt; });
}
