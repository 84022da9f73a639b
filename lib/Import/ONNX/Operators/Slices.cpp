// Parts of tensors, and tensors with more around them: Slice, Split, Pad.
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Such bounds and larger ones mean "to the end" in what exporters write; tf2onnx writes this one.
static constexpr int64_t kEndless = 1'000'000'000;

/// The ends of a slice within [0, extent].
static std::optional<Dim> clampBound(Node &node, Dim bound, const Dim &extent) {
  if (bound.isStatic() && bound.constant() >= kEndless)
    return extent;
  if (bound.isStatic() && bound.constant() <= -kEndless)
    return Dim(0);
  std::optional<int> sign = signOf(bound);
  bool isNegative = sign && *sign < 0;
  if (isNegative)
    bound = bound + extent;
  if (extent.isStatic() && bound.isStatic())
    return Dim(std::clamp<int64_t>(bound.constant(), 0, extent.constant()));
  if (!isNegative && !isNeverNegative(bound))
    return node.refuse("it is not known whether the bound " + bound.str() + " counts from the end"), std::nullopt;
  if (isNegative && !isNeverNegative(bound)) // -8 of N: fewer of them are the sizes of another program
    return bound;
  return isNeverNegative(bound - extent) ? extent : bound;
}

/// x[start:end] along a dimension, with bounds that may be expressions. Sizes for which they are out of order are refused
/// later, by the ops that come of it.
static Value sliceOf(Node &node, Value x, int64_t dim, const Dim &start, const Dim &end) {
  Dim extent = dimsOfValue(x)[dim], before = extent - start, behind = extent - end;
  int64_t rank = rankOf(x);
  if (start.isStatic() && (end.isStatic() || end == extent))
    return node.slice(x, dim, start.constant(), end);
  Integers low(rank, 0), high(rank, 0);
  if (start.isStatic() && behind.isStatic()) { // all but some at both ends
    low[dim] = -start.constant();
    high[dim] = -behind.constant();
    return node.pad(x, node.constantInt(0, elementOfValue(x)), low, high);
  }
  if (before.isStatic() && behind.isStatic()) // some at the end
    return node.reverse(node.slice(node.reverse(x, dim), dim, behind.constant(), before), dim);
  // The first `end`, which must not be more than there are; then those from `start` on.
  auto part = [&](Value from, const Dim &begin, const Dim &size) {
    Dims sizes = dimsOfValue(from);
    SmallVector<Value> operands{from};
    for (int64_t i = 0; i < rank; ++i)
      operands.push_back(node.size(i == dim ? begin : Dim(0), node.i64()));
    if (!node.failed())
      sizes[dim] = size;
    return node.emit<DynamicSliceOp>(operands, node.shape("sizes", sizes));
  };
  Value head = end == extent ? x : part(x, Dim(0), end);
  return start == Dim(0) ? head : part(head, start, end - start);
}

/// Every step-th element, backwards if it is negative.
static Value stridedSlice(Node &node, Value x, int64_t dim, const Dim &start, const Dim &end, int64_t step) {
  Dim extent = dimsOfValue(x)[dim];
  if (step == 1) {
    std::optional<Dim> from = clampBound(node, start, extent), to = from ? clampBound(node, end, extent) : std::nullopt;
    if (!to)
      return {};
    if (from->isStatic() && to->isStatic() && from->constant() > to->constant())
      to = from;
    return sliceOf(node, x, dim, *from, *to);
  }
  if (!start.isStatic() || !end.isStatic() || (!extent.isStatic() && step != -1))
    return node.refuse("a step of " + Twine(step) + " needs numbers for the bounds and the size " + extent.str() +
                       "; fix it with --dim"),
           Value();
  int64_t from = start.constant(), to = end.constant();
  if (!extent.isStatic()) {
    if ((from != -1 && from < kEndless) || to > -kEndless)
      return node.refuse("a step of -1 over the size " + extent.str() + " must go over all of it"), Value();
    return node.reverse(x, dim);
  }
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

static void slice(Node &node) {
  bool attributes = node.opset() < 10;
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
      return node.refuse("axes and steps must be numbers, steps not 0");
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
    std::optional<Dim> part = divide(dims[axis], Dim(parts));
    if (!part && !dims[axis].isStatic())
      return node.refuse("the size " + dims[axis].str() + " is no multiple of " + Twine(parts) + "; fix it with --dim");
    int64_t extent = dims[axis].isStatic() ? dims[axis].constant() : 0, most = (extent + parts - 1) / parts;
    for (int64_t i = 0; i < parts; ++i)
      sizes.push_back(part ? *part : Dim(std::clamp<int64_t>(extent - i * most, 0, most)));
  }
  Dim sum;
  for (const Dim &size : sizes)
    sum = sum + size;
  if (!node.failed() && (int64_t(sizes.size()) != node.outputs() || sum != dims[axis]))
    node.refuse("the parts " + str(sizes) + " are not what " + Twine(node.outputs()) + " outputs and the size " +
                dims[axis].str() + " need");
  Dim start;
  for (size_t i = 0; i < sizes.size() && !node.failed(); start = start + sizes[i++])
    node.set(i, sliceOf(node, x, axis, start, start + sizes[i]));
}

