// dot_general and the convolution family.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "dialects/Lathe/Interpreter/Sum.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

/// Computes y[j] += a * x[j] along contiguous memory: the inner loop of this file.
template <typename T>
static void addScaled(scalar::Sum<T> *y, T a, const T *x, int64_t count) {
  for (int64_t j = 0; j < count; ++j)
    y[j].addProduct(a, x[j]);
}

// ---- dot_general

/// Returns the dimensions in the order `batch`, `contract`, then all others; with `contractLast`, `contract` comes last.
static SmallVector<int64_t> permutationOf(int64_t rank, ArrayRef<int64_t> batch, ArrayRef<int64_t> contract,
                                          bool contractLast) {
  SmallVector<int64_t> order(batch), free;
  for (int64_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(batch, i) && !llvm::is_contained(contract, i))
      free.push_back(i);
  llvm::append_range(order, contractLast ? ArrayRef<int64_t>(free) : contract);
  llvm::append_range(order, contractLast ? contract : ArrayRef<int64_t>(free));
  return order;
}

static Tensor dotGeneral(DotGeneralOp op, const Tensor &lhs, const Tensor &rhs, ArrayRef<int64_t> shape) {
  Tensor a = transpose(lhs, permutationOf(lhs.getRank(), op.getLhsBatch(), op.getLhsContract(), true));  // [batch, m, k]
  Tensor b = transpose(rhs, permutationOf(rhs.getRank(), op.getRhsBatch(), op.getRhsContract(), false)); // [batch, k, n]
  size_t batchRank = op.getLhsBatch().size(), contractRank = op.getLhsContract().size();
  int64_t batch = product(a.getShape().take_front(batchRank)), k = product(a.getShape().take_back(contractRank));
  int64_t m = product(a.getShape().drop_front(batchRank).drop_back(contractRank));
  int64_t n = product(b.getShape().drop_front(batchRank + contractRank));
  return visitNumber(lhs.getElement(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<scalar::Sum<T>> sums(product(shape));
    for (int64_t row = 0; row < batch * m; ++row)
      for (int64_t i = 0; i < k; ++i)
        addScaled(sums.data() + row * n, a.data<T>()[row * k + i], b.data<T>() + (row / m * k + i) * n, n);
    return tensorOfSums<T>(lhs.getElement(), shape, sums);
  });
}

// ---- Convolutions

namespace {
/// The geometry of a convolution, for all members: flattened extents, and the input position of each output and tap.
struct Convolution {
  int64_t batch, inputs, outputs, taps;    // images, and elements of the spatial dimensions
  int64_t groups, inChannels, outChannels; // of one group
  std::vector<int64_t> input; // input position of output o and tap k at o * taps + k; -1: outside, or between elements

  Convolution(ConvolutionGeometry g, ArrayRef<int64_t> x, ArrayRef<int64_t> w, ArrayRef<int64_t> y)
      : batch(x[0]), inputs(product(x.drop_front().drop_back())), outputs(product(y.drop_front().drop_back())),
        taps(product(w.drop_back(2))), groups(g.groups), inChannels(w[w.size() - 2]), outChannels(w.back() / g.groups) {
    input.assign(outputs * taps, 0);
    x = x.drop_front().drop_back();
    y = y.drop_front().drop_back();
    w = w.drop_back(2);
    for (int64_t o = 0; o < outputs; ++o)
      for (int64_t k = 0; k < taps; ++k)
        input[o * taps + k] = placeOf(g, x, w, y, o, k);
  }

  static int64_t placeOf(const ConvolutionGeometry &g, ArrayRef<int64_t> x, ArrayRef<int64_t> w, ArrayRef<int64_t> y, int64_t o,
                         int64_t k) {
    int64_t place = 0, stride = 1;
    for (int64_t d = int64_t(x.size()) - 1; d >= 0; --d) {
      int64_t p = o % y[d] * g.strides[d] + k % w[d] * g.dilation[d] - g.padLow[d];
      if (p < 0 || p % g.inputDilation[d] || p / g.inputDilation[d] >= x[d])
        return -1;
      place += p / g.inputDilation[d] * stride;
      stride *= x[d];
      o /= y[d];
      k /= w[d];
    }
    return place;
  }

  /// Calls f(first input channel, first output channel, first filter element) with the offsets for each image, output, tap and
  /// group that meet.
  template <typename F>
  void forEachMeeting(F f) const {
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t o = 0; o < outputs; ++o)
        for (int64_t k = 0; k < taps; ++k) {
          int64_t place = input[o * taps + k];
          for (int64_t g = 0; g < groups && place >= 0; ++g)
            f(((n * inputs + place) * groups + g) * inChannels, ((n * outputs + o) * groups + g) * outChannels,
              (k * inChannels * groups + g) * outChannels);
        }
  }
};
} // namespace

template <typename T>
static void forward(const Convolution &c, const T *x, const T *w, scalar::Sum<T> *y) {
  int64_t row = c.groups * c.outChannels;
  c.forEachMeeting([&](int64_t in, int64_t out, int64_t filter) {
    for (int64_t i = 0; i < c.inChannels; ++i)
      addScaled(y + out, x[in + i], w + filter + i * row, c.outChannels);
  });
}

template <typename T>
static void inputGrad(const Convolution &c, scalar::Sum<T> *x, const T *w, const T *y) {
  int64_t row = c.groups * c.outChannels;
  c.forEachMeeting([&](int64_t in, int64_t out, int64_t filter) {
    for (int64_t i = 0; i < c.inChannels; ++i)
      for (int64_t j = 0; j < c.outChannels; ++j)
        addScaled(x + in + i, y[out + j], w + filter + i * row + j, 1);
  });
}

template <typename T>
static void filterGrad(const Convolution &c, const T *x, scalar::Sum<T> *w, const T *y) {
  int64_t row = c.groups * c.outChannels;
  c.forEachMeeting([&](int64_t in, int64_t out, int64_t filter) {
    for (int64_t i = 0; i < c.inChannels; ++i)
      addScaled(w + filter + i * row, x[in + i], y + out, c.outChannels);
  });
}

template <typename Op>
static Tensor convolve(Op op, const Tensor &a, const Tensor &b, ArrayRef<int64_t> shape) {
  return visitNumber(a.getElement(), [&](auto zero) {
    using T = decltype(zero);
    std::vector<scalar::Sum<T>> sums(product(shape));
    scalar::Sum<T> *to = sums.data();
    if constexpr (std::is_same_v<Op, ConvOp>)
      forward(Convolution(op.getGeometry(), a.getShape(), b.getShape(), shape), a.data<T>(), b.data<T>(), to);
    else if constexpr (std::is_same_v<Op, ConvInputGradOp>)
      inputGrad(Convolution(op.getGeometry(), shape, b.getShape(), a.getShape()), to, b.data<T>(), a.data<T>());
    else
      filterGrad(Convolution(op.getGeometry(), a.getShape(), shape, b.getShape()), a.data<T>(), to, b.data<T>());
    return tensorOfSums<T>(a.getElement(), shape, sums);
  });
}

Result lathe::evaluateContraction(const Call &call) {
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](DotGeneralOp op) { return dotGeneral(op, call.operand(0), call.operand(1), call.shape); })
      .Case<ConvOp, ConvInputGradOp, ConvFilterGradOp>(
          [&](auto op) { return convolve(op, call.operand(0), call.operand(1), call.shape); })
      .Default([](Operation *) { return std::nullopt; });
}
