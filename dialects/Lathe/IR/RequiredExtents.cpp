// Collects the extents that must not be negative for an op to be valid.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

namespace {
class Required {
public:
  Dims extents;

  void ofSlice(SliceOp op) {
    for (auto [extent, start, limit] : llvm::zip_equal(dimsOf(op.getOperand()), dimsOf(op.getStarts()), dimsOf(op.getLimits())))
      extents.append({start, limit - start, extent - limit});
  }

  /// A block must be inside a tensor.
  void ofBlock(Value block, Value around) {
    for (auto [size, extent] : llvm::zip_equal(dimsOf(block), dimsOf(around)))
      extents.push_back(extent - size);
  }

  void ofWindow(WindowAttr window, ArrayRef<Dim> base) {
    for (auto [i, extent] : llvm::enumerate(base))
      ofPlaces(extent, window.getBaseDilation()[i], window.getLow()[i] + window.getHigh()[i], window.getSize()[i],
               window.getDilation()[i], window.getStride()[i]);
  }

  void ofConvolution(ConvolutionGeometry g, ArrayRef<Dim> input, ArrayRef<Dim> filter) {
    for (auto [i, extent] : llvm::enumerate(input))
      ofPlaces(extent, g.inputDilation[i], g.padLow[i] + g.padHigh[i], filter[i], g.dilation[i], g.strides[i]);
  }

private:
  /// Taps must not exceed the padded extent by more than one step, which leaves no position.
  void ofPlaces(const Dim &extent, int64_t pitch, int64_t padding, const Dim &taps, int64_t dilation, int64_t stride) {
    if (!extent.isStatic())
      extents.push_back(dilated(extent, pitch) + Dim(padding) - dilated(taps, dilation) + Dim(stride));
  }
};
} // namespace

static ArrayRef<Dim> spatial(const Dims &images) { return ArrayRef(images).drop_front().drop_back(); }
static ArrayRef<Dim> taps(const Dims &filter) { return ArrayRef(filter).drop_back(2); }

Dims lathe::requiredExtents(Operation *op) {
  Required required;
  for (Value result : op->getResults())
    required.extents.append(dimsOf(result));
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](SliceOp slice) { required.ofSlice(slice); })
      .Case([&](TopKOp top) { required.extents.push_back(dimsOf(top.getOperand())[top.getDim()] - top.getCountDim()); })
      .Case([&](DynamicSliceOp slice) { required.ofBlock(slice.getResult(), slice.getOperand()); })
      .Case([&](DynamicUpdateSliceOp update) { required.ofBlock(update.getUpdate(), update.getOperand()); })
      .Case([&](ScanOp scan) { required.extents.push_back(scan.getSteps()); })
      .Case([&](ConvOp conv) {
        if (!conv.getOutputShape()) // otherwise the padding follows from the extents
          required.ofConvolution(conv.getGeometry(), spatial(dimsOf(conv.getInput())), taps(dimsOf(conv.getFilter())));
      })
      .Case([&](ConvInputGradOp conv) {
        required.ofConvolution(conv.getGeometry(), spatial(dimsOf(conv.getResult())), taps(dimsOf(conv.getFilter())));
      })
      .Case([&](ConvFilterGradOp conv) {
        required.ofConvolution(conv.getGeometry(), spatial(dimsOf(conv.getInput())), taps(dimsOf(conv.getResult())));
      })
      .Case<ReduceWindowOp, WindowIndexOp, WindowGatherOp>(
          [&](auto window) { required.ofWindow(window.getWindow(), dimsOf(window.getOperand())); })
      .Case([&](WindowScatterOp window) { required.ofWindow(window.getWindow(), dimsOf(window.getResult())); });
  Dims operands = operandsOfFormulas(required.extents); // before the extents that are computed from them
  operands.append(required.extents);
  return operands;
}
