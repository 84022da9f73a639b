#include "passes/Autodiff/Vmap/Taps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Limit on taps, each of which becomes several ops.
static constexpr int64_t kMostTaps = 256;

namespace {
/// One convolution: images x [batch, N, spatial..., C], filters w [batch, taps..., C / groups, F], images y [batch, N, out...,
/// F].
class Taps {
public:
  Taps(Batch &b, ConvolutionGeometry g, const Dims &x, const Dims &w, const Dims &y) : b(b), e(b.e), g(g), x(x), w(w), y(y) {}

  /// Counts the taps. Returns false after a diagnostic.
  bool number(Operation *op) {
    size = 1;
    for (size_t i = 0; i < g.strides.size(); ++i) {
      if (!w[i].isStatic() || w[i].constant() > kMostTaps || (size *= w[i].constant()) > kMostTaps)
        return b.fail(op, "on a batch of filters of unknown size supports at most " + Twine(kMostTaps) +
                              " taps; give dimension " + b.size.str() + " a number"),
               false;
    }
    return true;
  }
  int64_t count() const { return size; }
  /// Selects the tap for the functions below, by its row-major number.
  void select(int64_t number) {
    tap.assign(g.strides.size(), 0);
    for (size_t i = tap.size(); i-- > 0; number /= w[i].constant())
      tap[i] = number % w[i].constant();
  }

  /// Returns the elements of x that the tap meets at each index of y: [batch, N, out..., C]; zero where it meets nothing.
  Value met(Value input) { return strided(padded(input, 2), 2); }
  /// Returns true where the tap meets an element: [out...] of i1.
  Value meets() {
    Dims spatial(x.begin() + 1, x.end() - 1);
    Value ones = e.splat(tensorOf(spatial, e.getBuilder().getI1Type()), 1);
    return strided(padded(ones, 0), 0);
  }
  /// Returns a tensor of y's shape with zero where the tap meets nothing, whatever the value is there.
  Value kept(Value output) {
    Ints dims = llvm::to_vector(llvm::seq<int64_t>(2, 2 + g.strides.size()));
    return e.select(e.broadcast(meets(), dims, b.over(y)), output, e.zeros(output.getType()));
  }
  /// Returns the filters' values at the tap: [batch, C / groups, groups, F / groups].
  Value weights(Value filter) {
    Ints starts = {0}, steps(w.size() + 1, 1);
    Dims limits = {b.size};
    for (int64_t at : tap) {
      starts.push_back(at);
      limits.push_back(at + 1);
    }
    starts.append(2, 0);
    limits.append(w.end() - 2, w.end());
    Value one = e.make<SliceOp>(filter, e.shape(asDims(starts)), e.shape(limits), steps);
    return e.reshape(one, {b.size, w[w.size() - 2], g.groups, perGroup(w.back())});
  }
  /// Reshapes [batch, N, places..., channels] to [batch, N, places..., groups, channels / groups].
  Value grouped(Value images) {
    Dims dims = dimsOf(images);
    Dim channels = dims.pop_back_val();
    dims.append({g.groups, perGroup(channels)});
    return e.reshape(images, dims);
  }
  /// Returns products over the channels of images [batch, N, places..., groups, _] with the tap's weights: [batch, N,
  /// places..., _].
  Value product(Value images, Value weights, int64_t contracted) {
    int64_t rank = typeOf(images).getRank();
    Value dot = e.make<DotGeneralOp>(images, weights, Ints{rank - 1}, Ints{contracted}, Ints{0, rank - 2}, Ints{0, 2});
    Ints order = {0}; // of [batch, groups, N, places..., _]
    for (int64_t i = 2; i < rank - 1; ++i)
      order.push_back(i);
    order.append({1, rank - 1});
    Value inOrder = e.transpose(dot, order);
    Dims dims = dimsOf(inOrder);
    Dim channels = dims.pop_back_val();
    dims.back() = dims.back() * channels;
    return e.reshape(inOrder, dims);
  }
  /// Returns products over N and places: [batch, 1, C / groups, F].
  Value correlation(Value input, Value output) {
    int64_t rank = typeOf(input).getRank();
    Ints over = llvm::to_vector(llvm::seq<int64_t>(1, rank - 2)), batch = {0, rank - 2};
    Value dot = e.make<DotGeneralOp>(input, output, over, over, batch, batch);
    return e.reshape(e.transpose(dot, {0, 2, 1, 3}), {b.size, 1, w[w.size() - 2], w.back()});
  }
  /// Transposes `met`, but keeps the holes of the input: puts [batch, N, out..., C] at its positions among the holes.
  Value spread(Value met) {
    Dims low(2), high(2);
    Ints interior(2);
    for (size_t i = 0; i < tap.size(); ++i) {
      low.push_back(Dim(tap[i] * g.dilation[i] - g.padLow[i]));
      high.push_back(holed(i) - dilated(y[i + 1], g.strides[i]) - low.back());
      interior.push_back(g.strides[i] - 1);
    }
    low.emplace_back(), high.emplace_back(), interior.push_back(0);
    return e.pad(met, low, high, interior);
  }
  /// Removes the holes of the input: [batch, N, spatial..., C].
  Value withoutHoles(Value input) {
    Ints steps = {1, 1};
    llvm::append_range(steps, g.inputDilation);
    steps.push_back(1);
    return e.make<SliceOp>(input, e.shape(Dims(steps.size())), e.shape(dimsOf(input)), steps);
  }

private:
  Dim perGroup(const Dim &channels) { return *channels.dividedBy(g.groups); }
  Dim holed(size_t i) { return dilated(x[i + 1], g.inputDilation[i]); }

