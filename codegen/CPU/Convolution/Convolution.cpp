#include "codegen/CPU/Convolution/Convolution.h"
#include "codegen/CPU/Convolution/DepthwiseFilterGrad.h"
#include "codegen/CPU/Convolution/DepthwiseForward.h"
#include "codegen/CPU/Convolution/FilterGrad.h"
#include "codegen/CPU/Convolution/Forward.h"
#include "codegen/CPU/Convolution/OpenForward.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

static unsigned elementBytes(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType()).getElementTypeBitWidth() / 8;
}

/// Returns the plan of a depthwise convolution by lines; nullopt where it goes by tiles.
static std::optional<DepthwisePlan> depthwisePlan(Operation *op, const ConvolutionShape &shape, const VectorTarget &target) {
  return shape.isDepthwise() ? DepthwisePlan::make(shape, target, elementBytes(op)) : std::nullopt;
}

/// Returns the order of the sums of floats; nullopt for integers.
static std::optional<SumOrder> sumOrder(Operation *op) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  return isFloat ? std::optional(kProductOrder) : std::nullopt;
}

/// True if extents are numbers and a table of the places stays in proportion.
static bool hasTable(Operation *op, const ConvolutionShape &shape) {
  return !shape.isOpen() && TapTable::build(shape, sumOrder(op));
}

bool lathe::cpu::hasConvolutionEmitter(Operation *op, const VectorTarget &target) {
  if (!isa<ConvOp, ConvFilterGradOp>(op) || !llvm::all_of(op->getOperands(), llvm::IsaPred<BlockArgument>))
    return false;
  Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  bool isInteger = isa<ConvOp>(op) && isa<IntegerType>(element); // that of filters has no use for integers
  if (!element.isF32() && !element.isF64() && !isInteger)
    return false;
  std::optional<ConvolutionShape> shape = convolutionShape(op);
  if (!shape)
    return false;
  if (auto conv = dyn_cast<ConvOp>(op))
    return hasOpenForward(conv, *shape, target) || depthwisePlan(op, *shape, target) || hasTable(op, *shape);
  return shape->isDepthwise() ? DepthwiseFilterGradPlan::make(*shape, target, elementBytes(op)).has_value()
                              : FilterGradPlan::make(*shape, target, elementBytes(op)).has_value();
}

/// With chunks that stay in the cache where they pay and the table stays in proportion.
static TapTable tableOf(ConvOp op, const ConvolutionShape &shape, int64_t chunkRows) {
  if (std::optional<TapTable> table = TapTable::build(shape, sumOrder(op), chunkRows))
    return *table;
  return *TapTable::build(shape, sumOrder(op));
}

/// Emits a lathe.conv and sets the kernel's extent and unit.
static void emitConv(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const VectorTarget &target,
                     KernelCode &code) {
  if (std::optional<DepthwisePlan> plan = depthwisePlan(op, shape, target)) {
    emitDepthwiseForward(frame, op, shape, *plan);
    Dims lines(shape.output.begin(), shape.output.end() - 1);
    code.extent = Dim(plan->panels) * numElements(lines).value_or(Dim::unknown());
    return;
  }
  code.extent = shape.outputPlacesDim();
  if (!hasTable(op, shape))
    return emitOpenForward(frame, op, shape, target);
  TapTable table = tableOf(op, shape, chunkRows(op, shape, target));
  code.unit = placesPerPiece(op, shape);
  frame.begin = frame.eval.mul(frame.begin, frame.eval.i64(code.unit));
  frame.end = frame.eval.mul(frame.end, frame.eval.i64(code.unit)); // lines divide the places
  emitForward(frame, op, shape, table, WordTable(frame, "taps", table.words), target);
}

/// The same for a lathe.conv_filter_grad.
static void emitFilterGradient(KernelFrame &frame, ConvFilterGradOp op, const ConvolutionShape &shape,
                               const VectorTarget &target, KernelCode &code) {
  if (shape.isDepthwise()) {
    DepthwiseFilterGradPlan plan = *DepthwiseFilterGradPlan::make(shape, target, elementBytes(op));
    emitDepthwiseFilterGrad(frame, op, shape, plan);
    code.extent = Dim(plan.pieces());
  } else {
    FilterGradPlan plan = *FilterGradPlan::make(shape, target, elementBytes(op));
    emitFilterGrad(frame, op, shape, plan, WordTable(frame, "taps", plan.words));
    code.extent = Dim(shape.groups * plan.groupPieces);
  }
}

FailureOr<KernelCode> lathe::cpu::emitConvolution(KernelOp kernel, Operation *hero, LLVM::LLVMFuncOp function,
                                                  const VectorTarget &target, OpBuilder &builder) {
  FailureOr<KernelLoops> loops = analyseLoops(kernel);
  if (failed(loops))
    return failure();
  KernelFrame frame(kernel, std::move(*loops), function, target, builder);
  KernelCode code;
  code.function = function;
  code.symbols = frame.loops.symbols;
  ConvolutionShape shape = *convolutionShape(hero);
  code.work = dimsOf(hero->getOperand(0))[0] * shape.outputPlacesDim() * Dim(shape.sumTerms() * shape.outputPitch());
  if (auto conv = dyn_cast<ConvOp>(hero))
    emitConv(frame, conv, shape, target, code);
  else
    emitFilterGradient(frame, cast<ConvFilterGradOp>(hero), shape, target, code);
  frame.close();
  return code;
}
