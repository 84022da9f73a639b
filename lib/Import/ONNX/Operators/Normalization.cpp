// Normalisations: means and variances of batches, layers, groups and neighbouring channels.
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Normalises by the means and variances of the batch itself and updates the running ones; before opset 14 both are outputs.
static void batchNormalizationOfTraining(Node &node) {
  Type element = node.element(0), wide = node.wide(element);
  Integers others = range(0, node.rank(0));
  if (others.size() < 2)
    return node.refuse("input 0 has shape " + str(node.dims(0)) + ", expected at least 2 dimensions");
  others.erase(others.begin() + 1);
  Value x = node.convert(node.input(0), wide);
  Value statistics[] = {node.composite("mean", x, node.list("dims", others)),
                        node.composite("variance", x, node.list("dims", others))};
  Value y = node.composite("batch_norm_inference", {x, statistics[0], statistics[1]},
                           {node.number("dim", 1), node.realNumber("epsilon", node.real("epsilon", 1e-5f))},
                           {{"scale", node.convert(node.input(1), wide)}, {"bias", node.convert(node.input(2), wide)}});
  node.set(0, node.convert(y, element));
  double momentum = node.real("momentum", 0.9f);
  for (auto [i, own] : llvm::enumerate(statistics)) {
    Type type = node.element(3 + i), sum = node.wide(type);
    Value before = node.emit<MulOp>({node.convert(node.input(3 + i), sum), node.constant(momentum, sum)});
    Value now = node.emit<MulOp>({node.convert(own, sum), node.constant(1 - momentum, sum)});
    node.set(1 + i, node.convert(node.emit<AddOp>({before, now}), type));
    if (node.opset() < 14)
      node.set(3 + i, node.convert(own, type));
  }
}

static void batchNormalization(Node &node) {
  if (node.integer("spatial", 1) != 1)
    return node.refuse("spatial must be 1");
  bool wantsMore = false;
  for (int output = 1; output < node.outputs(); ++output)
    wantsMore |= node.wants(output);
  bool isTraining = node.opset() >= 14  ? node.integer("training_mode", 0)
                    : node.opset() >= 7 ? wantsMore
                                        : !node.integer("is_test", 0);
  if (isTraining)
    return batchNormalizationOfTraining(node);
  if (wantsMore)
    return node.refuse("running means are outputs in training mode only");
  Value x = node.input(0);
  node.set(0, node.composite("batch_norm_inference", {x, node.input(3), node.input(4)},
                             {node.number("dim", 1), node.realNumber("epsilon", node.real("epsilon", 1e-5f))},
                             {{"scale", node.input(1)}, {"bias", node.input(2)}}));
}

static void instanceNormalization(Node &node) {
  node.set(0, node.composite("instance_norm", node.input(0),
                             {node.number("dim", 1), node.realNumber("epsilon", node.real("epsilon", 1e-5f))},
                             {{"scale", node.input(1)}, {"bias", node.input(2)}}));
}

/// Checks that f16 and bf16 are computed in f32, as stash_type 1 requests.
static bool checkStash(Node &node) {
  if (node.integer("stash_type", 1) != 1)
    node.refuse("stash_type must be 1 (float)");
  return !node.failed();
}

static void layerNormalization(Node &node) {
  Value x = node.input(0);
  int64_t rank = node.rank(0), axis = node.axis(node.integer("axis", -1), rank);
  if (!checkStash(node))
    return;
  double epsilon = node.real("epsilon", 1e-5f);
  NamedAttribute dims = node.list("dims", range(axis, rank));
  node.set(0, node.composite("layer_norm", x, {dims, node.realNumber("epsilon", epsilon)},
                             {{"scale", node.input(1)}, {"bias", node.has(2) ? node.input(2) : Value()}}));
  if (!node.wants(1) && !node.wants(2))
    return;
  Type single = Float32Type::get(node.i64().getContext());
  Value wide = node.convert(x, single);
  node.set(1, node.composite("mean", wide, {dims, node.flag("keep")}));
  Value variance = node.composite("variance", wide, {dims, node.flag("keep")});
  node.set(2, node.emit<RsqrtOp>(node.emit<AddOp>({variance, node.constant(epsilon, single)})));
}

static void rmsNormalization(Node &node) {
  Value x = node.input(0);
  int64_t rank = node.rank(0), axis = node.axis(node.integer("axis", -1), rank);
  if (checkStash(node))
    node.set(0, node.composite("rms_norm", x,
                               {node.list("dims", range(axis, rank)), node.realNumber("epsilon", node.real("epsilon", 1e-5f))},
                               {{"scale", node.input(1)}}));
}