  /// Returns a list over dimensions: `leading` zeros, the spatial ones, and a zero for the channels of images.
  Ints list(int64_t leading, llvm::function_ref<int64_t(size_t)> of) {
    Ints all(leading, 0);
    for (size_t i = 0; i < tap.size(); ++i)
      all.push_back(of(i));
    all.append(leading ? 1 : 0, 0);
    return all;
  }
  /// Pads images so that the tap's positions begin at the first element and end at the last one.
  Value padded(Value images, int64_t leading) {
    Dims low(leading), high(leading);
    for (size_t i = 0; i < tap.size(); ++i) {
      low.push_back(Dim(g.padLow[i] - tap[i] * g.dilation[i]));
      high.push_back(dilated(y[i + 1], g.strides[i]) - holed(i) - low.back());
    }
    low.resize(typeOf(images).getRank()), high.resize(low.size());
    return e.pad(images, low, high, list(leading, [&](size_t i) { return g.inputDilation[i] - 1; }));
  }
  /// Returns every stride-th position.
  Value strided(Value padded, int64_t leading) {
    Ints steps = list(leading, [&](size_t i) { return g.strides[i]; });
    for (int64_t &step : steps)
      step = std::max<int64_t>(step, 1);
    Dims limits = dimsOf(padded);
    return atPlaces(e.make<SliceOp>(padded, e.shape(Dims(steps.size())), e.shape(limits), steps), leading);
  }
  /// Reshapes to the sizes of y. A size computed here from a size of y that is a difference is that size or 0.
  Value atPlaces(Value met, int64_t leading) {
    Dims dims = dimsOf(met);
    std::copy(y.begin() + 1, y.end() - 1, dims.begin() + leading);
    return dims == dimsOf(met) ? met : e.make<ReshapeOp>(met, e.shape(dims), /*checked=*/true, /*each=*/true);
  }

  Batch &b;
  Emit &e;
  ConvolutionGeometry g;
  Dims x, w, y; // without the batch
  Ints tap;
  int64_t size = 0;
};
} // namespace

Value autodiff::convByTaps(Batch &b, ConvOp op, Value input, Value filter) {
  Taps taps(b, op.getGeometry(), dimsOf(op.getInput()), dimsOf(op.getFilter()), dimsOf(op.getResult()));
  if (!taps.number(op))
    return {};
  Value sum;
  for (int64_t i = 0; i < taps.count(); ++i) {
    taps.select(i);
    sum = b.e.plus(sum, taps.kept(taps.product(taps.grouped(taps.met(input)), taps.weights(filter), 1)));
  }
  return sum ? sum : b.e.zeros(tensorOf(b.over(dimsOf(op.getResult())), typeOf(op.getResult()).getElementType()));
}

Value autodiff::convByTaps(Batch &b, ConvInputGradOp op, Value output, Value filter) {
  Taps taps(b, op.getGeometry(), dimsOf(op.getResult()), dimsOf(op.getFilter()), dimsOf(op.getOutput()));
  if (!taps.number(op))
    return {};
  Value sum;
  for (int64_t i = 0; i < taps.count(); ++i) {
    taps.select(i);
    sum = b.e.plus(sum, taps.spread(taps.product(taps.grouped(output), taps.weights(filter), 3)));
  }
  return sum ? taps.withoutHoles(sum)
             : b.e.zeros(tensorOf(b.over(dimsOf(op.getResult())), typeOf(op.getResult()).getElementType()));
}

Value autodiff::convByTaps(Batch &b, ConvFilterGradOp op, Value input, Value output) {
  Taps taps(b, op.getGeometry(), dimsOf(op.getInput()), dimsOf(op.getResult()), dimsOf(op.getOutput()));
  if (!taps.number(op))
    return {};
  SmallVector<Value> parts;
  for (int64_t i = 0; i < taps.count(); ++i) {
    taps.select(i);
    parts.push_back(taps.correlation(taps.grouped(taps.met(input)), taps.grouped(taps.kept(output))));
  }
  Dims all = b.over(dimsOf(op.getResult()));
  if (parts.empty())
    return b.e.zeros(tensorOf(all, typeOf(op.getResult()).getElementType()));
  return b.e.reshape(b.e.make<ConcatenateOp>(parts, 1), all);
}
