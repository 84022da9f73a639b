// Windows: by Lathe's own kinds, as cumulative ops, or else by any body, one tap after the other.
#include "lib/Import/StableHLO/Operators/Bodies.h"
#include "lib/Import/StableHLO/Operators/Loops.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

/// Limit on the taps of a window whose body is applied tap by tap.
static constexpr int64_t kMostTaps = 1024;

/// Returns the window of an op over an operand of that rank.
static Window readWindow(HloNode &node, size_t rank) {
  Window window;
  window.size = node.numbers("window_dimensions", rank, 1);
  window.stride = node.numbers("window_strides", rank, 1);
  window.base = node.numbers("base_dilations", rank, 1);
  window.dilation = node.numbers("window_dilations", rank, 1);
  node.readPadding(rank, window.low, window.high);
  for (const Integers *list : {&window.size, &window.stride, &window.base, &window.dilation})
    if (llvm::any_of(*list, [](int64_t number) { return number < 1; }))
      node.refuse("sizes, strides and dilations of windows must be at least 1");
  return window;
}

/// Returns the only dimension along which each window has all elements up to its own, or from it on; nullopt if the window is
/// another one.
static std::optional<int64_t> runningDim(const Window &window, ArrayRef<Dim> dims, bool &reverses) {
  std::optional<int64_t> running;
  for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim) {
    if (window.stride[dim] != 1 || window.base[dim] != 1 || window.dilation[dim] != 1)
      return std::nullopt;
    int64_t size = window.size[dim], low = window.low[dim], high = window.high[dim];
    if (size == 1 && low == 0 && high == 0)
      continue;
    bool isAll = dims[dim] == Dim(size) && size > 1 && low + high == size - 1 && (low == 0 || high == 0);
    if (!isAll || running)
      return std::nullopt;
    running = dim;
    reverses = low == 0;
  }
  return running;
}

static std::optional<CumulativeKind> cumulativeOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return CumulativeKind::Sum;
  case ReduceKind::Product:
    return CumulativeKind::Product;
  case ReduceKind::Max:
    return CumulativeKind::Max;
  case ReduceKind::Min:
    return CumulativeKind::Min;
  default:
    return std::nullopt;
  }
}

/// Returns the number of taps of a window whose bodies are applied tap by tap; refuses the op if there are too many, or if the
/// number of windows is not fixed.
static int64_t countTaps(HloNode &node, const Window &window, ArrayRef<Dim> shape) {
  int64_t taps = 1;
  for (int64_t size : window.size)
    taps = taps > kMostTaps ? taps : taps * size;
  if (taps > kMostTaps || llvm::any_of(shape, [](const Dim &dim) { return !dim.isStatic(); }))
    node.refuse("a window with this body must have at most " + Twine(kMostTaps) + " elements, and fixed sizes");
  return node.failed() ? 0 : taps;
}

/// Returns one tap of all windows: elements of the padded operand.
static Value tapOf(HloNode &node, Value padded, const Window &window, int64_t tap, ArrayRef<Dim> shape) {
  Integers starts(shape.size()), limits(shape.size());
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    starts[dim] = tap % window.size[dim] * window.dilation[dim];
    limits[dim] = starts[dim] + std::max<int64_t>(0, (shape[dim].constant() - 1) * window.stride[dim] + 1);
    tap /= window.size[dim];
  }
  return node.emit<SliceOp>(
      padded, {node.shape("starts", asDims(starts)), node.shape("limits", asDims(limits)), node.list("steps", window.stride)});
}

/// Returns an operand with the window's padding.
static Value paddedBy(HloNode &node, Value operand, Value with, const Window &window) {
  Integers interior;
  for (int64_t base : window.base)
    interior.push_back(base - 1);
  return node.emit<PadOp>({operand, with}, {node.shape("low", asDims(window.low)), node.shape("high", asDims(window.high)),
                                            node.list("interior", interior)});
}