/// Converts GroupNormalization. Before opset 21 scale and bias have one entry for each group.
static void groupNormalization(Node &node) {
  Value x = node.input(0), scale = node.input(1), bias = node.input(2);
  int64_t groups = node.integer("num_groups", 0);
  Dims dims = node.dims(0);
  if (dims.size() < 2 || groups < 1 || !dims[1].isStatic() || dims[1].constant() % groups)
    node.refuse("num_groups must divide the number of channels, which must be fixed");
  if (!checkStash(node))
    return;
  for (Value *each : {&scale, &bias})
    if (node.opset() < 21) {
      Value row = node.broadcast(*each, {0}, {Dim(groups), Dim(dims[1].constant() / groups)});
      *each = node.reshape(row, dims[1]);
    }
  node.set(0, node.composite("group_norm", x,
                             {node.number("dim", 1), node.realNumber("epsilon", node.real("epsilon", 1e-5f)),
                              node.number("groups", groups)},
                             {{"scale", scale}, {"bias", bias}}));
}

/// Divides x by its norm along an axis.
static void lpNormalization(Node &node) {
  Type element = node.element(0), wide = node.wide(element);
  Value x = node.convert(node.input(0), wide);
  int64_t axis = node.axis(node.integer("axis", -1), node.rank(0)), p = node.integer("p", 2);
  if (p != 1 && p != 2)
    return node.refuse("p must be 1 or 2");
  Value powers = p == 1 ? node.emit<AbsOp>(x) : node.emit<MulOp>({x, x});
  Value length = node.reduce(ReduceKind::Sum, powers, axis, /*keep=*/true);
  if (p == 2)
    length = node.emit<SqrtOp>(length);
  Value zero = node.constant(0, wide); // a zero vector stays
  Value isZero = node.compare(CompareKind::EQ, length, zero);
  Value divisor = node.emit<SelectOp>({isZero, node.constant(1, wide), length});
  node.set(0, node.convert(node.emit<DivOp>({x, divisor}), element));
}

static void meanVarianceNormalization(Node &node) {
  Type element = node.element(0), wide = node.wide(element);
  Value x = node.convert(node.input(0), wide);
  NamedAttribute dims = node.list("dims", node.axes(node.integers("axes", {0, 2, 3}), node.rank(0)));
  if (node.failed())
    return;
  Value centred = node.emit<SubOp>({x, node.composite("mean", x, {dims, node.flag("keep")})});
  Value deviation = node.emit<SqrtOp>(node.composite("variance", x, {dims, node.flag("keep")}));
  Value result = node.emit<DivOp>({centred, node.emit<AddOp>({deviation, node.constant(1e-9, wide)})});
  node.set(0, node.convert(result, element));
}

/// Normalises by the squares of neighbouring channels.
static void localResponse(Node &node) {
  Type element = node.element(0), wide = node.wide(element);
  Value x = node.convert(node.input(0), wide);
  int64_t rank = node.rank(0), size = node.integer("size", 0);
  if (rank < 2 || size < 1 || size > 1 << 20)
    node.refuse("expected images [N, C, ...] and a positive size");
  if (node.failed())
    return;
  Integers ones(rank, 1), zeros(rank, 0);
  Window window{ones, ones, ones, zeros, zeros};
  window.size[1] = size;
  window.low[1] = (size - 1) / 2;
  window.high[1] = size - 1 - window.low[1];
  Value sum = node.reduceWindow(ReduceKind::Sum, node.emit<MulOp>({x, x}), window);
  Value scaled = node.emit<MulOp>({sum, node.constant(node.real("alpha", 1e-4f) / size, wide)});
  Value base = node.emit<AddOp>({scaled, node.constant(node.real("bias", 1), wide)});
  Value power = node.emit<PowOp>({base, node.constant(node.real("beta", 0.75), wide)});
  node.set(0, node.convert(node.emit<DivOp>({x, power}), element));
}

void onnximport::addNormalizations(Converters &converters) {
  converters["BatchNormalization"] = {batchNormalization, 5, 5,
                                      "consumed_inputs,epsilon,is_test,momentum,training_mode,spatial"};
  converters["InstanceNormalization"] = {instanceNormalization, 3, 3, "epsilon"};
  converters["LayerNormalization"] = {layerNormalization, 2, 3, "axis,epsilon,stash_type"};
  converters["RMSNormalization"] = {rmsNormalization, 2, 2, "axis,epsilon,stash_type"};
  converters["GroupNormalization"] = {groupNormalization, 3, 3, "epsilon,num_groups,stash_type"};
  converters["LpNormalization"] = {lpNormalization, 1, 1, "axis,p"};
  converters["MeanVarianceNormalization"] = {meanVarianceNormalization, 1, 1, "axes"};
  converters["LRN"] = {localResponse, 1, 1, "alpha,beta,bias,size"};
}
