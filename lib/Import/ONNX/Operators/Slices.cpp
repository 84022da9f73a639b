// Parts of tensors, and padded tensors: Slice, Split, Pad.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/Operators/DataSizes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// A bound of a slice, with those that count from the end converted.
struct Bound {
  Dim place;
  Dim unclamped; // the same, but possibly negative
};
} // namespace

/// Returns 1 where the size is negative, else 0.
static Dim oneWhereNegative(const Dim &dim) { return maxOf(Dim(0) - dim, Dim(0)) - maxOf(Dim(-1) - dim, Dim(0)); }

/// Reads a bound of a slice, raised to `least` if it is below: 0, or -1 for a slice backwards.
static Bound boundOf(const Dim &given, const Dim &extent, int64_t least = 0) {
  if (given.isStatic() && given.constant() >= kEndless)
    return {extent, extent};
  if (given.isStatic() && given.constant() <= -kEndless)
    return {Dim(least), Dim(least)};
  if (isNeverNegative(given))
    return {given, given};
  // If it is negative, it counts to 0 or below, or from the end.
  Dim unclamped = isNeverNegative(given + Dim(2) - extent) ? given : given + oneWhereNegative(given) * extent;
  return {maxOf(unclamped, Dim(least)), unclamped};
}

/// True if the slice has one element at a known place: from the start or from the end.
static bool isOneElement(const Dim &start, const Dim &end) {
  if (!start.isStatic() || !end.isStatic())
    return false;
  return start.isStatic(-1) ? end.constant() >= kEndless
                            : end == start + Dim(1) && (start.constant() < 0) == (end.constant() < 0);
}

/// Returns every step-th element of x[start : end]. ONNX clamps both to the dimension.
static Value slicedForwards(Node &node, Value x, int64_t dim, const Dim &start, const Dim &end, int64_t step) {
  Dim extent = dimsOfValue(x)[dim];
  Bound from = boundOf(start, extent), to = boundOf(end, extent);
  bool isOne = !extent.isStatic() && isOneElement(start, end);
  if (isOne && isDecidedByData(node, extent))
    return start.constant() < 0 ? elementFromEnd(node, x, dim, start) : slicedByData(node, x, dim, start, end, step);
  bool isPlain = isDecidedByData(node, extent) && from.unclamped.isStatic() && isNeverNegative(from.unclamped) &&
                 isNeverNegative(extent - to.place) && isDecidedByData(node, to.unclamped) &&
                 isNeverNegative(node.getGraph().getModel().mostOf(to.unclamped) - from.unclamped);
  if (isOne || isPlain) // the entry checks that the elements are there
    return node.slice(x, dim, from.unclamped, to.unclamped, step);
  if (isDecidedByData(node, extent))
    return slicedByData(node, x, dim, start, end, step);
  // Without clamping the start from above or the end from below, the length has a simpler form: it is 0 then anyway.
  Dim length = maxOf(minOf(to.unclamped, extent) - from.place, Dim(0)), first = minOf(from.place, extent);
  return node.slice(x, dim, first, first + length, step);
}

/// Returns every step-th element of x[end + 1 : start + 1], from `start` backwards.
static Value slicedBackwards(Node &node, Value x, int64_t dim, const Dim &start, const Dim &end, int64_t step) {
  if (isDecidedByData(node, dimsOfValue(x)[dim]))
    return slicedByData(node, x, dim, start, end, -step);
  Dim extent = dimsOfValue(x)[dim], last = extent - Dim(1);
  Dim from = last - minOf(boundOf(start, extent, -1).place, last), to = minOf(boundOf(end, extent, -1).place, last);
  return node.slice(node.reverse(x, dim), dim, from, maxOf(last - to, from), step);
}

