// The frame of a version: two insertion points in one function.
//
//   `start`:   load sizes; a fixed size is a constant. Reserve one closure, large enough for every kernel. Load the context.
//   `builder`: the body, which follows
//
// Values that `start` emits dominate all blocks, so that the body needs no care about where it first asks for one.
#include "codegen/Emit/VersionFrame.h"
#include "codegen/GPU/Predication.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"

using namespace lathe;

VersionFrame::VersionFrame(EmitContext &emit, const Signature &signature, const Version &version, const KernelSymbols &kernels,
                           llvm::GlobalVariable *kernelTable, const std::string &kind, bool baseline)
    : emit(emit), signature(signature), version(version), kernels(kernels), kernelTable(kernelTable), builder(emit.context),
      start(emit.context) {
  auto *type = llvm::FunctionType::get(emit.i32, {emit.pointer}, false);
  std::string suffix;
  for (char c : version.name)
    suffix += llvm::isAlnum(c) ? c : '_';
  function = emit.function(signature.symbol + kind + suffix, type, false, signature.place, baseline);
  args = function->getArg(0);
  llvm::BasicBlock *begin = block("");
  body = block("body");
  start.SetInsertPoint(begin);
  start.SetCurrentDebugLocation(emit.debugLoc(function, signature.place));
  builder.SetInsertPoint(body);
  builder.SetCurrentDebugLocation(emit.debugLoc(function, signature.place));
  for (const DimensionField &dimension : signature.dimensions) {
    auto fixed = version.fixed.find(dimension.name);
    bool isNumber = fixed != version.fixed.end() && fixed->second.isStatic();
    dims[dimension.name] = isNumber ? builder.getInt64(fixed->second.constant()) : load(emit.i64, dimension.offset);
  }
  reserveClosure();
  if (!baseline)
    findList();
}

void VersionFrame::findList() {
  constexpr size_t kManyKernels = 16;
  mlir::func::FuncOp graph = version.function;
  isList = kernelsOf(version).size() >= kManyKernels &&
           llvm::none_of(graph.getBody().getOps(), [](mlir::Operation &op) { return isControl(&op); });
  if (!isList)
    return;
  function->addFnAttr(llvm::Attribute::OptimizeNone); // LLVM selects its instructions one by one
  function->addFnAttr(llvm::Attribute::NoInline);
}

llvm::BasicBlock *VersionFrame::block(llvm::StringRef name) { return llvm::BasicBlock::Create(emit.context, name, function); }

void VersionFrame::at(mlir::Operation *op) {
  builder.SetCurrentDebugLocation(emit.debugLoc(function, sourcePlace(op->getLoc())));
}

llvm::Value *VersionFrame::load(llvm::Type *type, unsigned offset) {
  return start.CreateLoad(type, start.CreateConstInBoundsGEP1_32(start.getInt8Ty(), args, offset));
}

void VersionFrame::reserveClosure() {
  size_t words = 1;
  for (auto kernel : kernelsOf(version)) {
    size_t needed = kernel.getNumOperands() + kernel.getNumResults() + kernels.find(kernel)->second.symbols.size() + 1 +
                    2 * predicateDepth(kernel);
    if (!isCompiled(kernel)) // they also hold the extents of its tensors
      for (mlir::Value value : llvm::concat<mlir::Value>(kernel.getOperands(), kernel.getResults()))
        needed += dimsOf(value).size();
    words = std::max(words, needed);
  }
  closure = start.CreateAlloca(emit.i64, start.getInt64(words));
  if (signature.usesContext)
    contextPointer = load(emit.pointer, signature.contextOffset);
}

llvm::Value *VersionFrame::bytesOf(mlir::Value value) { return emitDim(builder, byteSize(value), dims); }

llvm::Value *VersionFrame::storeExtents(mlir::Value value) {
  for (auto [i, extent] : llvm::enumerate(dimsOf(value)))
    builder.CreateStore(emitDim(builder, extent, dims), builder.CreateConstInBoundsGEP1_64(emit.i64, closure, i));
  return closure;
}

llvm::Value *VersionFrame::countOf(mlir::Value value) {
  return emitDim(builder, *numElements(dimsOf(value)), dims); // import refuses shapes whose product overflows
}

llvm::Value *VersionFrame::loadHook(llvm::IRBuilder<> &at, Hook hook) {
  llvm::Value *place = at.CreateConstInBoundsGEP1_32(at.getInt8Ty(), contextPointer, unsigned(hook));
  return at.CreateLoad(emit.pointer, place);
}

void VersionFrame::ifHooked(Hook wanted, llvm::function_ref<void(llvm::Value *hook)> emitCode) {
  llvm::BasicBlock *load = block("load"), *found = block("call"), *next = block("next");
  builder.CreateCondBr(builder.CreateIsNotNull(contextPointer), load, next);
  builder.SetInsertPoint(load);
  llvm::Value *hook = loadHook(builder, wanted);
  builder.CreateCondBr(builder.CreateIsNotNull(hook), found, next);
  builder.SetInsertPoint(found);
  emitCode(hook);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}
