// Broadcasting by NumPy's rules over named dimensions.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/Node.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Returns the size to which `dim` broadcasts where `--dim=m=1,n` declares so.
static std::optional<Dim> wideSize(Model &model, const Dim &dim) {
  auto wide = model.wideSizes.find(dim.str());
  return wide == model.wideSizes.end() ? std::nullopt : std::optional(wide->second);
}

std::optional<Dims> Node::broadcastShapes(ArrayRef<Dims> shapes) {
  Model &model = graph.getModel();
  return broadcastDims(shapes, [&](const Dim &a, const Dim &b) -> std::optional<Dim> {
    if (wideSize(model, a) == b)
      return b;
    return wideSize(model, b) == a || canBeEqual(a, b) ? std::optional(a) : std::nullopt;
  });
}

/// Returns an expression that is `from` only where that is 1 or `to`.
static Dim oneOr(const Dim &from, const Dim &to) {
  Dim isOne = maxOf(Dim(1) - maxOf(from - Dim(1), Dim(1) - from), Dim(0));
  return to + isOne * (Dim(1) - to);
}

static std::string optionText(const Dim &from, const Dim &to) { return "--dim=" + from.str() + "=1," + to.str(); }

Value Node::stretched(Value value, int64_t dim, const Dim &to) {
  Dims checked = dimsOf(value);
  Dim from = checked[dim];
  checked[dim] = oneOr(from, to);
  value = withSizes(value, checked, optionText(from, to));
  Value last = emit<SubOp>({size(checked[dim], i64()), constantInt(1, i64())});
  return gather(value, emit<MinOp>({iota(0, to, i64()), last}), dim);
}

Value Node::checkedWide(Value value, ArrayRef<Dim> shape) {
  for (auto [i, dim] : llvm::enumerate(shape)) {
    Dims sizes = dimsOfValue(value), checked = sizes;
    size_t place = sizes.size() - shape.size() + i;
    if (failed() || sizes[place] == dim || wideSize(graph.getModel(), dim) != sizes[place])
      continue;
    checked[place] = sizes[place] + dim - oneOr(dim, sizes[place]); // equal if the declared one is
    value = withSizes(withSizes(value, checked, optionText(dim, sizes[place])), sizes);
  }
  return value;
}

Value Node::fitted(Value value, ArrayRef<Dim> shape) {
  if (failed() || !value || rankOf(value) > int64_t(shape.size()))
    return value;
  Dims sizes(shape.take_back(rankOf(value)));
  for (auto [i, dim] : llvm::enumerate(dimsOf(value)))
    if (dim.isStatic(1))
      sizes[i] = dim;
    else if (dim != sizes[i] && wideSize(graph.getModel(), dim) == sizes[i])
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

void Node::stretchOperands(SmallVectorImpl<Value> &operands) {
  SmallVector<Dims> shapes;
  for (Value operand : operands)
    shapes.push_back(dimsOf(operand));
  std::optional<Dims> shape = broadcastShapes(shapes);
  if (!shape)
    return; // the op refuses them
  for (Value &operand : operands)
    for (auto [i, dim] : llvm::enumerate(dimsOf(operand)))
      if (const Dim &to = (*shape)[shape->size() - rankOf(operand) + i]; dim != to && wideSize(graph.getModel(), dim) == to)
        operand = stretched(operand, i, to);
}
