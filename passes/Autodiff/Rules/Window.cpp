// Derivative rules of window ops. A sum's transpose is a sum over other windows; window_gather and window_scatter are each
// other's. t: tangent; c: cotangent.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

using Ints = SmallVector<int64_t>;

namespace {
/// A mutable copy of a window's lists.
struct Window {
  Ints size, stride, dilation, baseDilation, low, high;

  explicit Window(WindowAttr window)
      : size(window.getSize().asArrayRef()), stride(window.getStride().asArrayRef()),
        dilation(window.getDilation().asArrayRef()), baseDilation(window.getBaseDilation().asArrayRef()),
        low(window.getLow().asArrayRef()), high(window.getHigh().asArrayRef()) {}

  WindowAttr attr(MLIRContext *context) const {
    auto list = [&](const Ints &values) { return DenseI64ArrayAttr::get(context, values); };
    return WindowAttr::get(context, list(size), list(stride), list(dilation), list(baseDilation), list(low), list(high));
  }
};
} // namespace

/// Returns the transpose of a window sum. Position i of the operand receives from output o through tap k if o * stride + k *
/// dilation - low = i * base_dilation: a sum over the taps in reverse order, with stride and base dilation exchanged. In a
/// named extent, fewer than `stride` positions are in no window, and their number depends on the size: the sum covers the
/// maximum, and the rest is cut off.
static Value transposeSum(Emit &e, ReduceWindowOp op, Values, Value c) {
  Dims in = dimsOf(op.getOperand()), out = dimsOf(op.getResult());
  if (llvm::any_of(llvm::concat<const Dim>(in, out), [](const Dim &dim) { return dim.isStatic(0); }))
    return e.zeros(op.getOperand().getType());
  const Window before(op.getWindow());
  Window window = before;
  for (size_t i = 0; i < in.size(); ++i) {
    int64_t reach = (window.size[i] - 1) * window.dilation[i], stride = window.stride[i], holes = window.baseDilation[i];
    window.low[i] = reach - window.low[i];
    Dim missing = (in[i] - Dim(1)) * Dim(holes) + Dim(reach) - (out[i] - Dim(1)) * Dim(stride);
    int64_t most = missing.isStatic() ? missing.constant() : 2 * reach - before.low[i] - before.high[i] + stride - 1;
    window.high[i] = most - window.low[i];
    std::swap(window.stride[i], window.baseDilation[i]);
  }
  Value sum = e.make<ReduceWindowOp>(ReduceKind::Sum, c, window.attr(op.getContext()));
  if (dimsOf(sum) == in)
    return sum;
  return e.make<SliceOp>(sum, e.shape(Dims(in.size(), Dim(0))), e.shape(in), Ints(in.size(), 1));
}

/// Returns the elements that one tap of each window reads: the window is reduced to that tap, and padded to the same number of
/// windows.
static Value readThrough(Emit &e, ReduceWindowOp op, ReduceKind kind, Value x, ArrayRef<int64_t> tap) {
  Window window(op.getWindow());
  for (size_t i = 0; i < tap.size(); ++i) {
    int64_t before = tap[i] * window.dilation[i], reach = (window.size[i] - 1) * window.dilation[i];
    window.low[i] -= before;
    window.high[i] -= reach - before;
    window.size[i] = window.dilation[i] = 1;
  }
  return e.make<ReduceWindowOp>(kind, x, window.attr(op.getContext()));
}

/// Returns the sum over taps of a tap's tangent times the factors of the others. Products run from both ends, because factors
/// may be zero.
static Value productTangent(Emit &e, ReduceWindowOp op, Value t) {
  constexpr int64_t kMostTaps = 256; // each becomes several ops
  ArrayRef<int64_t> size = op.getWindow().getSize();
  int64_t taps = 1;
  for (int64_t extent : size)
    if (taps <= kMostTaps)
      taps *= extent;
  if (taps > kMostTaps)
    return e.fail(op, "of kind product has no derivative over windows of more than " + Twine(kMostTaps) + " places");
  SmallVector<Value> factors, tangents, before(taps);
  for (int64_t tap = 0; tap < taps; ++tap) {
    Ints index(size.size());
    for (int64_t i = int64_t(size.size()) - 1, rest = tap; i >= 0; rest /= size[i--])
      index[i] = rest % size[i];
    factors.push_back(readThrough(e, op, ReduceKind::Product, op.getOperand(), index));
    tangents.push_back(readThrough(e, op, ReduceKind::Sum, t, index));
  }
  for (int64_t tap = 1; tap < taps; ++tap)
    before[tap] = before[tap - 1] ? e.mul(before[tap - 1], factors[tap - 1]) : factors[tap - 1];
  Value sum, after;
  for (int64_t tap = taps - 1; tap >= 0; --tap) {
    Value term = tangents[tap];
    for (Value others : {before[tap], after})
      if (others)
        term = e.mul(term, others);
    sum = e.plus(sum, term);
    after = after ? e.mul(after, factors[tap]) : factors[tap];
  }
  return sum;
}

static Value reduceWindowTangent(Emit &e, ReduceWindowOp op, Values t) {
  switch (op.getKind()) {
  case ReduceKind::Sum:
    return e.make<ReduceWindowOp>(ReduceKind::Sum, t[0], op.getWindow());
  case ReduceKind::Product:
    return productTangent(e, op, t[0]);
  default:
    return e.make<WindowGatherOp>(t[0], e.make<WindowIndexOp>(op.getKind(), op.getOperand(), op.getWindow()), op.getWindow());
  }
}

void autodiff::addWindowRules(Rules &rules) {
  rules.add<ReduceWindowOp>()
      .linearWhere([](ReduceWindowOp op, ArrayRef<unsigned>) { return op.getKind() == ReduceKind::Sum; })
      .tangent(reduceWindowTangent)
      .linearInFirst(transposeSum);
  rules.add<WindowGatherOp>().linearInFirst([](Emit &e, WindowGatherOp op, Values a, Value c) {
    return e.make<WindowScatterOp>(c, a[1], shapeOf(op.getContext(), dimsOf(op.getOperand())), op.getWindow());
  });
  rules.add<WindowScatterOp>().linearInFirst(
      [](Emit &e, WindowScatterOp op, Values a, Value c) { return e.make<WindowGatherOp>(c, a[1], op.getWindow()); });
}
