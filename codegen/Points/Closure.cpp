#include "codegen/Points/Closure.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace lathe;

SmallVector<Value> lathe::bindClosure(Value closure, KernelOp kernel, ArrayRef<std::string> symbols, PointEvaluator &eval,
                                      Buffers &buffers) {
  OpBuilder &b = eval.b;
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  int32_t word = 0;
  auto load = [&](Type type) -> Value {
    Value from = LLVM::GEPOp::create(b, eval.loc, pointer, b.getI64Type(), closure, ArrayRef<LLVM::GEPArg>{word++});
    return LLVM::LoadOp::create(b, eval.loc, type, from, 8);
  };
  buffers[Value()] = closure;
  for (BlockArgument argument : kernel.getBody().getArguments())
    buffers[argument] = load(pointer);
  SmallVector<Value> outputs;
  for (unsigned i = 0; i < kernel.getNumResults(); ++i)
    outputs.push_back(load(pointer));
  for (const std::string &name : symbols)
    eval.symbols[name] = load(b.getI64Type());
  return outputs;
}
