// Ops whose shapes are operands: sizes that are constants or computed from the sizes of inputs.
#include "lib/Import/StableHLO/Operators/Bodies.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

static void dimensionSize(HloNode &node) {
  int64_t dim = node.integer("dimension");
  if (dim < 0 || dim >= node.rank(0))
    return node.refuse("dimension " + Twine(dim) + " is out of range for an operand of rank " + Twine(node.rank(0)));
  node.set(0, node.size(node.dims(0)[dim], node.resultElement()));
}

static void dynamicIota(HloNode &node) {
  node.set(0, node.iota(node.integer("iota_dimension"), node.knownDims(0), node.resultElement()));
}

static void dynamicReshape(HloNode &node) { node.set(0, node.reshape(node.operand(0), node.knownDims(1))); }

static void dynamicBroadcast(HloNode &node) {
  node.set(0, broadcastAlong(node, node.operand(0), node.numbers("broadcast_dimensions"), node.knownDims(1)));
}

static void dynamicPad(HloNode &node) {
  Integers interior;
  for (const Dim &dim : node.knownDims(4)) {
    if (!dim.isStatic())
      node.refuse("interior padding must be numbers");
    interior.push_back(dim.isStatic() ? dim.constant() : 0);
  }
  node.set(0, node.emit<PadOp>({node.operand(0), node.operand(1)},
                               {node.shape("low", node.knownDims(2)), node.shape("high", node.knownDims(3)),
                                node.list("interior", interior)}));
}

static void dynamicSlice(HloNode &node) {
  Integers steps;
  for (const Dim &dim : node.knownDims(3)) {
    if (!dim.isStatic())
      node.refuse("strides must be numbers");
    steps.push_back(dim.isStatic() ? dim.constant() : 1);
  }
  node.set(0, node.emit<SliceOp>(node.operand(0), {node.shape("starts", node.knownDims(1)),
                                                   node.shape("limits", node.knownDims(2)), node.list("steps", steps)}));
}

void hloimport::addDynamicShape(Converters &converters) {
  converters["stablehlo.get_dimension_size"] = dimensionSize;
  converters["stablehlo.dynamic_iota"] = dynamicIota;
  converters["stablehlo.dynamic_reshape"] = dynamicReshape;
  converters["stablehlo.dynamic_broadcast_in_dim"] = dynamicBroadcast;
  converters["stablehlo.dynamic_pad"] = dynamicPad;
  converters["stablehlo.real_dynamic_slice"] = dynamicSlice;
}