/// Returns every step-th element, backwards if the step is negative.
static Value stridedSlice(Node &node, Value x, int64_t dim, const Dim &start, const Dim &end, int64_t step) {
  Dim extent = dimsOfValue(x)[dim];
  if (step > 0 && (step == 1 || !(start.isStatic() && end.isStatic() && extent.isStatic())))
    return slicedForwards(node, x, dim, start, end, step);
  if (step < 0 && !(start.isStatic() && end.isStatic() && extent.isStatic()))
    return slicedBackwards(node, x, dim, start, end, -step);
  int64_t from = start.constant(), to = end.constant();
  int64_t size = extent.constant();
  auto wrap = [&](int64_t bound, int64_t low, int64_t high) {
    return std::clamp(bound < 0 ? std::max(bound, -size - 1) + size : bound, low, high);
  };
  if (step > 0) {
    from = wrap(from, 0, size), to = std::max(from, wrap(to, 0, size));
    return node.slice(x, dim, from, Dim(to), std::min(step, std::max<int64_t>(size, 1)));
  }
  from = wrap(from, -1, size - 1), to = std::min(from, wrap(to, -1, size - 1));
  return node.slice(node.reverse(x, dim), dim, size - 1 - from, Dim(size - 1 - to),
                    std::min(step < -size ? size + 1 : -step, std::max<int64_t>(size, 1)));
}

/// True if an operand is data rather than numbers or expressions of sizes.
static bool isData(Node &node, int input) {
  return node.has(input) && !node.known(input) && !node.getGraph().sizeNodeBehind(node.getProto().input(input));
}

/// Slices between bounds that are data, which decides the sizes of the result too.
static void sliceAtData(Node &node) {
  Value x = node.input(0);
  Dims counts = node.dims(1);
  if (node.failed())
    return;
  if (counts.size() != 1 || !counts[0].isStatic() || node.dims(2) != counts)
    return node.refuse("starts and ends must be lists of one known length, got the shapes " + str(counts) + " and " +
                       str(node.dims(2)));
  int64_t count = counts[0].constant();
  Integers axes = node.has(3) ? node.knownIntegers(3, "axes") : range(0, count);
  Integers steps = node.has(4) ? node.knownIntegers(4, "steps") : Integers(count, 1);
  if (!node.failed() && (int64_t(axes.size()) != count || int64_t(steps.size()) != count))
    node.refuse("starts, ends, axes and steps must be equally long");
  for (int64_t i = 0; i < count && !node.failed(); ++i) {
    if (steps[i] == 0 || steps[i] == INT64_MIN)
      return node.refuse("steps must not be 0");
    auto bound = [&](int input) {
      return node.reshape(node.convert(node.slice(node.input(input), 0, i, Dim(i + 1)), node.i64()), Dims());
    };
    int64_t axis = node.axis(axes[i], rankOf(x));
    if (!node.failed())
      x = slicedBetween(node, x, axis, bound(1), bound(2), steps[i]);
  }
  node.set(0, x);
}

static void slice(Node &node) {
  bool attributes = node.opset() < 10;
  if (!attributes && (isData(node, 1) || isData(node, 2)))
    return sliceAtData(node);
  Value x = node.input(0);
  for (auto [input, name] : {std::pair(1, "starts"), {2, "ends"}})
    if (attributes ? !node.hasAttribute(name) : !node.has(input) || node.hasAttribute(name))
      return node.refuse(Twine(name) + " must be an " + (attributes ? "attribute" : "input") + " in this opset");
  auto listOf = [&](int input, StringRef name, Dims otherwise) {
    if (attributes && node.hasAttribute(name)) {
      Integers given = node.integers(name);
      return Dims(given.begin(), given.end());
    }
    return !attributes && node.has(input) ? node.knownDims(input, (name + "'s elements").str()) : otherwise;
  };
  Dims starts = listOf(1, "starts", {}), ends = listOf(2, "ends", {});
  Integers counted = range(0, starts.size());
  Dims axes = listOf(3, "axes", Dims(counted.begin(), counted.end()));
  Dims steps = attributes ? Dims(starts.size(), Dim(1)) : listOf(4, "steps", Dims(starts.size(), Dim(1)));
  if (!node.failed() && (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size()))
    node.refuse("starts, ends, axes and steps must be equally long");
  for (size_t i = 0; i < starts.size() && !node.failed(); ++i) {
    if (!axes[i].isStatic() || !steps[i].isStatic() || steps[i] == Dim(0) || steps[i].constant() == INT64_MIN)
      return node.refuse("axes and steps must be numbers, and steps must not be 0");
    int64_t axis = node.axis(axes[i].constant(), rankOf(x));
    if (!node.failed())
      x = stridedSlice(node, x, axis, starts[i], ends[i], steps[i].constant());
  }
  node.set(0, x);
}

