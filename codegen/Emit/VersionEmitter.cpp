// The code of a version on the CPU, `lathe_status PREFIX_name.VERSION(args *)`:
//
//   load sizes, pointers and the profiler's hook            // at `start`
//   for kernel, in the order of the graph
//     closure = addresses of inputs and results, sizes
//     if it has enough work, and the call has a context:
//       context->parallel_for(kernel, closure, pieces)      // threads take ranges of pieces
//     else: kernel(closure, 0, 0, pieces)
//     with branches and loops around it as basic blocks     // ControlFlow.cpp
//   return 0
//
// Consecutive tiny kernels in loops are inlined. The profiler's hook is called around each kernel.
#include "codegen/Emit/VersionEmitter.h"
#include "codegen/Emit/CheckFunctions.h"
#include "codegen/Emit/TinyKernels.h"
#include "codegen/GPU/Predication.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lathe/runtime.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"

using namespace lathe;

constexpr int64_t kPieces = 32; // chunks per parallel loop, for any number of threads
constexpr int64_t kSlots = 16;

llvm::Function *VersionEmitter::run() {
  auto *type = llvm::FunctionType::get(emit.i32, {emit.pointer}, false);
  std::string suffix;
  for (char c : version.name)
    suffix += llvm::isAlnum(c) ? c : '_';
  std::string kind = isOnDevice() ? ".device." : emit.levelSuffix + ".";
  function = emit.function(signature.symbol + kind + suffix, type, false, signature.place, /*baseline=*/isOnDevice());
  args = function->getArg(0);
  llvm::BasicBlock *begin = block(""), *body = block("body");
  start.SetInsertPoint(begin);
  start.SetCurrentDebugLocation(emit.debugLoc(function, signature.place));
  builder.SetInsertPoint(body);
  builder.SetCurrentDebugLocation(emit.debugLoc(function, signature.place));
  for (const DimensionField &dimension : signature.dimensions) {
    auto fixed = version.fixed.find(dimension.name);
    dims[dimension.name] = fixed != version.fixed.end() ? builder.getInt64(fixed->second) : load(emit.i64, dimension.offset);
  }
  for (auto [row, kernel] : llvm::enumerate(kernelsOf(version)))
    rows[kernel] = row;
  reserveClosure();
  if (isOnDevice())
    beginOnDevice(block("setup"));
  else
    loadProfiler();
  mlir::func::FuncOp graph = version.function;
  emitBlock(graph.getBody().front());
  if (isOnDevice())
    endOnDevice();
  else
    builder.CreateRet(builder.getInt32(0));
  start.CreateBr(body);
  return function;
}

llvm::BasicBlock *VersionEmitter::block(llvm::StringRef name) { return llvm::BasicBlock::Create(emit.context, name, function); }

llvm::Value *VersionEmitter::load(llvm::Type *type, unsigned offset) {
  return start.CreateLoad(type, start.CreateConstInBoundsGEP1_32(start.getInt8Ty(), args, offset));
}

void VersionEmitter::reserveClosure() {
  size_t words = 1;
  for (auto kernel : kernelsOf(version)) {
    size_t needed = kernel.getNumOperands() + kernel.getNumResults() + kernels.find(kernel)->second.symbols.size() + 1 +
                    2 * predicateDepth(kernel);
    if (externOf(kernel) || reportOf(kernel)) // they also hold the extents of its tensors
      for (mlir::Value value : llvm::concat<mlir::Value>(kernel.getOperands(), kernel.getResults()))
        needed += dimsOf(value).size();
    words = std::max(words, needed);
  }
  closure = start.CreateAlloca(emit.i64, start.getInt64(words));
  if (signature.usesContext)
    contextPointer = load(emit.pointer, signature.contextOffset);
}

llvm::Value *VersionEmitter::statePointer(unsigned index) {
  if (!state)
    state = load(emit.pointer, signature.stateOffset);
  return start.CreateConstInBoundsGEP1_64(start.getInt8Ty(), state, emit.signature.state[index].offset);
}

llvm::Value *VersionEmitter::weightPointer(uint64_t place) {
  if (!weights)
    weights = load(emit.pointer, signature.weightsOffset);
  return start.CreateConstInBoundsGEP1_64(start.getInt8Ty(), weights, place);
}

