// The ops of the convolution family as nests over one relation: o * stride + k * dilation - pad_low = i * input_dilation.
//
//   convolution:  for image, output o, channel f:  sum over taps k, channels c of input[i(o, k), c] * filter[k, c, f]
//   input_grad:   for image, input i, channel c:   sum over taps k, channels f of output[o(i, k), f] * filter[k, c, f]
//   filter_grad:  for tap k, channels c, f:        sum over images, outputs o of input[i(o, k), c] * output[o, f]
//
// A guard makes the product 0 where the relation has no solution: at a border, or between the steps of a stride or dilation.
// These nests are for kernels without tiles, and GPU code finds its products in them.
#include "codegen/Kernels/LowerToNests.h"
#include "codegen/Kernels/NestBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

static Value product(OpBuilder &b, Location loc, ValueRange scalars) {
  if (isa<FloatType>(scalars[0].getType()))
    return arith::MulFOp::create(b, loc, scalars[0], scalars[1]);
  return arith::MulIOp::create(b, loc, scalars[0], scalars[1]);
}

namespace {
/// Affine expressions for the relation between input, tap and output positions.
struct Relation {
  NestBuilder &nest;
  ConvolutionGeometry g;

  /// Returns the input position that output `o` reads through tap `k`; `guard` gets the conditions for its existence.
  AffineExpr inputPlace(size_t i, AffineExpr o, AffineExpr k, const Dim &extent, NestBuilder::Guard &guard) {
    AffineExpr p = o * g.strides[i] + k * g.dilation[i] - g.padLow[i];
    guard.nonNegative.push_back(p);
    guard.nonNegative.push_back(nest.expr((extent - Dim(1)) * Dim(g.inputDilation[i])) - p);
    if (g.inputDilation[i] == 1)
      return p;
    guard.zero.push_back(p % g.inputDilation[i]);
    return p.floorDiv(g.inputDilation[i]);
  }

  /// Returns the output position that reads input `x` through tap `k`; `guard` gets the conditions for its existence.
  AffineExpr outputPlace(size_t i, AffineExpr x, AffineExpr k, const Dim &extent, NestBuilder::Guard &guard) {
    AffineExpr p = x * g.inputDilation[i] + g.padLow[i] - k * g.dilation[i];
    guard.nonNegative.push_back(p);
    guard.nonNegative.push_back(nest.expr((extent - Dim(1)) * Dim(g.strides[i])) - p);
    if (g.strides[i] == 1)
      return p;
    guard.zero.push_back(p % g.strides[i]);
    return p.floorDiv(g.strides[i]);
  }

  /// Returns the input channel number `c` of the group of output channel `f`.
  AffineExpr inputChannel(AffineExpr f, AffineExpr c, int64_t inputsPerGroup, int64_t outputsPerGroup) {
    return g.groups == 1 ? c : f.floorDiv(outputsPerGroup) * inputsPerGroup + c;
  }
};
} // namespace

static Value lowerConv(ConvOp op, OpBuilder &builder) {
  Dims x = dimsOf(op.getInput()), w = dimsOf(op.getFilter());
  size_t spatial = x.size() - 2;
  Dims reduce(w.begin(), w.begin() + spatial); // the taps
  bool hasChannels = !w[spatial].isStatic(1);  // a loop over a single channel would seem to have contiguous inputs
  if (hasChannels)
    reduce.push_back(w[spatial]);
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()), reduce, NestReduction::Sum);
  Relation relation{nest, op.getGeometry()};
  NestBuilder::Guard guard;
  unsigned taps = x.size();
  AffineExpr f = nest.dim(spatial + 1), c = hasChannels ? nest.dim(taps + spatial) : nest.constant(0);
  SmallVector<AffineExpr> input{nest.dim(0)}, filter;
  for (size_t i = 0; i < spatial; ++i) {
    input.push_back(relation.inputPlace(i, nest.dim(i + 1), nest.dim(taps + i), x[i + 1], guard));
    filter.push_back(nest.dim(taps + i));
  }
  int64_t groups = op.getGroups();
  input.push_back(relation.inputChannel(f, c, x.back().constant() / groups, w.back().constant() / groups));
  filter.append({c, f});
  nest.read(op.getInput(), input, guard);
  nest.read(op.getFilter(), filter, guard);
  return nest.finish(product);
}

static Value lowerInputGrad(ConvInputGradOp op, OpBuilder &builder) {
  Dims y = dimsOf(op.getOutput()), w = dimsOf(op.getFilter());
  size_t spatial = y.size() - 2;
  int64_t groups = op.getGroups(), outputs = w.back().constant() / groups;
  Dims reduce(w.begin(), w.begin() + spatial);
  if (outputs != 1)
    reduce.push_back(Dim(outputs));
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()), reduce, NestReduction::Sum);
  Relation relation{nest, op.getGeometry()};
  NestBuilder::Guard guard;
  unsigned taps = y.size();
  AffineExpr c = nest.dim(spatial + 1), f = outputs != 1 ? nest.dim(taps + spatial) : nest.constant(0);
  SmallVector<AffineExpr> output{nest.dim(0)}, filter;
  for (size_t i = 0; i < spatial; ++i) {
    output.push_back(relation.outputPlace(i, nest.dim(i + 1), nest.dim(taps + i), y[i + 1], guard));
    filter.push_back(nest.dim(taps + i));
  }
  if (groups > 1) {
    int64_t inputs = w[spatial].constant();
    f = c.floorDiv(inputs) * outputs + f;
    c = c % inputs;
  }
  output.push_back(f);
  filter.append({c, f});
  nest.read(op.getOutput(), output, guard);
  nest.read(op.getFilter(), filter, guard);
  return nest.finish(product);
}

static Value lowerFilterGrad(ConvFilterGradOp op, OpBuilder &builder) {
  Dims x = dimsOf(op.getInput()), y = dimsOf(op.getOutput());
  size_t spatial = x.size() - 2;
  Dims reduce(y.begin(), y.end() - 1); // batch and output positions
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()), reduce, NestReduction::Sum);
  Relation relation{nest, op.getGeometry()};
  NestBuilder::Guard guard;
  unsigned places = x.size();
  AffineExpr c = nest.dim(spatial), f = nest.dim(spatial + 1), n = nest.dim(places);
  SmallVector<AffineExpr> input{n}, output{n};
  for (size_t i = 0; i < spatial; ++i) {
    input.push_back(relation.inputPlace(i, nest.dim(places + 1 + i), nest.dim(i), x[i + 1], guard));
    output.push_back(nest.dim(places + 1 + i));
  }
  int64_t groups = op.getGroups();
  input.push_back(relation.inputChannel(f, c, x.back().constant() / groups, y.back().constant() / groups));
  output.push_back(f);
  nest.read(op.getInput(), input, guard);
  nest.read(op.getOutput(), output, guard);
  return nest.finish(product);
}

Value lathe::lowerConvolution(Operation *op, OpBuilder &builder) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ConvOp o) { return lowerConv(o, builder); })
      .Case([&](ConvInputGradOp o) { return lowerInputGrad(o, builder); })
      .Case([&](ConvFilterGradOp o) { return lowerFilterGrad(o, builder); })
      .Default(Value());
}
