// Windows: by Lathe's own kinds, as cumulative ops, or else by any body, one tap after the other.
#include "lib/Import/StableHLO/Operators/Bodies.h"

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

/// Combines the taps of each window by the body, from the start value on.
static void reduceByTaps(HloNode &node, const Window &window) {
  unsigned count = node.results();
  Dims shape = node.resultDims();
  int64_t rank = shape.size(), taps = 1;
  for (int64_t size : window.size)
    taps = taps > kMostTaps ? taps : taps * size;
  if (taps > kMostTaps || llvm::any_of(shape, [](const Dim &dim) { return !dim.isStatic(); }))
    return node.refuse("a window with this body must have at most " + Twine(kMostTaps) + " elements, and fixed sizes");
  SmallVector<Value> padded, results;
  Integers interior;
  for (int64_t base : window.base)
    interior.push_back(base - 1);
  for (unsigned i = 0; i < count; ++i) {
    Value start = node.operand(count + i);
    padded.push_back(
        node.emit<PadOp>({node.operand(i), start}, {node.shape("low", asDims(window.low)),
                                                    node.shape("high", asDims(window.high)), node.list("interior", interior)}));
    results.push_back(node.broadcast(start, {}, shape));
  }
  Integers tap(rank, 0);
  for (int64_t number = 0; number < taps && !node.failed(); ++number) {
    int64_t left = number;
    Integers starts(rank), limits(rank);
    for (int64_t dim = rank - 1; dim >= 0; --dim) {
      starts[dim] = left % window.size[dim] * window.dilation[dim];
      limits[dim] = starts[dim] + std::max<int64_t>(0, (shape[dim].constant() - 1) * window.stride[dim] + 1);
      left /= window.size[dim];
    }
    SmallVector<Value> arguments(results);
    for (Value value : padded)
      arguments.push_back(node.emit<SliceOp>(value, {node.shape("starts", asDims(starts)), node.shape("limits", asDims(limits)),
                                                     node.list("steps", window.stride)}));
    results = node.liftRegion(node.op->getRegion(0), arguments, shape);
  }
  node.set(results);
}

static void reduceWindow(HloNode &node) {
  if (node.operands() != 2 * node.results())
    return node.refuse("expected a start for each operand");
  Window window = readWindow(node, node.rank(0));
  if (node.failed())
    return;
  Type element = node.element(0);
  std::optional<ReduceKind> kind = reduceKindOf(combinerOf(node.op->getRegion(0)), element);
  if (node.results() != 1 || !kind || !isNeutral(*kind, node.operand(1)) || node.resultElement() != element)
    return reduceByTaps(node, window);
  bool isBool = element.isInteger(1), reverses = false;
  std::optional<CumulativeKind> cumulative = cumulativeOf(*kind);
  if (std::optional<int64_t> dim = runningDim(window, node.dims(0), reverses); dim && cumulative && !isBool)
    return node.set(0, node.cumulative(*cumulative, node.operand(0), *dim, reverses));
  if (isBool) { // "or" is the largest and "and" the smallest of 0 and 1
    Value numbers = node.convert(node.operand(0), node.getBuilder().getI32Type());
    ReduceKind extreme = *kind == ReduceKind::Or ? ReduceKind::Max : ReduceKind::Min;
    Value result = node.reduceWindow(extreme, numbers, window);
    return node.set(0, node.compare(CompareKind::GT, result, node.constantInt(0, elementOfValue(result))));
  }
  if (!cumulative)
    return reduceByTaps(node, window);
  node.set(0, node.reduceWindow(*kind, node.operand(0), window));
}

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

static void selectAndScatter(HloNode &node) {
  Window window = readWindow(node, node.rank(0));
  std::optional<ReduceKind> kind = selectionOf(node.op->getRegion(0));
  if (!kind || combinerOf(node.op->getRegion(1)) != "add")
    return node.refuse("only a selection by GE or LE and a scatter by add are supported");
  if (node.failed())
    return;
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