static void split(Node &node) {
  Dims dims = node.dims(0), sizes;
  Value x = node.input(0);
  int64_t axis = node.axis(node.integer("axis", 0), dims.size()), parts = node.outputs();
  if (node.failed())
    return;
  if (node.has(1)) {
    sizes = node.knownDims(1, "the parts' sizes");
  } else if (node.hasAttribute("split")) {
    Integers given = node.integers("split");
    sizes.append(given.begin(), given.end());
  } else {
    parts = node.integer("num_outputs", parts);
    if (parts < 1 || parts != node.outputs())
      return node.refuse("num_outputs is " + Twine(parts) + ", it has " + Twine(node.outputs()) + " outputs");
    Dim most = ceilDiv(dims[axis], parts); // the last parts are smaller
    for (int64_t i = 0; i < parts; ++i)
      sizes.push_back(minOf(maxOf(dims[axis] - most * Dim(i), Dim(0)), most));
  }
  Dim sum;
  for (const Dim &size : sizes)
    sum = sum + size;
  if (!node.failed() && (int64_t(sizes.size()) != node.outputs() || !canBeEqual(sum, dims[axis])))
    node.refuse("the parts " + str(sizes) + " do not match " + Twine(node.outputs()) + " outputs and the size " +
                dims[axis].str() + " need");
  if (!node.failed()) {
    dims[axis] = sum;
    x = node.withSizes(x, dims);
  }
  Dim start;
  for (size_t i = 0; i < sizes.size() && !node.failed(); start = start + sizes[i++])
    node.set(i, node.slice(x, axis, start, start + sizes[i]));
}

/// Returns `amount` elements before the first element of a dimension, which `mode` computes from the tensor. No elements need
/// none of the tensor's.
static Value border(Node &node, Value x, int64_t dim, const Dim &amount, StringRef mode) {
  Dim needed = minOf(amount, Dim(1));
  if (mode == "reflect")
    return node.reverse(node.slice(x, dim, needed, amount + needed), dim);
  Dims dims = dimsOfValue(x);
  Value first = node.slice(x, dim, 0, needed);
  if (node.failed())
    return {};
  if (!needed.isStatic())
    return node.gather(first, node.broadcast(node.constantInt(0, node.i64()), {}, amount), dim);
  dims[dim] = amount;
  return node.broadcastTo(first, dims);
}

static bool isNegative(const Dim &amount) { return amount.isStatic() && amount.constant() < 0; }

/// Returns `amount` elements of a dimension from `start` on, as if it were a ring. The entry checks that there are elements if
/// any are needed.
static Value roundFrom(Node &node, Value x, int64_t dim, const Dim &start, const Dim &amount) {
  Dims dims = dimsOfValue(x);
  Dim extent = dims[dim];
  Value places = node.iota(0, {amount * minOf(extent, Dim(1))}, node.i64());
  places = node.emit<AddOp>({places, node.size(start, node.i64())});
  Value part = node.gather(x, node.emit<FloorModOp>({places, node.size(extent, node.i64())}), dim);
  dims[dim] = amount;
  return node.withSizes(part, dims);
}

/// Puts `before` elements before a dimension and `behind` after it, as if the dimension were a ring.
static Value wrapAround(Node &node, Value x, int64_t dim, const Dim &before, const Dim &behind) {
  Dim extent = dimsOfValue(x)[dim];
  SmallVector<Value> parts{x};
  if (!extent.isStatic() || !before.isStatic() || !behind.isStatic()) {
    if (!before.isStatic(0))
      parts.insert(parts.begin(), roundFrom(node, x, dim, Dim(0) - before, before));
    if (!behind.isStatic(0))
      parts.push_back(roundFrom(node, x, dim, 0, behind));
    return node.concatenate(parts, dim);
  }
  int64_t round = extent.constant();
  for (int64_t left = before.constant(); left > 0; left -= round)
    parts.insert(parts.begin(), node.slice(x, dim, std::max<int64_t>(0, round - left), extent));
  for (int64_t left = behind.constant(); left > 0; left -= round)
    parts.push_back(node.slice(x, dim, 0, Dim(std::min(round, left))));
  return node.concatenate(parts, dim);
}

