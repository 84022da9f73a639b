// Window ops.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "dialects/Lathe/Interpreter/Scalars.h"
#include "dialects/Lathe/Interpreter/Sum.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

/// Returns the row-major index that a tap reads in a tensor of this shape; -1 if it reads nothing.
static int64_t placeRead(WindowAttr window, ArrayRef<int64_t> shape, ArrayRef<int64_t> at, ArrayRef<int64_t> tap) {
  int64_t place = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t p = at[i] * window.getStride()[i] + tap[i] * window.getDilation()[i] - window.getLow()[i];
    int64_t holes = window.getBaseDilation()[i];
    if (p < 0 || p % holes || p / holes >= shape[i])
      return -1;
    place = place * shape[i] + p / holes;
  }
  return place;
}

/// Calls f(window, number of the tap, index that it reads or -1) for all windows at the first tap, then at the next: each
/// window and each element meets taps in row-major order.
template <typename F>
static void forEachTap(WindowAttr window, ArrayRef<int64_t> from, ArrayRef<int64_t> to, F f) {
  int64_t windows = product(to), taps = product(window.getSize());
  Extents at(to.size(), 0), tap(to.size(), 0);
  for (int64_t k = 0; k < taps; ++k, advanceIndex(tap, window.getSize()))
    for (int64_t o = 0; o < windows; ++o, advanceIndex(at, to))
      f(o, k, placeRead(window, from, at, tap));
}

template <typename T, typename F>
static Tensor reduceWith(WindowAttr window, const Tensor &x, ArrayRef<int64_t> shape, T neutral, F combine) {
  Tensor result(x.getElement(), shape);
  T *to = result.data<T>();
  std::fill_n(to, result.size(), neutral);
  forEachTap(window, x.getShape(), shape, [&](int64_t o, int64_t, int64_t place) {
    if (place >= 0)
      to[o] = combine(to[o], x.data<T>()[place]);
  });
  return result;
}

template <typename T>
static Tensor sumOverTaps(WindowAttr window, const Tensor &x, ArrayRef<int64_t> shape) {
  std::vector<scalar::Sum<T>> sums(product(shape));
  forEachTap(window, x.getShape(), shape, [&](int64_t o, int64_t, int64_t place) {
    if (place >= 0)
      sums[o].add(x.data<T>()[place]);
  });
  return tensorOfSums<T>(x.getElement(), shape, sums);
}

static Tensor reduceWindow(ReduceWindowOp op, const Tensor &x, ArrayRef<int64_t> shape) {
  return visitNumber(x.getElement(), [&](auto zero) {
    using T = decltype(zero);
    switch (op.getKind()) {
    case ReduceKind::Sum:
      return sumOverTaps<T>(op.getWindow(), x, shape);
    case ReduceKind::Product:
      return reduceWith<T>(op.getWindow(), x, shape, T(1), [](T a, T b) { return scalar::mul(a, b); });
    case ReduceKind::Max:
      return reduceWith<T>(op.getWindow(), x, shape, scalar::lowest<T>(), [](T a, T b) { return scalar::max(a, b); });
    default:
      return reduceWith<T>(op.getWindow(), x, shape, scalar::highest<T>(), [](T a, T b) { return scalar::min(a, b); });
    }
  });
}

static Tensor windowIndex(WindowIndexOp op, const Tensor &x, ArrayRef<int64_t> shape) {
  Tensor result(Element::I32, shape);
  visitNumber(x.getElement(), [&](auto zero) {
    using T = decltype(zero);
    bool isMax = op.getKind() == ReduceKind::Max;
    T worst = isMax ? scalar::lowest<T>() : scalar::highest<T>();
    std::vector<T> best(result.size(), worst);
    forEachTap(op.getWindow(), x.getShape(), shape, [&](int64_t o, int64_t k, int64_t place) {
      T value = place < 0 ? worst : x.data<T>()[place];
      bool better = (isMax ? value > best[o] : value < best[o]) || (value != value && best[o] == best[o]);
      if (better)
        best[o] = value, result.data<int32_t>()[o] = k;
    });
    return true;
  });
  return result;
}

static Tensor windowGather(WindowGatherOp op, const Tensor &x, const Tensor &taps, ArrayRef<int64_t> shape) {
  Tensor result(x.getElement(), shape);
  visitNumber(x.getElement(), [&](auto zero) {
    using T = decltype(zero);
    forEachTap(op.getWindow(), x.getShape(), shape, [&](int64_t o, int64_t k, int64_t place) {
      if (place >= 0 && taps.data<int32_t>()[o] == k)
        result.data<T>()[o] = scalar::add(result.data<T>()[o], x.data<T>()[place]); // -0 becomes 0
    });
    return true;
  });
  return result;
}

static Tensor windowScatter(WindowScatterOp op, const Tensor &y, const Tensor &taps, ArrayRef<int64_t> shape) {
  Tensor result(y.getElement(), shape);
  visitNumber(y.getElement(), [&](auto zero) {
    using T = decltype(zero);
    forEachTap(op.getWindow(), shape, y.getShape(), [&](int64_t o, int64_t k, int64_t place) {
      if (place >= 0 && taps.data<int32_t>()[o] == k)
        result.data<T>()[place] = scalar::add(result.data<T>()[place], y.data<T>()[o]);
    });
    return true;
  });
  return result;
}

Result lathe::evaluateWindow(const Call &call) {
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](ReduceWindowOp op) { return reduceWindow(op, call.operand(), call.shape); })
      .Case([&](WindowIndexOp op) { return windowIndex(op, call.operand(), call.shape); })
      .Case([&](WindowGatherOp op) { return windowGather(op, call.operand(0), call.operand(1), call.shape); })
      .Case([&](WindowScatterOp op) { return windowScatter(op, call.operand(0), call.operand(1), call.shape); })
      .Default([](Operation *) { return std::nullopt; });
}
