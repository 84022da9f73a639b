// Broadcasting by NumPy's rules over named dimensions.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/Node.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

bool Node::isBroadcasting() const {
  static const llvm::StringSet<> ops{"Add",
                                     "Sub",
                                     "Mul",
                                     "Div",
                                     "Pow",
                                     "Mod",
                                     "Max",
                                     "Min",
                                     "Mean",
                                     "Sum",
                                     "And",
                                     "Or",
                                     "Xor",
                                     "Equal",
                                     "Greater",
                                     "Less",
                                     "GreaterOrEqual",
                                     "LessOrEqual",
                                     "BitShift",
                                     "BitwiseAnd",
                                     "BitwiseOr",
                                     "BitwiseXor",
                                     "Where",
                                     "MatMul",
                                     "MatMulInteger",
                                     "Expand",
                                     "Gemm",
                                     "PRelu"};
  bool isInLoop = !graph.getSteps().empty(); // where a carry keeps its size
  return graph.getModel().shared.broadcasts && !isInLoop && ops.contains(op());
}

std::optional<Dims> Node::broadcastShapes(ArrayRef<Dims> shapes) {
  WideSizes &wide = graph.getModel().wideSizes;
  return broadcastDims(shapes, [&](const Dim &a, const Dim &b) -> std::optional<Dim> {
    std::optional<Dim> both = wide.join(a, b, isBroadcasting());
    return both || !canBeEqual(a, b) ? both : std::optional(a);
  });
}

/// Returns the reason for a check that `from` is 1 or `to`.
static std::string reasonOf(Node &node, const WideSizes &wide, const Dim &from, const Dim &to) {
  return wide.isDeclared(from, to) ? "--dim=" + from.str() + "=1," + to.str() : node.op().str();
}

Value Node::stretched(Value value, int64_t dim, const Dim &to) {
  const WideSizes &wide = graph.getModel().wideSizes;
  Dims sizes = dimsOf(value);
  Dim from = sizes[dim], checked = wide.from(from, to);
  Value last = emit<SubOp>({size(from, i64()), constantInt(1, i64())});
  value = gather(value, emit<MinOp>({iota(0, checked, i64()), last}), dim);
  sizes[dim] = to;
  return withSizes(value, sizes, reasonOf(*this, wide, from, to));
}

Value Node::checkedWide(Value value, ArrayRef<Dim> shape) {
  const WideSizes &wide = graph.getModel().wideSizes;
  Dims sizes = dimsOfValue(value);
  for (auto [i, dim] : llvm::enumerate(shape)) {
    size_t place = sizes.size() - shape.size() + i;
    if (failed() || !wide.broadcasts(dim, sizes[place]))
      continue;
    Dims checked = sizes;
    checked[place] = wide.from(dim, sizes[place]);
    value = withSizes(withSizes(value, checked, reasonOf(*this, wide, dim, sizes[place])), sizes);
  }
  return value;
}

Value Node::fitted(Value value, ArrayRef<Dim> shape) {
  if (failed() || !value || rankOf(value) > int64_t(shape.size()))
    return value;
  WideSizes &wide = graph.getModel().wideSizes;
  Dims sizes(shape.take_back(rankOf(value)));
  for (auto [i, dim] : llvm::enumerate(dimsOf(value)))
    if (dim.isStatic(1))
      sizes[i] = dim;
    else if (wide.broadcasts(dim, sizes[i]) || (dim != sizes[i] && wide.join(dim, sizes[i], isBroadcasting())))
      value = stretched(value, i, sizes[i]);
  if (!llvm::all_of_zip(dimsOfValue(value), sizes, canBeEqual))
    return value; // the op that takes it refuses it
  return withSizes(value, sizes);
}

Value Node::broadcastTo(Value value, ArrayRef<Dim> to) {
  value = fitted(value, to);
  int64_t rank = rankOf(value);
  if (rank > int64_t(to.size())) {
    refuse("a tensor of shape " + str(dimsOfValue(value)) + " does not broadcast to " + str(to));
    return {};
  }
  return broadcast(value, range(to.size() - rank, to.size()), to);
}

void Node::prepareElementwise(SmallVectorImpl<Value> &operands) {
  SmallVector<Dims> shapes;
  for (Value operand : operands)
    shapes.push_back(dimsOf(operand));
  std::optional<Dims> shape = broadcastShapes(shapes);
  if (!shape)
    return; // the op refuses them
  for (Value &operand : operands)
    for (auto [i, dim] : llvm::enumerate(dimsOf(operand)))
      if (const Dim &to = (*shape)[shape->size() - rankOf(operand) + i]; graph.getModel().wideSizes.broadcasts(dim, to))
        operand = stretched(operand, i, to);
}
