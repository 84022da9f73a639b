// Cumulative ops.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "dialects/Lathe/Interpreter/Scalars.h"
#include "dialects/Lathe/Interpreter/Sum.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

/// Calls f(index, previous index or -1) for all elements, each line along `dim` from its first element on, or from its last.
template <typename F>
static void forEachStep(ArrayRef<int64_t> shape, int64_t dim, bool reverse, F f) {
  int64_t outer = product(shape.take_front(dim)), extent = shape[dim], inner = product(shape.drop_front(dim + 1));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i)
      for (int64_t step = 0, before = -1; step < extent; ++step) {
        int64_t k = reverse ? extent - 1 - step : step, place = (o * extent + k) * inner + i;
        f(place, before);
        before = place;
      }
}

template <typename T>
static T take(CumulativeKind kind, T total, T next) {
  switch (kind) {
  case CumulativeKind::Product:
    return scalar::mul(total, next);
  case CumulativeKind::Max:
    return scalar::max(total, next);
  case CumulativeKind::Min:
    return scalar::min(total, next);
  case CumulativeKind::Sum: // see cumulativeSum
  case CumulativeKind::LogSumExp:
    break;
  }
  if (total == next) // also for infinities, whose difference is a NaN
    return T(total + std::log(2.0));
  return T(scalar::max(total, next) + std::log1p(std::exp(-std::fabs(double(total) - double(next)))));
}

/// Computes running sums, each as exact as a sum of the elements up to there.
template <typename T>
static void cumulativeSum(CumulativeOp op, ArrayRef<int64_t> shape, const T *from, T *to) {
  scalar::Sum<T> sum;
  forEachStep(shape, op.getDim(), op.getReverse(), [&](int64_t place, int64_t before) {
    if (before < 0)
      sum = scalar::Sum<T>();
    sum.add(from[place]);
    to[place] = sum.value();
  });
}

static Tensor cumulative(CumulativeOp op, const Tensor &x) {
  Tensor result(x.getElement(), x.getShape());
  visitNumber(x.getElement(), [&](auto zero) {
    using T = decltype(zero);
    const T *from = x.data<T>();
    T *to = result.data<T>();
    if (op.getKind() == CumulativeKind::Sum) {
      cumulativeSum(op, x.getShape(), from, to);
      return true;
    }
    forEachStep(x.getShape(), op.getDim(), op.getReverse(), [&](int64_t place, int64_t before) {
      to[place] = before < 0 ? from[place] : take(op.getKind(), to[before], from[place]);
    });
    return true;
  });
  return result;
}

static Tensor linearRecurrence(LinearRecurrenceOp op, const Tensor &factor, const Tensor &term) {
  Tensor result = term;
  visitFloat(term.getElement(), [&](auto zero) {
    using T = decltype(zero);
    T *to = result.data<T>();
    forEachStep(term.getShape(), op.getDim(), op.getReverse(), [&](int64_t place, int64_t before) {
      if (before >= 0)
        to[place] += factor.data<T>()[place] * to[before];
    });
    return true;
  });
  return result;
}

Result lathe::evaluateScan(const Call &call) {
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](CumulativeOp op) { return cumulative(op, call.operand()); })
      .Case([&](LinearRecurrenceOp op) { return linearRecurrence(op, call.operand(0), call.operand(1)); })
      .Default([](Operation *) { return std::nullopt; });
}
