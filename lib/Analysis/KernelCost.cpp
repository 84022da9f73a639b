#include "lib/Analysis/KernelCost.h"
#include "dialects/Lathe/IR/PlanAttributes.h"

using namespace mlir;
using namespace lathe;

/// The simple operations that an elementary function takes.
static constexpr double kElementary = 12;

static double numberOfElements(Value value, const Sizes &sizes) {
  double all = 1;
  for (const Dim &dim : dimsOf(value))
    all *= double(std::max<int64_t>(evaluate(dim, sizes).value_or(1), 0));
  return all;
}

/// Returns the product of some dimensions of a value.
static double extentOf(Value value, ArrayRef<int64_t> dims, const Sizes &sizes) {
  Dims all = dimsOf(value);
  double product = 1;
  for (int64_t dim : dims)
    product *= double(evaluate(all[dim], sizes).value_or(1));
  return product;
}

/// Returns the floating-point operations of a convolution: two for each tap, input channel and element of the output.
static double convolutionFlops(Operation *op, const Sizes &sizes) {
  bool ofFilter = isa<ConvFilterGradOp>(op);
  Value output = isa<ConvOp>(op) ? op->getResult(0) : op->getOperand(ofFilter ? 1 : 0);
  Value filter = ofFilter ? op->getResult(0) : op->getOperand(1);
  int64_t last = cast<RankedTensorType>(filter.getType()).getRank() - 1;
  double perOutput = numberOfElements(filter, sizes) / std::max(1.0, extentOf(filter, {last}, sizes));
  return 2 * numberOfElements(output, sizes) * perOutput;
}

static void addOp(Operation *op, const Sizes &sizes, KernelCost &cost) {
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    cost.productFlops += 2 * numberOfElements(dot.getResult(), sizes) * extentOf(dot.getLhs(), dot.getLhsContract(), sizes);
    return;
  }
  if (isa<ConvOp, ConvInputGradOp, ConvFilterGradOp>(op)) {
    cost.productFlops += convolutionFlops(op, sizes);
    return;
  }
  if (isa<ConstantOp, BroadcastOp, ReshapeOp, YieldOp>(op))
    return;
  double points = 0;
  for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults())))
    points = std::max(points, numberOfElements(value, sizes));
  if (auto window = dyn_cast<ReduceWindowOp>(op))
    for (int64_t size : window.getWindow().getSize().asArrayRef())
      points *= double(size);
  cost.otherFlops += points * (op->hasTrait<ElementaryTrait>() ? kElementary : 1);
}

static void addBody(Block &body, const Sizes &sizes, KernelCost &cost);

/// Adds the kernels of strips, which run once a strip.
static void addStrips(StripsOp strips, const Sizes &sizes, KernelCost &cost) {
  Dims extents = dimsOf(strips.getExtents());
  double rows = double(evaluate(extents.back(), sizes).value_or(1)), outer = 1;
  for (const Dim &dim : ArrayRef(extents).drop_back())
    outer *= double(evaluate(dim, sizes).value_or(1));
  Sizes inside = sizes;
  inside[strips.getRows().str()] = int64_t(strips.getHeight());
  KernelCost strip;
  for (KernelOp kernel : strips.getBody().front().getOps<KernelOp>())
    addBody(kernel.getBody().front(), inside, strip);
  double count = outer * rows / double(strips.getHeight());
  cost.productFlops += strip.productFlops * count;
  cost.otherFlops += strip.otherFlops * count;
}

static void addBody(Block &body, const Sizes &sizes, KernelCost &cost) {
  for (Operation &op : body)
    if (auto strips = dyn_cast<StripsOp>(op))
      addStrips(strips, sizes, cost);
    else
      addOp(&op, sizes, cost);
}

KernelCost lathe::costOf(KernelOp kernel, const Sizes &sizes) {
  KernelCost cost;
  addBody(kernel.getBody().front(), sizes, cost);
  for (Value value : llvm::concat<Value>(llvm::to_vector(kernel.getInputs()), llvm::to_vector(kernel.getResults())))
    cost.bytes += double(std::max<int64_t>(evaluate(byteSize(value), sizes).value_or(0), 0));
  return cost;
}
