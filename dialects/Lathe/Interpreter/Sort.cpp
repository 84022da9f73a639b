// Sorting along a dimension.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "llvm/ADT/TypeSwitch.h"
#include <numeric>

using namespace mlir;
using namespace lathe;

/// Calls f(order, indices of the line) for each line along `dim`: order[i] is the index of the element that comes i-th.
template <typename T, typename F>
static void forEachOrder(const Tensor &x, int64_t dim, bool descending, F f) {
  ArrayRef<int64_t> shape = x.getShape();
  int64_t outer = product(shape.take_front(dim)), extent = shape[dim], inner = product(shape.drop_front(dim + 1));
  auto before = [&](T a, T b) {
    if (a != a || b != b)
      return a == a;
    return descending ? a > b : a < b;
  };
  std::vector<int32_t> order(extent);
  for (int64_t line = 0; line < outer * inner; ++line) {
    int64_t first = line / inner * extent * inner + line % inner;
    auto at = [&](int32_t i) { return x.data<T>()[first + i * inner]; };
    std::iota(order.begin(), order.end(), 0);
    llvm::stable_sort(order, [&](int32_t a, int32_t b) { return before(at(a), at(b)); });
    f(ArrayRef<int32_t>(order), line / inner, line % inner, at);
  }
}

static Tensor sortValues(SortOp op, const Tensor &x) {
  Tensor result(x.getElement(), x.getShape());
  int64_t extent = x.getShape()[op.getDim()], inner = product(x.getShape().drop_front(op.getDim() + 1));
  visitNumber(x.getElement(), [&](auto zero) {
    using T = decltype(zero);
    forEachOrder<T>(x, op.getDim(), op.getDescending(), [&](ArrayRef<int32_t> order, int64_t o, int64_t i, auto at) {
      for (int64_t k = 0; k < extent; ++k)
        result.data<T>()[(o * extent + k) * inner + i] = at(order[k]);
    });
    return true;
  });
  return result;
}

/// Returns the first `count` indices of each line's order.
static Tensor firstIndices(const Tensor &x, int64_t dim, bool descending, int64_t count, ArrayRef<int64_t> shape) {
  Tensor result(Element::I32, shape);
  int64_t inner = product(shape.drop_front(dim + 1));
  visitNumber(x.getElement(), [&](auto zero) {
    forEachOrder<decltype(zero)>(x, dim, descending, [&](ArrayRef<int32_t> order, int64_t o, int64_t i, auto) {
      for (int64_t k = 0; k < count; ++k)
        result.data<int32_t>()[(o * count + k) * inner + i] = order[k];
    });
    return true;
  });
  return result;
}

Result lathe::evaluateSort(const Call &call) {
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](SortOp op) { return sortValues(op, call.operand()); })
      .Case([&](ArgsortOp op) {
        return firstIndices(call.operand(), op.getDim(), op.getDescending(), call.shape[op.getDim()], call.shape);
      })
      .Case([&](TopKOp op) {
        return firstIndices(call.operand(), op.getDim(), !op.getSmallest(), call.shape[op.getDim()], call.shape);
      })
      .Default([](Operation *) { return std::nullopt; });
}
