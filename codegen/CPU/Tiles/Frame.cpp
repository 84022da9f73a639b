#include "codegen/CPU/Tiles/Frame.h"
#include "codegen/Points/Closure.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

KernelLoops lathe::cpu::resultsWithoutLoops(KernelOp kernel, SmallVector<std::string> symbols) {
  KernelLoops loops;
  llvm::append_range(loops.roots, kernel.getBody().front().getTerminator()->getOperands());
  loops.symbols = std::move(symbols);
  return loops;
}

KernelFrame::KernelFrame(KernelOp kernel, KernelLoops kernelLoops, LLVM::LLVMFuncOp function, const VectorTarget &target,
                         OpBuilder &builder)
    : CodeFrame(builder, kernel.getLoc(), target), function(function), loops(std::move(kernelLoops)) {
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  begin = entry->getArgument(2);
  end = entry->getArgument(3);
  outputs = bindClosure(entry->getArgument(0), kernel, loops.symbols, eval, buffers);
}

SmallVector<Index> KernelFrame::indicesOf(Value linear, ArrayRef<Dim> extents) {
  SmallVector<Index> indices(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    Value extent = eval.extent(extents[i]);
    indices[i] = eval.uniform(i > 0 ? remainder(linear, extent) : linear);
    linear = i > 0 ? divide(linear, extent) : linear;
  }
  return indices;
}

void KernelFrame::finish(Value hero, Value value, ArrayRef<Index> place) {
  eval.reduced[hero] = value;
  storeResults(place);
}

void KernelFrame::storeResults(ArrayRef<Index> place) {
  SmallVector<Value> values;
  for (Value root : loops.roots)
    values.push_back(eval.tensor(root, place)); // evaluate all before the first store: an output may share an input's buffer
  for (auto [root, result, buffer] : llvm::zip_equal(loops.roots, values, outputs))
    eval.store(result, buffer, cast<RankedTensorType>(root.getType()), place);
}

LLVM::LLVMFuncOp lathe::cpu::sharedFunction(KernelFrame &frame, StringRef symbol, ArrayRef<Type> arguments,
                                            function_ref<void(CodeFrame &, ArrayRef<Value>)> body) {
  OpBuilder &b = frame.b;
  if (auto known = frame.function->getParentOfType<ModuleOp>().lookupSymbol<LLVM::LLVMFuncOp>(symbol))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(frame.function);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), arguments);
  auto function = LLVM::LLVMFuncOp::create(b, frame.loc, symbol, type, LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  CodeFrame inside(b, frame.loc, frame.target);
  body(inside, SmallVector<Value>(entry->getArguments()));
  inside.close();
  return function;
}

WordTable::WordTable(KernelFrame &frame, StringRef name, ArrayRef<int32_t> words) : frame(frame) {
  OpBuilder &b = frame.b;
  auto type = LLVM::LLVMArrayType::get(b.getI32Type(), words.size());
  auto values = DenseElementsAttr::get(RankedTensorType::get(words.size(), b.getI32Type()), words);
  std::string symbol = (frame.function.getName() + "." + name).str();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(frame.function);
    LLVM::GlobalOp::create(b, frame.loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, symbol, values, /*alignment=*/64);
  }
  address = LLVM::AddressOfOp::create(b, frame.loc, LLVM::LLVMPointerType::get(b.getContext()), symbol);
}

Value WordTable::addressOf(Value index, int64_t offset) {
  Type word = frame.b.getI32Type();
  return frame.at(frame.at(address, word, offset), word, index);
}

Value WordTable::operator()(Value index, int64_t offset) {
  OpBuilder &b = frame.b;
  return arith::ExtSIOp::create(b, frame.loc, b.getI64Type(), frame.loadOne(addressOf(index, offset), b.getI32Type()));
}
