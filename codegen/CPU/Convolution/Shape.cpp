#include "codegen/CPU/Convolution/Shape.h"
#include "codegen/CPU/Tuning.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

std::optional<int64_t> ConvolutionDim::place(int64_t output, int64_t tap) const {
  int64_t place = output * stride + tap * dilation - padLow;
  return place % inputDilation ? std::nullopt : std::optional(place / inputDilation);
}

std::optional<int64_t> ConvolutionDim::inputPlace(int64_t output, int64_t tap) const {
  std::optional<int64_t> at = place(output, tap);
  return at && *at >= 0 && *at < input ? at : std::nullopt;
}

int64_t ConvolutionDim::outputStep() const { return inputDilation / std::gcd(stride, inputDilation); }
int64_t ConvolutionDim::inputStep() const { return stride / std::gcd(stride, inputDilation); }
int64_t ConvolutionDim::tapStep() const { return inputDilation / std::gcd(dilation, inputDilation); }
int64_t ConvolutionDim::tapPlaces() const { return dilation / std::gcd(dilation, inputDilation); }

std::optional<ConvolutionDim::Meeting> ConvolutionDim::firstMeeting(int64_t tap) const {
  for (int64_t o = 0; o < outputStep(); ++o)
    if (std::optional<int64_t> at = place(o, tap)) {
      int64_t behind = llvm::divideCeilSigned(std::max<int64_t>(-*at, 0), inputStep());
      return Meeting{o + behind * outputStep(), *at + behind * inputStep()};
    }
  return std::nullopt;
}

ConvolutionDim::Phase ConvolutionDim::phase(int64_t output) const {
  for (int64_t tap = 0; tap < std::min(taps, tapStep()); ++tap)
    if (std::optional<int64_t> at = place(output, tap))
      return {tap, llvm::divideCeilSigned(taps - tap, tapStep()), *at};
  return {0, 0, 0};
}

static int64_t product(const ConvolutionShape &shape, int64_t ConvolutionDim::*extent) {
  int64_t result = 1;
  for (const ConvolutionDim &dim : shape.dims)
    result *= dim.*extent;
  return result;
}

bool ConvolutionShape::isOpen() const {
  return !llvm::all_of(llvm::concat<const Dim>(input, output), [](const Dim &dim) { return dim.isStatic(); });
}
int64_t ConvolutionShape::inputPlaces() const { return product(*this, &ConvolutionDim::input); }
int64_t ConvolutionShape::outputPlaces() const { return product(*this, &ConvolutionDim::output); }
Dim ConvolutionShape::outputPlacesDim() const { return numElements(output).value_or(Dim::unknown()); }
int64_t ConvolutionShape::taps() const { return product(*this, &ConvolutionDim::taps); }

static std::optional<ConvolutionShape> shapeFrom(ConvolutionGeometry g, const Dims &x, const Dims &w, const Dims &y) {
  for (const Dims &dims : {Dims(llvm::drop_begin(x)), w, Dims(llvm::drop_begin(y))})
    if (llvm::any_of(dims, [](const Dim &dim) { return dim.isStatic(0); }))
      return std::nullopt;
  auto isNamed = [](const Dim &dim) { return !dim.isStatic(); };
  if (llvm::any_of(w, isNamed) || isNamed(x.back()) || isNamed(y.back()))
    return std::nullopt;
  ConvolutionShape shape;
  for (size_t i = 0; i + 2 < x.size(); ++i) {
    shape.dims.push_back({x[i + 1].constant(), w[i].constant(), y[i + 1].constant(), g.strides[i], g.dilation[i],
                          g.inputDilation[i], g.padLow[i]});
    shape.input.push_back(x[i + 1]);
    shape.output.push_back(y[i + 1]);
  }
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

int64_t lathe::cpu::operationsAround(Operation *hero) {
  int64_t count = 0;
  for (auto nest : hero->getBlock()->getOps<NestOp>())
    nest.getBody().walk([&](Operation *op) { count += isa<ApplyOp>(op) ? tuning::kShortEpilogue + 1 : 1; });
  return count;
}