/// Pads one dimension with elements of the tensor; neither amount is negative.
static Value padDim(Node &node, Value x, int64_t dim, const Dim &before, const Dim &behind, StringRef mode) {
  constexpr int64_t kMostRounds = 256;
  if (node.failed() || (before.isStatic(0) && behind.isStatic(0)))
    return x;
  Dim extent = dimsOfValue(x)[dim];
  Dim least = mode == "reflect" ? maxOf(before, behind) + Dim(1) : Dim(1);
  if (isNegative(extent - least))
    return node.refuse("mode " + mode + " with these pads needs a size of " + least.str() + " or more, got " + extent.str()),
           Value();
  if (mode == "wrap") {
    if (isNegative(extent * Dim(kMostRounds) - maxOf(before, behind)))
      return node.refuse("mode wrap repeats the size " + extent.str() + " more than " + Twine(kMostRounds) + " times"), Value();
    return wrapAround(node, x, dim, before, behind);
  }
  SmallVector<Value> parts{x};
  if (!before.isStatic(0))
    parts.insert(parts.begin(), border(node, x, dim, before, mode));
  if (!behind.isStatic(0))
    parts.push_back(node.reverse(border(node, node.reverse(x, dim), dim, behind, mode), dim));
  return node.concatenate(parts, dim);
}

/// Pads with other values than a constant, one dimension after the other. Negative pads cut first, so that others repeat the
/// rest, as in ONNX Runtime.
static Value padAround(Node &node, Value x, ArrayRef<Dim> low, ArrayRef<Dim> high, StringRef mode) {
  for (auto [dim, before, behind] : llvm::enumerate(low, high)) {
    if ((isNegative(before) || isNegative(behind)) && !node.failed()) {
      int64_t start = isNegative(before) ? -before.constant() : 0;
      x = node.slice(x, dim, start, dimsOfValue(x)[dim] + (isNegative(behind) ? behind : Dim(0)));
    }
    x = padDim(node, x, dim, isNegative(before) ? Dim(0) : before, isNegative(behind) ? Dim(0) : behind, mode);
  }
  return x;
}

static void pad(Node &node) {
  bool attributes = node.opset() < 11;
  Value x = node.input(0);
  int64_t rank = node.rank(0);
  std::string mode = node.text("mode", "constant");
  Dims pads = attributes ? asDims(node.integers("pads")) : node.knownDims(1, "the pads' elements"), low(rank), high(rank);
  Integers axes = node.has(3) ? node.knownIntegers(3, "axes") : range(0, rank);
  if (node.failed())
    return;
  if (pads.size() != 2 * axes.size())
    return node.refuse("it has " + Twine(pads.size()) + " pads for " + Twine(axes.size()) + " axes");
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t dim = node.axis(axis, rank);
    if (node.failed())
      return;
    low[dim] = pads[i];
    high[dim] = pads[i + axes.size()];
  }
  if (mode == "constant") {
    Type element = node.element(0);
    Value value = attributes    ? node.constant(node.real("value", 0), element)
                  : node.has(2) ? node.reshape(node.input(2), Dims())
                                : node.constantInt(0, element);
    return node.set(0, node.pad(x, value, low, high));
  }
  if (mode != "reflect" && mode != "edge" && mode != "wrap")
    return node.refuse("mode is '" + mode + "', expected constant, reflect, edge or wrap");
  node.set(0, padAround(node, x, low, high, mode));
}

void onnximport::addSlices(Converters &converters) {
  converters["Slice"] = {slice, 1, 5, "starts,ends,axes"};
  converters["Split"] = {split, 1, 2, "axis,split,num_outputs"};
  converters["Pad"] = {pad, 1, 4, "mode,pads,value"};
}