/// Combines the taps of each window by the body, from the start value on.
static void reduceByTaps(HloNode &node, Region &body, const Window &window) {
  unsigned count = node.results();
  Dims shape = node.resultDims();
  int64_t taps = countTaps(node, window, shape);
  SmallVector<Value> padded, results;
  for (unsigned i = 0; i < count; ++i) {
    Value start = node.operand(count + i);
    padded.push_back(paddedBy(node, node.operand(i), start, window));
    results.push_back(node.broadcast(start, {}, shape));
  }
  for (int64_t tap = 0; tap < taps && !node.failed(); ++tap) {
    SmallVector<Value> arguments(results);
    for (Value value : padded)
      arguments.push_back(tapOf(node, value, window, tap, shape));
    results = node.liftRegion(body, arguments, shape);
  }
  node.set(results);
}

/// Reduces the windows of the first operands, or of `operand` instead of the only one.
static void reduceBy(HloNode &node, Region &body, Value operand, const Window &window) {
  Type element = node.element(0);
  std::optional<ReduceKind> kind = reduceKindOf(combinerOf(body), element);
  if (node.results() != 1 || !kind || !isNeutral(*kind, node.operand(1)) || node.resultElement() != element)
    return reduceByTaps(node, body, window);
  bool isBool = element.isInteger(1), reverses = false;
  std::optional<CumulativeKind> cumulative = cumulativeOf(*kind);
  if (std::optional<int64_t> dim = runningDim(window, dimsOfValue(operand), reverses); dim && cumulative && !isBool)
    return node.set(0, node.cumulative(*cumulative, operand, *dim, reverses));
  if (isBool) { // "or" is the largest and "and" the smallest of 0 and 1
    Value numbers = node.convert(operand, node.getBuilder().getI32Type());
    ReduceKind extreme = *kind == ReduceKind::Or ? ReduceKind::Max : ReduceKind::Min;
    Value result = node.reduceWindow(extreme, numbers, window);
    return node.set(0, node.compare(CompareKind::GT, result, node.constantInt(0, elementOfValue(result))));
  }
  if (!cumulative)
    return reduceByTaps(node, body, window);
  node.set(0, node.reduceWindow(*kind, operand, window));
}

static void reduceWindow(HloNode &node) {
  if (node.operands() != 2 * node.results())
    return node.refuse("expected a start for each operand");
  Window window = readWindow(node, node.rank(0));
  if (!node.failed())
    reduceBy(node, node.op->getRegion(0), node.operand(0), window);
}

// ---- Windows whose sizes are operands

/// Returns numbers that must be constants; refuses the op if a size among them is named.
static Integers fixed(HloNode &node, unsigned operand, size_t rank, StringRef what) {
  Integers numbers;
  for (const Dim &dim : node.knownDims(operand))
    if (dim.isStatic())
      numbers.push_back(dim.constant());
  if (numbers.size() != rank)
    node.refuse(what + " must be " + Twine(rank) + " constants");
  return numbers;
}

/// Applies the windows that cover a dimension of a named size: a reduction of all of it, or a cumulative op along it. Returns
/// null for windows of another kind.
static Value reduceNamed(HloNode &node, ReduceKind kind, ArrayRef<Dim> size, ArrayRef<Dim> low, ArrayRef<Dim> high,
                         const Window &pace) {
  Dims dims = node.dims(0);
  std::optional<CumulativeKind> cumulative = cumulativeOf(kind);
  Value result = node.operand(0);
  for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim) {
    bool isPlain = pace.stride[dim] == 1 && pace.base[dim] == 1 && pace.dilation[dim] == 1;
    if (isPlain && size[dim] == Dim(1) && low[dim] == Dim(0) && high[dim] == Dim(0))
      continue;
    if (!isPlain || size[dim] != dims[dim])
      return {};
    if (low[dim] == Dim(0) && high[dim] == Dim(0))
      result = node.reduce(kind, result, dim, /*keep=*/true);
    else if (bool reverses = low[dim] == Dim(0);
             cumulative && low[dim] + high[dim] == dims[dim] - Dim(1) && (reverses || high[dim] == Dim(0)))
      result = node.cumulative(*cumulative, result, dim, reverses);
    else
      return {};
  }
  return result;
}