llvm::Value *VersionEmitter::argumentPointer(bool isOutput, unsigned index) {
  const auto &states = isOutput ? signature.stateResults : signature.stateArguments;
  if (auto it = states.find(index); it != states.end())
    return statePointer(it->second);
  if (isOnDevice())
    return bound.at({isOutput, index});
  for (const ArgumentField &field : signature.arguments)
    if (field.isOutput == isOutput && field.index == index)
      return load(emit.pointer, field.offset);
  llvm_unreachable("every argument is a field or state");
}

llvm::Value *VersionEmitter::pointerOf(mlir::Value value) {
  value = memoryOf(value);
  if (llvm::Value *known = pointers.lookup(value))
    return known;
  llvm::Value *made = nullptr;
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) { // of the function: those of regions are in `pointers`
    made = argumentPointer(false, argument.getArgNumber());
  } else if (auto constant = value.getDefiningOp<ConstantOp>()) {
    const WeightsFile *file = emit.constants.getFile();
    std::optional<uint64_t> place = file ? file->placeOf(constant.getValue()) : std::nullopt;
    made = place ? weightPointer(*place) : emit.constants.get(emit.module, constant);
    if (isOnDevice())
      made = callDevice(start, offsetof(lathe_device_api, constant), emit.pointer, {made, bytesOf(value)});
  } else {
    auto buffers = value.getDefiningOp()->getAttrOfType<mlir::ArrayAttr>(kBuffersAttr);
    made = bufferPointer(mlir::cast<BufferAttr>(buffers[mlir::cast<mlir::OpResult>(value).getResultNumber()]));
  }
  return pointers[value] = made;
}

llvm::Value *VersionEmitter::bufferPointer(BufferAttr buffer) {
  if (buffer.getKind() == BufferKind::Yield)
    return yields[buffer.getIndex()];
  if (buffer.getKind() == BufferKind::Result)
    return argumentPointer(true, buffer.getIndex());
  if (!workspace)
    workspace = load(emit.pointer, signature.workspaceOffset);
  return start.CreateGEP(start.getInt8Ty(), workspace, emitDim(start, Dim::fromAttr(buffer.getOffset()), dims));
}

void VersionEmitter::emitBlock(mlir::Block &inside) {
  llvm::SmallVector<KernelOp> tiny; // consecutive ones
  auto emitTiny = [&] {
    if (!tiny.empty())
      emitInlined(tiny);
    tiny.clear();
  };
  for (mlir::Operation &op : inside)
    if (auto kernel = mlir::dyn_cast<KernelOp>(op)) {
      if (isInlined(kernel)) {
        tiny.push_back(kernel);
        continue;
      }
      emitTiny();
      call(kernel);
    } else if (isControl(&op)) {
      emitTiny();
      emitControl(&op);
    }
  emitTiny();
}

void VersionEmitter::at(mlir::Operation *op) {
  builder.SetCurrentDebugLocation(emit.debugLoc(function, sourcePlace(op->getLoc())));
}

/// Returns the words of a kernel's closure: addresses of tensors, sizes, and the predicates around it.
VersionEmitter::Pointers VersionEmitter::wordsOf(KernelOp kernel) {
  Pointers words = pointersOf(kernel.getInputs());
  llvm::append_range(words, pointersOf(kernel.getResults()));
  if (externOf(kernel))
    return words;
  for (const std::string &name : kernels.find(kernel)->second.symbols)
    words.push_back(emitSize(builder, name, dims));
  for (auto [place, wanted] : predicates) {
    words.push_back(place);
    words.push_back(wanted);
  }
  return words;
}

void VersionEmitter::store(llvm::ArrayRef<llvm::Value *> words, llvm::Value *place) {
  for (auto [i, word] : llvm::enumerate(words))
    builder.CreateStore(word, builder.CreateConstInBoundsGEP1_64(emit.i64, place, i));
}

/// Emits the number of work items of a kernel.
llvm::Value *VersionEmitter::piecesOf(const KernelSymbol &symbol) {
  llvm::Value *count = emitDim(builder, symbol.extent, dims);
  if (symbol.unit == 1)
    return count;
  return builder.CreateUDiv(builder.CreateAdd(count, builder.getInt64(symbol.unit - 1)), builder.getInt64(symbol.unit));
}

