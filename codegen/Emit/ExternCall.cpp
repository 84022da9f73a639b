// Calls of the application's functions: for each tensor a pointer to its elements and, unless it is a scalar, one to its
// extents.
#include "codegen/Emit/EntryEmitter.h"

using namespace lathe;

// Prefix of declarations, until all functions of the object, whose names may be equal, have been emitted.
static constexpr llvm::StringLiteral kPrefix = "lathe.extern.";

void lathe::nameExterns(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::StringRef name = function.getName();
    if (!name.consume_front(kPrefix))
      continue;
    std::string symbol = name.str();
    if (llvm::GlobalValue *own = module.getNamedValue(symbol)) // an internal function: no exported one has such a name
      own->setName(symbol + ".own");
    function.setName(symbol);
  }
}

llvm::Value *lathe::emitExternCall(EmitContext &emit, llvm::IRBuilder<> &builder, KernelOp kernel,
                                   llvm::ArrayRef<llvm::Value *> buffers, llvm::Value *shapes,
                                   const std::map<std::string, llvm::Value *> &dims) {
  ExternOp op = externOf(kernel);
  // Use the op's own order: a value may be several of its operands, but is one input of the kernel.
  llvm::SmallVector<mlir::Value> tensors(op.getInputs());
  llvm::append_range(tensors, op.getResults());
  llvm::SmallVector<llvm::Value *> arguments;
  unsigned words = 0;
  for (auto [i, tensor] : llvm::enumerate(tensors)) {
    auto input = mlir::dyn_cast<mlir::BlockArgument>(tensor);
    arguments.push_back(buffers[input ? input.getArgNumber() : kernel.getNumOperands() + i - op.getInputs().size()]);
    Dims extents = dimsOf(tensor);
    if (extents.empty())
      continue;
    arguments.push_back(builder.CreateConstInBoundsGEP1_32(emit.i64, shapes, words));
    for (const Dim &extent : extents)
      builder.CreateStore(emitDim(builder, extent, dims), builder.CreateConstInBoundsGEP1_32(emit.i64, shapes, words++));
  }
  llvm::SmallVector<llvm::Type *> types(arguments.size(), emit.pointer);
  llvm::FunctionCallee function =
      emit.module.getOrInsertFunction((kPrefix + op.getCallee()).str(), llvm::FunctionType::get(emit.i32, types, false));
  llvm::CallInst *call = builder.CreateCall(function, arguments);
  call->addFnAttr(llvm::Attribute::NoBuiltin); // even if the C library has a function of that name
  return call;
}
