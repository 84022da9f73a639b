#include "codegen/CPU/Convolution/Convolution.h"
#include "codegen/CPU/Convolution/DepthwiseFilterGrad.h"
#include "codegen/CPU/Convolution/DepthwiseForward.h"
#include "codegen/CPU/Convolution/FilterGrad.h"
#include "codegen/CPU/Convolution/Forward.h"
#include "codegen/CPU/Convolution/OpenForward.h"
#include "codegen/CPU/Convolution/Planes.h"
#include "codegen/CPU/Tuning.h"
#include "lib/Analysis/PairProducts.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static Type elementOf(Operation *op) { return cast<RankedTensorType>(op->getResult(0).getType()).getElementType(); }
static unsigned elementBytes(Operation *op) { return elementOf(op).getIntOrFloatBitWidth() / 8; }

/// Returns the order in which the sums of floats are added; nullopt for integers.
static std::optional<SumOrder> sumOrder(Operation *op) {
  return isa<FloatType>(elementOf(op)) ? std::optional(kProductOrder) : std::nullopt;
}

namespace {
/// The base of all forms of convolutions; `Op` is the hero's class.
template <typename Parameters, typename Op>
class ConvolutionForm : public FormOf<Parameters> {
public:
  using FormOf<Parameters>::FormOf;

  bool isHero(Operation *op) const override { return isa<Op>(op); }

  bool canCompute(Operation *hero, const VectorTarget &target) const override {
    auto isRead = [&](OpOperand &operand) { return isa<BlockArgument>(operand.get()) || readsThrough(operand); };
    if (!llvm::all_of(hero->getOpOperands(), isRead))
      return false;
    Type element = elementOf(hero);
    bool isInteger = isa<ConvOp>(hero) && isa<IntegerType>(element); // gradients are of floats
    if (!element.isF32() && !element.isF64() && !isInteger)
      return false;
    std::optional<ConvolutionShape> shape = convolutionShape(hero);
    return shape && fits(cast<Op>(hero), *shape, target);
  }

protected:
  /// True if the form computes what an operand, which is a nest, has of another tensor in memory.
  virtual bool readsThrough(OpOperand &operand) const { return false; }
  /// True if the form has code for this shape.
  virtual bool fits(Op op, const ConvolutionShape &shape, const VectorTarget &target) const = 0;
  virtual Parameters chooseFor(Op op, const ConvolutionShape &shape, const VectorTarget &target) const = 0;
  /// Emits the loops, and sets the kernel's extent and unit.
  virtual void emitLoops(KernelFrame &frame, Op op, const ConvolutionShape &shape, const Parameters &parameters,
                         KernelCode &code) const = 0;
  virtual LogicalResult checkFor(KernelOp kernel, Op op, const ConvolutionShape &shape, const Parameters &parameters,
                                 const VectorTarget &target) const = 0;

private:
  FailureOr<Parameters> chooseFor(KernelOp kernel, const VectorTarget &target) const override {
    auto op = cast<Op>(this->heroOf(kernel));
    return chooseFor(op, *convolutionShape(op), target);
  }

  LogicalResult check(KernelOp kernel, const Parameters &parameters, const VectorTarget &target) const override {
    auto op = cast<Op>(this->heroOf(kernel));
    return checkFor(kernel, op, *convolutionShape(op), parameters, target);
  }

  FailureOr<KernelCode> emitBy(KernelOp kernel, const Parameters &parameters, const FunctionPlace &at) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    if (failed(loops))
      return failure();
    auto hero = cast<Op>(this->heroOf(kernel));
    KernelFrame frame(kernel, std::move(*loops), at.function, at.target, at.builder);
    KernelCode code;
    code.function = at.function;
    code.symbols = frame.loops.symbols;
    ConvolutionShape shape = *convolutionShape(hero);
    code.work = dimsOf(hero->getOperand(0))[0] * shape.outputPlacesDim() * Dim(shape.sumTerms() * shape.outputPitch());
    code.threadWork = tuning::kThreadProducts;
    emitLoops(frame, hero, shape, parameters, code);
    frame.close();
    return code;
  }
};

/// Computes a depthwise convolution line by line.
class LinesForm : public ConvolutionForm<DepthwiseSchedule, ConvOp> {
public:
  LinesForm() : ConvolutionForm("depthwise_lines") {}

  bool readsThrough(OpOperand &operand) const override {
    Value narrow = narrowOperand(operand.get());
    return operand.getOperandNumber() == 0 && getElementTypeOrSelf(operand.get().getType()).isF32() &&
           isa_and_nonnull<BlockArgument>(narrow);
  }

  bool fits(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target) const override {
    if (!shape.isDepthwise())
      return false;
    std::optional<DepthwiseSchedule> schedule = chooseDepthwise(shape, target, elementBytes(op), operationsAround(op));
    return schedule && DepthwisePlan::make(shape, *schedule);
  }
  DepthwiseSchedule chooseFor(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target) const override {
    return *chooseDepthwise(shape, target, elementBytes(op), operationsAround(op));
  }
  LogicalResult checkFor(KernelOp kernel, ConvOp op, const ConvolutionShape &shape, const DepthwiseSchedule &schedule,
                         const VectorTarget &target) const override {
    return checkDepthwise(kernel, shape, schedule, target, elementBytes(op));
  }
  void emitLoops(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const DepthwiseSchedule &schedule,
                 KernelCode &code) const override {
    DepthwisePlan plan = *DepthwisePlan::make(shape, schedule);
    emitDepthwiseForward(frame, op, shape, plan);
    Dims lines(shape.output.begin(), shape.output.end() - 1);
    code.extent = Dim(plan.blocks) * numElements(lines).value_or(Dim::unknown());
  }
};