void hloimport::dynamicReduceWindow(HloNode &node) {
  size_t rank = node.rank(0);
  auto called = node.op->getAttrOfType<ArrayAttr>("called_computations");
  auto name = called && called.size() == 1 ? dyn_cast<FlatSymbolRefAttr>(called[0]) : FlatSymbolRefAttr();
  auto function = name ? node.program.symbols.lookup<mlir::func::FuncOp>(name.getValue()) : mlir::func::FuncOp();
  if (node.operands() != 7 || node.results() != 1 || !function || function.isExternal())
    return node.refuse("expected an operand, a start, five lists of numbers and a body");
  Dims size = node.knownDims(2), padding = node.knownDims(6), low, high;
  Window window{{},
                fixed(node, 3, rank, "strides"),
                fixed(node, 5, rank, "dilations"),
                Integers(rank, 0),
                Integers(rank, 0),
                fixed(node, 4, rank, "dilations")};
  if (!node.failed() && (size.size() != rank || padding.size() != 2 * rank))
    node.refuse("expected a size and two pads for each of " + Twine(rank) + " dimensions");
  if (node.failed())
    return;
  for (auto [i, pad] : llvm::enumerate(padding))
    (i % 2 ? high : low).push_back(pad);
  std::optional<ReduceKind> kind = reduceKindOf(combinerOf(function.getBody()), node.element(0));
  if (kind && isNeutral(*kind, node.operand(1)) && !node.element(0).isInteger(1))
    if (Value result = reduceNamed(node, *kind, size, low, high, window))
      return node.set(0, result);
  for (const Dim &dim : size)
    if (dim.isStatic())
      window.size.push_back(dim.constant());
  if (window.size.size() != rank)
    return node.refuse("a window over a named size must cover all of it, and be reduced by add, multiply, maximum or minimum");
  Integers interior;
  for (int64_t &base : window.base)
    interior.push_back(std::exchange(base, 1) - 1);
  Value padded = node.emit<PadOp>({node.operand(0), node.operand(1)},
                                  {node.shape("low", low), node.shape("high", high), node.list("interior", interior)});
  reduceBy(node, function.getBody(), padded, window);
}

// ---- Selections

/// Returns the extremum whose first place in a window the body of a selection keeps; nullopt for any other body.
static std::optional<ReduceKind> selectionOf(Region &body) {
  if (!body.hasOneBlock() || body.front().getNumArguments() != 2)
    return std::nullopt;
  Block &block = body.front();
  Operation *op = block.back().getNumOperands() == 1 ? block.back().getOperand(0).getDefiningOp() : nullptr;
  if (!op || op != &block.front() || op->getName().getStringRef() != "stablehlo.compare" ||
      op->getOperand(0) != block.getArgument(0) || op->getOperand(1) != block.getArgument(1))
    return std::nullopt;
  StringRef direction = op->getAttrOfType<StringAttr>("comparison_direction").getValue();
  return direction == "GE" ? std::optional(ReduceKind::Max) : direction == "LE" ? std::optional(ReduceKind::Min) : std::nullopt;
}

/// Returns the place of a tap in the operand, joined to one number, for all windows; -1 in the padding.
static Value placesOf(HloNode &node, const Window &window, int64_t tap, ArrayRef<Dim> dims, ArrayRef<Dim> shape) {
  Value places, isInside;
  int64_t pitch = 1;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    int64_t offset = tap % window.size[dim] - window.low[dim];
    tap /= window.size[dim];
    Value steps = node.emit<MulOp>({node.iota(dim, shape, node.i64()), node.constantInt(window.stride[dim], node.i64())});
    Value at = node.emit<AddOp>({steps, node.constantInt(offset, node.i64())});
    Value fits = node.emit<AndOp>({node.compare(CompareKind::GE, at, node.constantInt(0, node.i64())),
                                   node.compare(CompareKind::LT, at, node.constantInt(dims[dim].constant(), node.i64()))});
    isInside = isInside ? node.emit<AndOp>({isInside, fits}) : fits;
    at = node.emit<MulOp>({at, node.constantInt(pitch, node.i64())});
    places = places ? node.emit<AddOp>({places, at}) : at;
    pitch *= dims[dim].constant();
  }
  return node.emit<SelectOp>({isInside, places, node.constantInt(-1, node.i64())});
}