void VersionEmitter::call(KernelOp kernel) {
  at(kernel);
  if (mlir::Operation *report = reportOf(kernel))
    return emitReport(report);
  const KernelSymbol &symbol = kernels.find(kernel)->second;
  unsigned row = rows.lookup(kernel);
  Pointers words = wordsOf(kernel);
  if (ExternOp op = externOf(kernel))
    return isOnDevice() ? callExternOnDevice(op, kernel, words, row) : callExtern(op, kernel, words, row);
  if (isOnDevice() && symbol.scratchBytes)
    words.push_back(deviceScratch);
  store(words, closure);
  if (isOnDevice())
    return launch(symbol, row);
  llvm::Value *count = piecesOf(symbol);
  profile(row, true);
  dispatch(symbol, count);
  profile(row, false);
}

bool VersionEmitter::isInlined(KernelOp kernel) {
  if (!emit.inlinesKernels || isOnDevice() || reportOf(kernel) || externOf(kernel))
    return false;
  const KernelSymbol &symbol = kernels.find(kernel)->second;
  return symbol.isNeverParallel(emit.signature.parallelWork) && isTinyInLoop(kernel, symbol, *codeOf(symbol));
}

/// Inlines consecutive kernels, so that loads are forwarded from stores of earlier ones. If a profiler measures the kernels,
/// they are called instead.
void VersionEmitter::emitInlined(llvm::ArrayRef<KernelOp> tiny) {
  function->addFnAttr(kHasKernelsAttr);
  auto inlineAll = [&] { llvm::for_each(tiny, [&](KernelOp kernel) { inlineCode(kernel); }); };
  if (!profiler)
    return inlineAll();
  llvm::BasicBlock *profiled = block("profiled"), *inlined = block("inlined"), *next = block("next");
  at(tiny.front());
  branchIfProfiled(profiled, inlined);
  builder.SetInsertPoint(profiled);
  for (KernelOp kernel : tiny)
    call(kernel);
  builder.CreateBr(next);
  builder.SetInsertPoint(inlined);
  inlineAll();
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// Inlines a kernel with its own closure. No other code accesses the closure, so that optimisation removes it.
void VersionEmitter::inlineCode(KernelOp kernel) {
  at(kernel);
  const KernelSymbol &symbol = kernels.find(kernel)->second;
  Pointers words = wordsOf(kernel);
  auto *type = llvm::ArrayType::get(emit.i64, words.size());
  auto *place = new llvm::AllocaInst(type, 0, "closure", function->getEntryBlock().getFirstNonPHIIt());
  store(words, place);
  llvm::Value *zero = builder.getInt64(0);
  builder.CreateCall(codeOf(symbol), {place, zero, zero, piecesOf(symbol)})->addFnAttr(llvm::Attribute::AlwaysInline);
}

void VersionEmitter::fail(llvm::Value *status, SourcePlace place, llvm::StringRef op, llvm::StringRef argument,
                          llvm::Value *expected, llvm::Value *actual) {
  lathe::emitReport(emit, builder, load(emit.pointer, signature.errorOffset), status,
                    recordAt(emit, place, signature.name, op, argument, emit.string(""), expected, actual));
  leave(status);
}

/// Emits a call of the application's function, and a return if it fails.
void VersionEmitter::callExtern(ExternOp op, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row) {
  profile(row, true);
  llvm::Value *status = emitExternCall(emit, builder, kernel, buffers, closure, dims);
  profile(row, false);
  llvm::BasicBlock *failed = block("failed"), *next = block("next");
  builder.CreateCondBr(builder.CreateICmpNE(status, builder.getInt32(0)), failed, next);
  builder.SetInsertPoint(failed);
  fail(status, sourcePlace(kernel.getLoc()), "lathe.extern", op.getCallee(), builder.getInt64(0),
       builder.CreateSExt(status, emit.i64));
  builder.SetInsertPoint(next);
}

void VersionEmitter::dispatch(const KernelSymbol &symbol, llvm::Value *count) {
  llvm::Function *code = codeOf(symbol);
  llvm::Value *zero = builder.getInt64(0);
  if (!contextPointer || symbol.isNeverParallel(emit.signature.parallelWork)) {
    builder.CreateCall(code, {closure, zero, zero, count});
    return;
  }
  llvm::Value *worth = builder.CreateAnd(
      builder.CreateIsNotNull(contextPointer),
      builder.CreateICmpSGE(emitDim(builder, symbol.work, dims), builder.getInt64(emit.signature.parallelWork)));
  llvm::BasicBlock *parallel = block("parallel"), *serial = block("serial"), *next = block("next");
  builder.CreateCondBr(worth, parallel, serial);
  builder.SetInsertPoint(serial);
  builder.CreateCall(code, {closure, zero, zero, count});
  builder.CreateBr(next);
  builder.SetInsertPoint(parallel);
  llvm::Value *hook = loadHook(builder, Hook::ParallelFor);
  auto *type = llvm::FunctionType::get(builder.getVoidTy(),
                                       {emit.pointer, emit.pointer, emit.pointer, emit.i64, emit.i64, emit.i64}, false);
  llvm::Value *grain = builder.CreateUDiv(builder.CreateAdd(count, builder.getInt64(kPieces - 1)), builder.getInt64(kPieces));
  grain = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, grain, builder.getInt64(1));
  builder.CreateCall(type, hook, {contextPointer, code, closure, count, grain, builder.getInt64(kSlots)});
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

llvm::Function *VersionEmitter::codeOf(const KernelSymbol &symbol) {
  return emit.module.getFunction(symbol.name + emit.levelSuffix);
}

/// Loads the context's hook once for all kernels, and moves `start` after the load.
void VersionEmitter::loadProfiler() {
  if (!contextPointer || !kernelTable)
    return;
  llvm::BasicBlock *begin = start.GetInsertBlock(), *ask = block("ask"), *known = block("known");
  start.CreateCondBr(start.CreateIsNotNull(contextPointer), ask, known);
  start.SetInsertPoint(ask);
  llvm::Value *hook = loadHook(start, Hook::Profile);
  start.CreateBr(known);
  start.SetInsertPoint(known);
  llvm::PHINode *either = start.CreatePHI(emit.pointer, 2);
  either->addIncoming(llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(emit.pointer)), begin);
  either->addIncoming(hook, ask);
  profiler = either;
}

