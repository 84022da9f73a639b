// Ops of static shapes that make or move elements.
#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

static void constant(HloNode &node) {
  auto elements = node.op->getAttrOfType<ElementsAttr>("value");
  auto type = dyn_cast_or_null<RankedTensorType>(elements ? elements.getShapedType() : ShapedType());
  if (!type)
    return node.refuse("expected elements of a ranked tensor");
  auto value = [&](Attribute attribute) {
    return node.emit<ConstantOp>({}, node.getBuilder().getNamedAttr("value", attribute));
  };
  if (isa<IndexType>(type.getElementType())) { // sizes
    Integers numbers;
    for (const APInt &number : elements.getValues<APInt>())
      numbers.push_back(number.getSExtValue());
    return node.set(0, node.constants(numbers, type.getShape(), node.i64()));
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense || !dense.isSplat() || type.getNumElements() <= 1)
    return node.set(0, value(elements));
  Value one = value(DenseElementsAttr::get(RankedTensorType::get({}, type.getElementType()), dense.getSplatValue<Attribute>()));
  node.set(0, node.broadcast(one, {}, asDims(type.getShape())));
}

static void iota(HloNode &node) {
  node.set(0, node.iota(node.integer("iota_dimension"), node.resultDims(), node.resultElement()));
}

static void broadcastInDim(HloNode &node) {
  if (node.isLifted()) // of a scalar, to a scalar
    return node.set(0, node.operand(0));
  ArrayRef<int64_t> dims = node.numbers("broadcast_dimensions");
  node.set(0, broadcastAlong(node, node.operand(0), dims, node.resultDims()));
}

Value hloimport::broadcastAlong(HloNode &node, Value value, ArrayRef<int64_t> dims, ArrayRef<Dim> shape) {
  if (int64_t(dims.size()) != rankOf(value)) {
    node.refuse("there are " + Twine(dims.size()) + " dimensions for an operand of rank " + Twine(rankOf(value)));
    return {};
  }
  Integers order = range(0, dims.size());
  llvm::sort(order, [&](int64_t a, int64_t b) { return dims[a] < dims[b]; });
  Integers sorted(dims);
  llvm::sort(sorted);
  return node.broadcast(node.transpose(value, order), sorted, shape);
}

static void broadcast(HloNode &node) {
  int64_t added = node.numbers("broadcast_sizes").size();
  node.set(0, node.broadcast(node.operand(0), range(added, added + node.rank(0)), node.resultDims()));
}

static void reshape(HloNode &node) {
  node.set(0, node.isLifted() ? node.operand(0) : node.reshape(node.operand(0), node.resultDims()));
}

static void transpose(HloNode &node) { node.set(0, node.transpose(node.operand(0), node.numbers("permutation"))); }

static void reverse(HloNode &node) {
  ArrayRef<int64_t> dims = node.numbers("dimensions");
  node.set(0, dims.empty() ? node.operand(0) : node.reverse(node.operand(0), dims));
}

static void slice(HloNode &node) {
  node.set(0, node.emit<SliceOp>(node.operand(0), {node.shape("starts", asDims(node.numbers("start_indices"))),
                                                   node.shape("limits", asDims(node.numbers("limit_indices"))),
                                                   node.list("steps", node.numbers("strides"))}));
}

static void pad(HloNode &node) {
  node.set(0,
           node.emit<PadOp>({node.operand(0), node.operand(1)}, {node.shape("low", asDims(node.numbers("edge_padding_low"))),
                                                                 node.shape("high", asDims(node.numbers("edge_padding_high"))),
                                                                 node.list("interior", node.numbers("interior_padding"))}));
}

static void concatenate(HloNode &node) {
  node.set(0, node.concatenate(node.operandRange(0, node.operands()), node.integer("dimension")));
}

/// Returns start indices from the operands as one type, which index ops need.
static SmallVector<Value> starts(HloNode &node, unsigned first) {
  SmallVector<Value> values;
  for (unsigned i = first; i < node.operands(); ++i)
    values.push_back(node.asIndex(node.operand(i)));
  return values;
}

static void dynamicSlice(HloNode &node) {
  SmallVector<Value> operands{node.operand(0)};
  operands.append(starts(node, 1));
  node.set(0, node.emit<DynamicSliceOp>(operands, node.shape("sizes", asDims(node.numbers("slice_sizes")))));
}

static void dynamicUpdateSlice(HloNode &node) {
  SmallVector<Value> operands{node.operand(0), node.operand(1)};
  operands.append(starts(node, 2));
  node.set(0, node.emit<DynamicUpdateSliceOp>(operands));
}

static void pass(HloNode &node) { node.set(node.operandRange(0, node.operands())); }

void hloimport::addShape(Converters &converters) {
  converters["stablehlo.constant"] = constant;
  converters["stablehlo.iota"] = iota;
  converters["stablehlo.broadcast_in_dim"] = broadcastInDim;
  converters["stablehlo.broadcast"] = broadcast;
  converters["stablehlo.reshape"] = reshape;
  converters["stablehlo.transpose"] = transpose;
  converters["stablehlo.reverse"] = reverse;
  converters["stablehlo.slice"] = slice;
  converters["stablehlo.pad"] = pad;
  converters["stablehlo.concatenate"] = concatenate;
  converters["stablehlo.dynamic_slice"] = dynamicSlice;
  converters["stablehlo.dynamic_update_slice"] = dynamicUpdateSlice;
  converters["stablehlo.optimization_barrier"] = pass;
}
