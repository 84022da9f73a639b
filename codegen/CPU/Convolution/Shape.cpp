#include "codegen/CPU/Convolution/Shape.h"
#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

std::optional<int64_t> ConvolutionDim::inputPlace(int64_t output, int64_t tap) const {
  int64_t place = output * stride + tap * dilation - padLow;
  if (place < 0 || place % inputDilation || place / inputDilation >= input)
    return std::nullopt;
  return place / inputDilation;
}

int64_t ConvolutionDim::outputStep() const { return inputDilation / std::gcd(stride, inputDilation); }
int64_t ConvolutionDim::inputStep() const { return stride / std::gcd(stride, inputDilation); }

static int64_t product(const ConvolutionShape &shape, int64_t ConvolutionDim::*extent) {
  int64_t result = 1;
  for (const ConvolutionDim &dim : shape.dims)
    result *= dim.*extent;
  return result;
}

int64_t ConvolutionShape::inputPlaces() const { return product(*this, &ConvolutionDim::input); }
int64_t ConvolutionShape::outputPlaces() const { return product(*this, &ConvolutionDim::output); }
int64_t ConvolutionShape::taps() const { return product(*this, &ConvolutionDim::taps); }

static std::optional<ConvolutionShape> shapeFrom(ConvolutionGeometry g, const Dims &x, const Dims &w, const Dims &y) {
  for (const Dims &dims : {Dims(llvm::drop_begin(x)), w, Dims(llvm::drop_begin(y))})
    if (llvm::any_of(dims, [](const Dim &dim) { return !dim.isStatic() || dim.constant() == 0; }))
      return std::nullopt;
  ConvolutionShape shape;
  for (size_t i = 0; i + 2 < x.size(); ++i)
    shape.dims.push_back({x[i + 1].constant(), w[i].constant(), y[i + 1].constant(), g.strides[i], g.dilation[i],
                          g.inputDilation[i], g.padLow[i]});
  shape.groups = g.groups;
  shape.channels = x.back().constant() / g.groups;
  shape.filters = y.back().constant() / g.groups;
  return shape.groups > 1 && shape.filters == 1 && !shape.isDepthwise() ? std::nullopt : std::optional(shape);
}

std::optional<ConvolutionShape> lathe::cpu::convolutionShape(Operation *op) {
  if (auto conv = dyn_cast<ConvOp>(op))
    return shapeFrom(conv.getGeometry(), dimsOf(conv.getInput()), dimsOf(conv.getFilter()), dimsOf(conv.getResult()));
  if (auto grad = dyn_cast<ConvFilterGradOp>(op))
    return shapeFrom(grad.getGeometry(), dimsOf(grad.getInput()), dimsOf(grad.getResult()), dimsOf(grad.getOutput()));
  return std::nullopt;
}
