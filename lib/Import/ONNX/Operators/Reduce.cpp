// Reductions over axes.
#include "lib/Import/ONNX/Operators/DataSizes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Returns the axes, an attribute in old opsets and an input later; all if none are given. nullopt: the operand is unchanged.
static std::optional<Integers> reducedAxes(Node &node) {
  std::optional<Integers> given = node.axesOf(1);
  if (given && !given->empty())
    return node.axes(*given, node.rank(0));
  if (node.integer("noop_with_empty_axes", 0))
    return std::nullopt;
  return range(0, node.rank(0));
}

/// Returns the kind of an extremum. For booleans, max is "any" and min "all".
static ReduceKind extremum(Node &node, ReduceKind kind) {
  bool truth = node.element(0) && node.element(0).isInteger(1);
  return !truth ? kind : kind == ReduceKind::Max ? ReduceKind::Or : ReduceKind::And;
}

static Value meanOf(Node &node, Value x, ArrayRef<int64_t> dims, bool keep) {
  SmallVector<NamedAttribute> options{node.list("dims", dims)};
  if (keep)
    options.push_back(node.flag("keep"));
  Type element = node.element(0);
  if (isa_and_nonnull<FloatType>(element))
    return node.composite("mean", x, options);
  Dim count(1);
  for (int64_t dim : dims)
    count = count * dimsOfValue(x)[dim];
  return node.emit<DivOp>({node.reduce(ReduceKind::Sum, x, dims, keep), node.size(count, element)});
}

static Value logSumExp(Node &node, Value x, ArrayRef<int64_t> dims, bool keep) {
  SmallVector<NamedAttribute> options{node.list("dims", dims)};
  if (keep)
    options.push_back(node.flag("keep"));
  return node.composite("logsumexp", x, options);
}

/// Returns the square root of sums of squares. Its derivative is 0 where the sum is 0, as frameworks define it, rather than a
/// NaN.
static Value rootOfSquares(Node &node, Value squares) {
  Value zero = node.constant(0, elementOfValue(squares)), one = node.constant(1, elementOfValue(squares));
  Value isZero = node.compare(CompareKind::EQ, squares, zero);
  Value root = node.emit<SqrtOp>(node.emit<SelectOp>({isZero, one, squares}));
  return node.emit<SelectOp>({isZero, zero, root});
}

static void reduce(Node &node) {
  StringRef op = node.op().drop_front(6);
  Type element = node.element(0);
  Value x = node.input(0);
  if (op == "L2" || op == "LogSum") // the sum may exceed the range of halves where the result does not
    x = node.convert(x, node.wide(element));
  bool keep = node.integer("keepdims", 1);
  std::optional<Integers> axes = reducedAxes(node);
  if (node.failed())
    return;
  Integers dims = axes.value_or(Integers()); // without axes each element is a sum of its own
  if (std::optional<Dim> count = op == "Sum" && int64_t(dims.size()) == node.rank(0) ? countedByNonZero(node, x) : std::nullopt)
    return node.set(0, Known{element, std::vector<int64_t>(keep ? dims.size() : 0, 1), {Scalar::of(*count)}});
  auto sum = [&](Value terms) { return node.reduce(ReduceKind::Sum, terms, dims, keep); };
  Value result;
  if (op == "Sum")
    result = sum(x);
  else if (op == "Prod")
    result = node.reduce(ReduceKind::Product, x, dims, keep);
  else if (op == "Max")
    result = node.reduce(extremum(node, ReduceKind::Max), x, dims, keep);
  else if (op == "Min")
    result = node.reduce(extremum(node, ReduceKind::Min), x, dims, keep);
  else if (op == "Mean")
    result = dims.empty() ? x : meanOf(node, x, dims, keep);
  else if (op == "L1")
    result = sum(node.emit<AbsOp>(x));
  else if (op == "SumSquare")
    result = sum(node.emit<MulOp>({x, x}));
  else if (op == "L2")
    result = isa_and_nonnull<FloatType>(elementOfValue(x)) ? rootOfSquares(node, sum(node.emit<MulOp>({x, x})))
                                                           : node.emit<SqrtOp>(sum(node.emit<MulOp>({x, x})));
  else if (op == "LogSum")
    result = node.emit<LogOp>(sum(x));
  else
    result = dims.empty() ? x : logSumExp(node, x, dims, keep);
  node.set(0, node.convert(result, element));
}

void onnximport::addReductions(Converters &converters) {
  for (StringRef name : {"ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceMean", "ReduceL1", "ReduceL2",
                         "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"})
    converters[name] = {reduce, 1, 2, "axes,keepdims,noop_with_empty_axes"};
}