/// `amount` elements beside the first element of a dimension, which `mode` makes of the tensor.
static Value border(Node &node, Value x, int64_t dim, int64_t amount, StringRef mode) {
  if (mode == "reflect")
    return node.reverse(node.slice(x, dim, 1, Dim(amount + 1)), dim);
  Dims dims = dimsOfValue(x);
  Value first = node.slice(x, dim, 0, Dim(1));
  if (node.failed())
    return {};
  dims[dim] = Dim(amount);
  return node.broadcastTo(first, dims);
}

/// Puts `before` elements in front of a dimension and `behind` after it, which go on as if it were a ring.
static Value wrapAround(Node &node, Value x, int64_t dim, int64_t before, int64_t behind) {
  int64_t extent = dimsOfValue(x)[dim].constant();
  SmallVector<Value> parts{x};
  for (int64_t left = before; left > 0; left -= extent)
    parts.insert(parts.begin(), node.slice(x, dim, std::max<int64_t>(0, extent - left), Dim(extent)));
  for (int64_t left = behind; left > 0; left -= extent)
    parts.push_back(node.slice(x, dim, 0, Dim(std::min(extent, left))));
  return node.concatenate(parts, dim);
}

/// Pads one dimension by elements of the tensor; neither amount is negative.
static Value padDim(Node &node, Value x, int64_t dim, int64_t before, int64_t behind, StringRef mode) {
  constexpr int64_t kMostRounds = 256;
  if (node.failed() || (before == 0 && behind == 0))
    return x;
  Dim extent = dimsOfValue(x)[dim];
  int64_t least = mode == "reflect" ? std::max(before, behind) + 1 : 1;
  if (extent.isStatic() && extent.constant() < least)
    return node.refuse("mode " + mode + " with these pads needs a size of " + Twine(least) + " or more, got " + extent.str()),
           Value();
  if (mode == "wrap") {
    if (!extent.isStatic())
      return node.refuse("mode wrap needs a number for the size " + extent.str() + "; fix it with --dim"), Value();
    if (std::max(before, behind) / kMostRounds >= extent.constant())
      return node.refuse("mode wrap repeats the size " + extent.str() + " more than " + Twine(kMostRounds) + " times"), Value();
    return wrapAround(node, x, dim, before, behind);
  }
  SmallVector<Value> parts{x};
  if (before)
    parts.insert(parts.begin(), border(node, x, dim, before, mode));
  if (behind)
    parts.push_back(node.reverse(border(node, node.reverse(x, dim), dim, behind, mode), dim));
  return node.concatenate(parts, dim);
}

/// Edges of another kind than a constant: one dimension after the other. What negative pads cut off is gone before others
/// repeat what there is, as in ONNX Runtime.
static Value padAround(Node &node, Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high, StringRef mode) {
  for (auto [dim, before, behind] : llvm::enumerate(low, high)) {
    if ((before < 0 || behind < 0) && !node.failed())
      x = node.slice(x, dim, std::max<int64_t>(0, -before), dimsOfValue(x)[dim] + Dim(std::min<int64_t>(0, behind)));
    x = padDim(node, x, dim, std::max<int64_t>(0, before), std::max<int64_t>(0, behind), mode);
  }
  return x;
}

static void pad(Node &node) {
  bool attributes = node.opset() < 11;
  Value x = node.input(0);
  int64_t rank = node.rank(0);
  std::string mode = node.text("mode", "constant");
  Integers pads = attributes ? node.integers("pads") : node.knownIntegers(1, "the pads' elements");
  Integers axes = node.has(3) ? node.knownIntegers(3, "axes") : range(0, rank), low(rank, 0), high(rank, 0);
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