/// Combines updates into the elements of a list at their places, one after the other, by a body.
static Value scatterInOrder(HloNode &node, Region &body, Value into, Value places, Value updates) {
  SmallVector<Value> results = emitScan(node, into, {places, updates}, [&](ValueRange carries, ValueRange slices) {
    Value old = node.reshape(node.emit<DynamicSliceOp>({carries[0], slices[0]}, node.shape("sizes", Dim(1))), {});
    SmallVector<Value> combined = node.liftRegion(body, {old, slices[1]}, {});
    if (node.failed() || combined.size() != 1)
      return SmallVector<Value>();
    Value isInside = node.compare(CompareKind::GE, slices[0], node.constantInt(0, node.i64()));
    Value next = node.reshape(node.emit<SelectOp>({isInside, combined[0], old}), Dim(1));
    return SmallVector<Value>{node.emit<DynamicUpdateSliceOp>({carries[0], next, slices[0]})};
  });
  return results.empty() ? Value() : results[0];
}

/// Selects one tap after the other by any body, and scatters by any body.
static void selectByTaps(HloNode &node, const Window &window) {
  Dims dims = node.dims(0), shape = node.dims(1);
  std::optional<Dim> all = numElements(dims), windows = numElements(shape);
  if (!all || !all->isStatic() || !windows)
    return node.refuse("a selection with this body must have fixed sizes");
  int64_t taps = countTaps(node, window, shape);
  if (node.failed())
    return;
  Value padded = paddedBy(node, node.operand(0), node.zero(node.element(0)), window), best, chosen;
  for (int64_t tap = 0; tap < taps && !node.failed(); ++tap) {
    Value value = tapOf(node, padded, window, tap, shape), places = placesOf(node, window, tap, dims, shape);
    if (tap == 0) {
      std::tie(best, chosen) = std::pair(value, places);
      continue;
    }
    SmallVector<Value> stays = node.liftRegion(node.op->getRegion(0), {best, value}, shape);
    if (node.failed() || stays.size() != 1)
      return;
    Value zero = node.constantInt(0, node.i64());
    Value isFirst = node.compare(CompareKind::LT, chosen, zero), isInside = node.compare(CompareKind::GE, places, zero);
    Value takes = node.emit<AndOp>({isInside, node.emit<OrOp>({isFirst, node.emit<NotOp>(stays[0])})});
    best = node.emit<SelectOp>({takes, value, best});
    chosen = node.emit<SelectOp>({takes, places, chosen});
  }
  Value into = node.broadcast(node.operand(2), {}, *all), updates = node.reshape(node.operand(1), *windows);
  Value result = scatterInOrder(node, node.op->getRegion(1), into, node.reshape(chosen, *windows), updates);
  node.set(0, node.reshape(result, dims));
}

static void selectAndScatter(HloNode &node) {
  Window window = readWindow(node, node.rank(0));
  std::optional<ReduceKind> kind = selectionOf(node.op->getRegion(0));
  if (node.failed())
    return;
  if (!kind || combinerOf(node.op->getRegion(1)) != "add")
    return selectByTaps(node, window);
  auto numbers = [&](ArrayRef<int64_t> list) { return node.getBuilder().getDenseI64ArrayAttr(list); };
  auto attribute = WindowAttr::get(node.getContext(), numbers(window.size), numbers(window.stride), numbers(window.dilation),
                                   numbers(window.base), numbers(window.low), numbers(window.high));
  Value taps = node.windowIndex(*kind, node.operand(0), window);
  Value result = node.emit<WindowScatterOp>(
      {node.operand(1), taps}, {node.shape("shape", node.dims(0)), node.getBuilder().getNamedAttr("window", attribute)});
  Value start = node.operand(2);
  node.set(0, isNeutral(ReduceKind::Sum, start) ? result : node.emit<AddOp>({result, start}));
}

void hloimport::addWindows(Converters &converters) {
  converters["stablehlo.reduce_window"] = reduceWindow;
  converters["stablehlo.select_and_scatter"] = selectAndScatter;
}