void VersionEmitter::branchIfProfiled(llvm::BasicBlock *profiled, llvm::BasicBlock *otherwise) {
  builder.CreateCondBr(builder.CreateIsNotNull(profiler), profiled, otherwise,
                       llvm::MDBuilder(emit.context).createUnlikelyBranchWeights());
}

void VersionEmitter::profile(unsigned row, bool begin) {
  if (!profiler)
    return;
  llvm::BasicBlock *tell = block("tell"), *next = block("next");
  branchIfProfiled(tell, next);
  builder.SetInsertPoint(tell);
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {emit.pointer, emit.pointer, emit.i32}, false);
  llvm::Value *entry = builder.CreateConstInBoundsGEP2_64(kernelTable->getValueType(), kernelTable, 0, row);
  builder.CreateCall(type, profiler, {contextPointer, entry, builder.getInt32(begin)});
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

llvm::Value *VersionEmitter::loadHook(llvm::IRBuilder<> &at, Hook hook) {
  llvm::Value *place = at.CreateConstInBoundsGEP1_32(at.getInt8Ty(), contextPointer, unsigned(hook));
  return at.CreateLoad(emit.pointer, place);
}

void VersionEmitter::ifHooked(Hook wanted, llvm::function_ref<void(llvm::Value *hook)> tell) {
  llvm::BasicBlock *ask = block("ask"), *found = block("tell"), *next = block("next");
  builder.CreateCondBr(builder.CreateIsNotNull(contextPointer), ask, next);
  builder.SetInsertPoint(ask);
  llvm::Value *hook = loadHook(builder, wanted);
  builder.CreateCondBr(builder.CreateIsNotNull(hook), found, next);
  builder.SetInsertPoint(found);
  tell(hook);
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

llvm::Function *lathe::emitVersion(EmitContext &emit, const Signature &signature, const Version &version,
                                   const KernelSymbols &kernels, llvm::GlobalVariable *kernelTable) {
  return VersionEmitter(emit, signature, version, kernels, kernelTable).run();
}
