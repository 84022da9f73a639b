#include "lib/Analysis/KernelCost.h"
#include "dialects/Lathe/IR/PlanAttributes.h"

using namespace mlir;
using namespace lathe;

/// The simple operations that an elementary function takes.
static constexpr double kElementary = 12;

double WorkTerm::at(const Sizes &sizes) const {
  double most = 0;
  for (const Dims &product : products) {
    double count = 1;
    for (const Dim &dim : product)
      count *= double(std::max<int64_t>(evaluate(dim, sizes).value_or(1), 0));
    most = std::max(most, count);
  }
  return factor * most;
}

static double sumOf(const std::vector<WorkTerm> &terms, const Sizes &sizes) {
  double sum = 0;
  for (const WorkTerm &term : terms)
    sum += term.at(sizes);
  return sum;
}

KernelCost KernelWork::at(const Sizes &sizes) const {
  KernelCost cost{sumOf(productFlops, sizes), sumOf(otherFlops, sizes), sumOf(moves, sizes), 0};
  for (const Dim &size : bytes)
    cost.bytes += double(std::max<int64_t>(evaluate(size, sizes).value_or(0), 0));
  return cost;
}

/// Returns two operations for each tap, input channel and element of a convolution's output.
static WorkTerm convolutionFlops(Operation *op) {
  bool ofFilter = isa<ConvFilterGradOp>(op);
  Value output = isa<ConvOp>(op) ? op->getResult(0) : op->getOperand(ofFilter ? 1 : 0);
  Value filter = ofFilter ? op->getResult(0) : op->getOperand(1);
  Dims factors = dimsOf(output), ofOutput = dimsOf(filter);
  factors.append(ofOutput.begin(), ofOutput.end() - 1); // the last dimension numbers the output's channels
  return {2, {factors}};
}

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

/// True if an op only brings panels of a product's right operand into the order of its matrix, which the product does not wait
/// for.
static bool isOfPanels(Operation *op) {
  if (!isa<TransposeOp, SliceOp>(op) || !op->hasOneUse())
    return false;
  OpOperand *use = &*op->use_begin();
  while (isa<ReshapeOp, SliceOp>(use->getOwner()) && use->getOwner()->hasOneUse())
    use = &*use->getOwner()->use_begin();
  return isa<DotGeneralOp>(use->getOwner()) && use->getOperandNumber() == 1;
}

static void addOp(Operation *op, KernelWork &work) {
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    Dims factors = dimsOf(dot.getResult()), lhs = dimsOf(dot.getLhs());
    for (int64_t dim : dot.getLhsContract())
      factors.push_back(lhs[dim]);
    work.productFlops.push_back({2, {factors}});
    return;
  }
  if (isa<ConvOp, ConvInputGradOp, ConvFilterGradOp>(op)) {
    work.productFlops.push_back(convolutionFlops(op));
    return;
  }
  if (isa<ConstantOp, BroadcastOp, ReshapeOp, YieldOp>(op) || isOfPanels(op))
    return;
  WorkTerm term{op->hasTrait<ElementaryTrait>() ? kElementary : 1, {}};
  for (Value value : llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector(op->getResults())))
    if (isa<RankedTensorType>(value.getType()))
      term.products.push_back(dimsOf(value));
  if (auto window = dyn_cast<ReduceWindowOp>(op))
    for (int64_t size : window.getWindow().getSize().asArrayRef())
      term.factor *= double(size);
  bool computes = !op->hasTrait<MovesElementsTrait>() && !isa<ConvertOp, IotaOp>(op) && llvm::all_of(op->getResults(), isFloat);
  (computes ? work.otherFlops : work.moves).push_back(std::move(term));
}

static void addBody(Block &body, KernelWork &work);

/// Adds the kernels of strips, which run once a strip.
static void addStrips(StripsOp strips, KernelWork &work) {
  std::map<std::string, Dim> inside{{strips.getRows().str(), Dim(int64_t(strips.getHeight()))}};
  KernelWork strip;
  for (KernelOp kernel : strips.getBody().front().getOps<KernelOp>())
    addBody(kernel.getBody().front(), strip);
  Dims count = dimsOf(strips.getExtents());
  auto add = [&](std::vector<WorkTerm> &terms, std::vector<WorkTerm> &all) {
    for (WorkTerm &term : terms) {
      term.factor /= double(strips.getHeight());
      for (Dims &product : term.products) {
        for (Dim &dim : product)
          dim = dim.substitute(inside);
        product.append(count.begin(), count.end());
      }
      all.push_back(std::move(term));
    }
  };
  add(strip.productFlops, work.productFlops);
  add(strip.otherFlops, work.otherFlops);
  add(strip.moves, work.moves);
}

static void addBody(Block &body, KernelWork &work) {
  for (Operation &op : body)
    if (auto strips = dyn_cast<StripsOp>(op))
      addStrips(strips, work);
    else
      addOp(&op, work);
}

KernelWork lathe::workOf(KernelOp kernel) {
  KernelWork work;
  addBody(kernel.getBody().front(), work);
  llvm::SmallDenseSet<Value> seen;
  for (Value input : kernel.getInputs())
    if (seen.insert(memoryOf(input)).second)
      work.bytes.push_back(byteSize(input));
  for (auto [result, value] : llvm::zip_equal(kernel.getResults(), kernel.getBody().front().getTerminator()->getOperands()))
    if (!value.getDefiningOp<ScratchOp>())
      work.bytes.push_back(byteSize(result));
  return work;
}
