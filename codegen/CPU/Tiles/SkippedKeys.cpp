#include "codegen/CPU/Tiles/SkippedKeys.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

Value lathe::cpu::keptKeys(KernelFrame &frame, KernelOp kernel, StringRef role, const Dim &extent) {
  auto skips = kernel->getAttrOfType<StringAttr>(kSkipsAttr);
  if (!skips || skips.getValue() != role)
    return {};
  PointEvaluator &eval = frame.eval;
  Value count = frame.loadOne(frame.buffers.lookup(kernel.getBody().getArguments().back()), frame.b.getI32Type());
  count = arith::ExtSIOp::create(frame.b, frame.loc, frame.b.getI64Type(), count);
  Value steps = frame.divideUp(count, kKeysOfStep);
  return eval.min(eval.mul(steps, eval.i64(kKeysOfStep)), eval.extent(extent));
}

Value lathe::cpu::sharesMemory(KernelFrame &frame, KernelOp kernel, Type type, ArrayRef<Value> operands) {
  Value found = arith::ConstantOp::create(frame.b, frame.loc, frame.b.getBoolAttr(false));
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (argument.getType() == type && !llvm::is_contained(operands, argument)) {
      Value isSame =
          LLVM::ICmpOp::create(frame.b, frame.loc, LLVM::ICmpPredicate::eq, frame.buffers.lookup(argument), frame.output(0));
      found = arith::OrIOp::create(frame.b, frame.loc, found, isSame);
    }
  return found;
}