/// Computes a convolution with known extents: a table lists the inputs that each output reads.
class TableForm : public ConvolutionForm<ForwardSchedule, ConvOp> {
public:
  TableForm() : ConvolutionForm("convolution") {}

  bool readsPanels() const override { return true; }

  /// Fails if the table of taps or the one of patches would grow out of proportion.
  bool fits(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target) const override {
    if (shape.isOpen())
      return false;
    std::optional<TapTable> table = TapTable::build(shape, sumOrder(op));
    return table && hasForward(op, shape, *table, chooseForward(op, shape, target), target);
  }
  ForwardSchedule chooseFor(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target) const override {
    return chooseForward(op, shape, target);
  }
  LogicalResult checkFor(KernelOp kernel, ConvOp op, const ConvolutionShape &shape, const ForwardSchedule &schedule,
                         const VectorTarget &target) const override {
    return checkForward(kernel, op, shape, schedule, target);
  }
  void emitLoops(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const ForwardSchedule &schedule,
                 KernelCode &code) const override {
    emitForward(frame, op, shape, *TapTable::build(shape, sumOrder(op)), schedule, code);
  }
};

/// Computes a convolution with named extents, or with too many taps for a table.
class OpenForm : public ConvolutionForm<OpenForwardSchedule, ConvOp> {
public:
  OpenForm() : ConvolutionForm("open_convolution") {}
  bool readsPanels() const override { return true; }

  bool fits(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target) const override {
    return hasOpenForward(op, shape, chooseOpenForward(op, shape, target));
  }
  OpenForwardSchedule chooseFor(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target) const override {
    return chooseOpenForward(op, shape, target);
  }
  LogicalResult checkFor(KernelOp kernel, ConvOp op, const ConvolutionShape &shape, const OpenForwardSchedule &schedule,
                         const VectorTarget &target) const override {
    return checkOpenForward(kernel, op, shape, schedule, target);
  }
  void emitLoops(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const OpenForwardSchedule &schedule,
                 KernelCode &code) const override {
    code.extent = shape.outputPlacesDim();
    emitOpenForward(frame, op, shape, schedule);
  }
};

/// Computes the gradient of a depthwise filter.
class DepthwiseGradientForm : public ConvolutionForm<DepthwiseFilterGradSchedule, ConvFilterGradOp> {
public:
  DepthwiseGradientForm() : ConvolutionForm("depthwise_filter_gradient") {}

  bool fits(ConvFilterGradOp op, const ConvolutionShape &shape, const VectorTarget &target) const override {
    unsigned bytes = elementBytes(op);
    return shape.isDepthwise() && DepthwiseFilterGradPlan::make(shape, chooseDepthwiseFilterGrad(shape, target, bytes), bytes);
  }
  DepthwiseFilterGradSchedule chooseFor(ConvFilterGradOp op, const ConvolutionShape &shape,
                                        const VectorTarget &target) const override {
    return chooseDepthwiseFilterGrad(shape, target, elementBytes(op));
  }
  LogicalResult checkFor(KernelOp kernel, ConvFilterGradOp op, const ConvolutionShape &shape,
                         const DepthwiseFilterGradSchedule &schedule, const VectorTarget &target) const override {
    return checkDepthwiseFilterGrad(kernel, shape, schedule, target, elementBytes(op));
  }
  void emitLoops(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape,
                 const DepthwiseFilterGradSchedule &schedule, KernelCode &code) const override {
    DepthwiseFilterGradPlan plan = *DepthwiseFilterGradPlan::make(shape, schedule, elementBytes(op));
    emitDepthwiseFilterGrad(frame, op, shape, plan);
    code.extent = Dim(plan.pieces());
  }
};

/// Computes the gradient of any other filter.
class GradientForm : public ConvolutionForm<FilterGradSchedule, ConvFilterGradOp> {
public:
  GradientForm() : ConvolutionForm("filter_gradient") {}

  bool fits(ConvFilterGradOp op, const ConvolutionShape &shape, const VectorTarget &target) const override {
    unsigned bytes = elementBytes(op);
    return !shape.isDepthwise() && FilterGradPlan::make(shape, chooseFilterGrad(shape, target, bytes), bytes);
  }
  FilterGradSchedule chooseFor(ConvFilterGradOp op, const ConvolutionShape &shape, const VectorTarget &target) const override {
    return chooseFilterGrad(shape, target, elementBytes(op));
  }
  LogicalResult checkFor(KernelOp kernel, ConvFilterGradOp op, const ConvolutionShape &shape,
                         const FilterGradSchedule &schedule, const VectorTarget &target) const override {
    return checkFilterGrad(kernel, shape, schedule, target, elementBytes(op));
  }
  void emitLoops(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape, const FilterGradSchedule &schedule,
                 KernelCode &code) const override {
    FilterGradPlan plan = *FilterGradPlan::make(shape, schedule, elementBytes(op));
    emitFilterGrad(frame, op, shape, plan, WordTable(frame, "taps", plan.words));
    code.extent = Dim(shape.groups * plan.groupPieces);
  }
};
} // namespace

static const TableForm kTable;
static const OpenForm kOpen;

ArrayRef<const Form *> lathe::cpu::convolutionForms() {
  static const LinesForm lines;
  static const DepthwiseGradientForm depthwiseGradient;
  static const GradientForm gradient;
  static const Form *const all[] = {&lines, &planesForm(), &kTable, &kOpen, &depthwiseGradient, &gradient};
  return all;
}

bool lathe::cpu::isDirectConvolution(StringRef form) { return form == kTable.name || form == kOpen.name; }
