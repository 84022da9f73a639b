#include "codegen/CPU/Convolution/Convolution.h"
#include "codegen/CPU/Convolution/Forward.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

bool lathe::cpu::hasConvolutionEmitter(Operation *op) {
  if (!isa<ConvOp>(op) || !llvm::all_of(op->getOperands(), [](Value operand) { return isa<BlockArgument>(operand); }))
    return false;
  Type element = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  if (!element.isF32() && !element.isF64())
    return false;
  std::optional<ConvolutionShape> shape = convolutionShape(op);
  return shape && TapTable::build(*shape);
}

FailureOr<KernelCode> lathe::cpu::emitConvolution(KernelOp kernel, Operation *hero, LLVM::LLVMFuncOp function, const Target &target,
                                                  OpBuilder &builder) {
  FailureOr<KernelLoops> loops = analyseLoops(kernel);
  if (failed(loops))
    return failure();
  ConvolutionShape shape = *convolutionShape(hero);
  auto type = cast<RankedTensorType>(hero->getResult(0).getType());
  TileShape tile = chooseTile(target, type.getElementTypeBitWidth() / 8, shape.filters);
  KernelFrame frame(kernel, std::move(*loops), function, target, builder);
  KernelCode code;
  code.function = function;
  code.symbols = frame.loops.symbols;
  Dim images = dimsOf(hero->getOperand(0))[0];
  code.work = images * Dim(shape.outputPlaces() * shape.taps() * shape.channels * shape.filters);
  TapTable table = *TapTable::build(shape);
  emitForward(frame, cast<ConvOp>(hero), shape, table, WordTable(frame, function, "taps", table.words), tile);
  code.extent = Dim(shape.outputPlaces());
  frame.close();
  return code;
}
