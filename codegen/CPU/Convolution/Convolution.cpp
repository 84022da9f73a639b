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

/// Nullopt where a convolution goes by tiles of the table.
static std::optional<DepthwisePlan> depthwisePlan(Operation *op, const ConvolutionShape &shape, const VectorTarget &target) {
  return shape.isDepthwise() ? DepthwisePlan::make(shape, target, elementBytes(op)) : std::nullopt;
}

/// Returns the order of the sums of floats; nullopt for integers.
static std::optional<SumOrder> sumOrder(Operation *op) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  return isFloat ? std::optional(kProductOrder) : std::nullopt;
}

/// Returns the plan of a convolution whose image has named sizes, or nullopt.
static std::optional<OpenConvolution> openPlan(Operation *op, const VectorTarget &target) {
  auto conv = dyn_cast<ConvOp>(op);
  if (!conv || cast<RankedTensorType>(conv.getInput().getType()).hasStaticShape())
    return std::nullopt;
  return openConvolution(conv, target);
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
    return openPlan(op, target).has_value();
  if (isa<ConvOp>(op))
    return depthwisePlan(op, *shape, target) || TapTable::build(*shape, sumOrder(op));
  return shape->isDepthwise() ? DepthwiseFilterGradPlan::make(*shape, target, elementBytes(op)).has_value()
                              : FilterGradPlan::make(*shape, target, elementBytes(op)).has_value();
}

/// With chunks that stay in the cache where they pay and the table stays in proportion.
static TapTable tableOf(ConvOp op, const ConvolutionShape &shape, int64_t chunkRows) {
  if (std::optional<TapTable> table = TapTable::build(shape, sumOrder(op), chunkRows))
    return *table;
  return *TapTable::build(shape, sumOrder(op));
}

/// Pieces are places of an image.
static void emitOpen(KernelFrame &frame, ConvOp op, const VectorTarget &target, KernelCode &code) {
  OpenConvolution open = *openPlan(op, target);
  emitOpenForward(frame, op, open, target);
  code.extent = Dim(1);
  for (const Dim &extent : open.output)
    code.extent = code.extent * extent;
  code.work = dimsOf(op.getResult())[0] * code.extent * Dim(open.shape.sumTerms() * open.shape.outputPitch());
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
  std::optional<ConvolutionShape> known = convolutionShape(hero);
  if (!known) {
    emitOpen(frame, cast<ConvOp>(hero), target, code);
    frame.close();
    return code;
  }
  const ConvolutionShape &shape = *known;
  code.work = dimsOf(hero->getOperand(0))[0] * Dim(shape.outputPlaces() * shape.taps() * shape.channels * shape.outputPitch());
  auto conv = dyn_cast<ConvOp>(hero);
  if (std::optional<DepthwisePlan> plan = depthwisePlan(hero, shape, target); conv && plan) {
    emitDepthwiseForward(frame, conv, shape, *plan);
    code.extent = Dim(plan->pieces());
  } else if (conv) {
    TapTable table = tableOf(conv, shape, chunkRows(conv, shape, target));
    code.extent = Dim(shape.outputPlaces());
    code.unit = placesPerPiece(conv, shape);
    frame.begin = frame.eval.mul(frame.begin, frame.eval.i64(code.unit));
    frame.end = frame.eval.mul(frame.end, frame.eval.i64(code.unit)); // lines divide the places
    emitForward(frame, conv, shape, table, WordTable(frame, "taps", table.words), target);
  } else if (shape.isDepthwise()) {
    DepthwiseFilterGradPlan plan = *DepthwiseFilterGradPlan::make(shape, target, elementBytes(hero));
    emitDepthwiseFilterGrad(frame, cast<ConvFilterGradOp>(hero), shape, plan);
    code.extent = Dim(plan.pieces());
  } else {
    FilterGradPlan plan = *FilterGradPlan::make(shape, target, elementBytes(hero));
    emitFilterGrad(frame, cast<ConvFilterGradOp>(hero), shape, plan, WordTable(frame, "taps", plan.words));
    code.extent = Dim(shape.groups * plan.groupPieces);
  }
  frame.close();
  return code;
}
