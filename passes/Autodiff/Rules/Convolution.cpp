// Derivative rules of the convolution family: each op is linear in both operands, and its transposes are the other two ops with
// the same geometry (ReductionOps.td states the trilinear form).
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

namespace {
/// Builds members of one family from the factors of its form.
struct Family {
  Emit &e;
  ConvolutionGeometry g;
  MLIRContext *context;

  Value conv(Value input, Value filter) {
    return e.make<ConvOp>(input, filter, g.strides, g.padLow, g.padHigh, g.dilation, g.inputDilation, g.groups, ShapeAttr());
  }
  /// `like` has the shape of the input.
  Value inputGrad(Value output, Value filter, Value like) {
    Dims dims = dimsOf(like);
    ShapeAttr spatial = shapeOf(context, ArrayRef<Dim>(dims).drop_front().drop_back());
    return e.make<ConvInputGradOp>(output, filter, spatial, g.strides, g.padLow, g.padHigh, g.dilation, g.inputDilation,
                                   g.groups);
  }
  Value filterGrad(Value input, Value output, Value like) {
    Dims dims = dimsOf(like);
    ShapeAttr spatial = shapeOf(context, ArrayRef<Dim>(dims).drop_back(2));
    return e.make<ConvFilterGradOp>(input, output, spatial, g.strides, g.padLow, g.padHigh, g.dilation, g.inputDilation,
                                    g.groups);
  }
};
} // namespace

template <typename Op>
static Family familyOf(Emit &e, Op op) {
  return {e, op.getGeometry(), op.getContext()};
}

void autodiff::addConvolutionRules(Rules &rules) {
  rules.add<ConvOp>().linear({{0}, {1}}).transpose([](Emit &e, ConvOp op, Values a, Value c, MutableArrayRef<Value> out) {
    if (!a[0])
      out[0] = familyOf(e, op).inputGrad(c, a[1], op.getInput());
    if (!a[1])
      out[1] = familyOf(e, op).filterGrad(a[0], c, op.getFilter());
  });
  rules.add<ConvInputGradOp>()
      .linear({{0}, {1}})
      .transpose([](Emit &e, ConvInputGradOp op, Values a, Value c, MutableArrayRef<Value> out) {
        if (!a[0])
          out[0] = familyOf(e, op).conv(c, a[1]);
        if (!a[1])
          out[1] = familyOf(e, op).filterGrad(c, a[0], op.getFilter());
      });
  rules.add<ConvFilterGradOp>()
      .linear({{0}, {1}})
      .transpose([](Emit &e, ConvFilterGradOp op, Values a, Value c, MutableArrayRef<Value> out) {
        if (!a[0])
          out[0] = familyOf(e, op).inputGrad(a[1], c, op.getInput());
        if (!a[1])
          out[1] = familyOf(e, op).conv(a[0], c);
      });
}
