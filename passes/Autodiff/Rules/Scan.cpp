// Derivative rules of cumulative ops: the tangent of each is a linear recurrence, and so is the recurrence's own.
// x, y: operand and result; t: tangent; c: cotangent.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

using Ints = SmallVector<int64_t>;

/// Returns the value at the previous position in the direction of the scan, or at the next one with `forth`; `first` beyond
/// the end.
static Value moved(Emit &e, Value value, int64_t dim, bool reverse, double first, bool forth = false) {
  Ints none(typeOf(value).getRank());
  Dims low = asDims(none), high = low;
  low[dim] = Dim(reverse == forth ? 1 : -1);
  high[dim] = Dim(0) - low[dim];
  return e.pad(value, low, high, none, first);
}

/// Returns the recurrence d y[i] = factor[i] * d y[i - 1] + slope[i] * t[i].
static Value recurrence(Emit &e, CumulativeOp op, Value factor, Value term) {
  return e.make<LinearRecurrenceOp>(factor, term, op.getDim(), op.getReverse());
}

static Value cumulativeTangent(Emit &e, CumulativeOp op, Values t) {
  Value x = op.getOperand(), y = op.getResult();
  const double infinity = std::numeric_limits<double>::infinity();
  auto before = [&](double first) { return moved(e, y, op.getDim(), op.getReverse(), first); };
  switch (op.getKind()) {
  case CumulativeKind::Sum:
    return e.make<CumulativeOp>(CumulativeKind::Sum, t[0], op.getDim(), op.getReverse());
  case CumulativeKind::Product:
    return recurrence(e, op, x, e.mul(t[0], before(1)));
  case CumulativeKind::LogSumExp: { // if all elements are -inf, their differences are NaN; all slopes are zero
    Value finite = e.make<MaxOp>(y, e.splatLike(y, -std::numeric_limits<float>::max()));
    Value factor = e.make<ExpOp>(e.sub(before(-infinity), finite)), slope = e.make<ExpOp>(e.sub(x, finite));
    return recurrence(e, op, factor, e.mul(t[0], slope));
  }
  case CumulativeKind::Max:
  case CumulativeKind::Min:
    break;
  }
  // An element that exceeds all earlier ones, or the first NaN, becomes the extremum; comparisons with a NaN are false.
  bool isMax = op.getKind() == CumulativeKind::Max;
  Value old = before(isMax ? -infinity : infinity);
  Value stays = e.compare(isMax ? CompareKind::LE : CompareKind::GE, x, old);
  Value isNaN = e.compare(CompareKind::NE, old, old);
  Value keeps = e.convert(e.make<OrOp>(stays, isNaN), typeOf(x).getElementType());
  return recurrence(e, op, keeps, e.mul(t[0], e.sub(e.splatLike(x, 1), keeps)));
}

void autodiff::addScanRules(Rules &rules) {
  rules.add<CumulativeOp>()
      .linearWhere([](CumulativeOp op, ArrayRef<unsigned>) { return op.getKind() == CumulativeKind::Sum; })
      .tangent(cumulativeTangent)
      .linearInFirst([](Emit &e, CumulativeOp op, Values, Value c) {
        return e.make<CumulativeOp>(CumulativeKind::Sum, c, op.getDim(), !op.getReverse());
      });
  rules.add<LinearRecurrenceOp>()
      .linear({{1}})
      .tangent([](Emit &e, LinearRecurrenceOp op, Values t) {
        Value before; // t[i] y[i - 1]: the next tangents times the results, shifted, without the first one, possibly infinite
        if (t[0]) {
          Value next = moved(e, t[0], op.getDim(), op.getReverse(), 0, /*forth=*/true);
          before = moved(e, e.mul(next, op.getResult()), op.getDim(), op.getReverse(), 0);
        }
        return e.make<LinearRecurrenceOp>(op.getFactor(), e.plus(before, t[1]), op.getDim(), op.getReverse());
      })
      .transpose([](Emit &e, LinearRecurrenceOp op, Values a, Value c, MutableArrayRef<Value> out) {
        Value next = moved(e, a[0], op.getDim(), op.getReverse(), 0, /*forth=*/true);
        out[1] = e.make<LinearRecurrenceOp>(next, c, op.getDim(), !op.getReverse());
      });
}
