// The code of one kernel call in a version:
//
//   closure = addresses of inputs and results, sizes, predicates around the kernel
//   on the CPU:                   profile(begin)
//                                 if the call has a context and enough work: context->parallel_for(kernel, closure, items)
//                                 else: kernel(closure, 0, 0, items)
//                                 profile(end)
//   on the CPU, tiny, in a loop:  the kernel's code, inlined, unless a profiler measures kernels
//   on a device:                  launch(table row, number, blocks, closure)
//   application's function:       status = function(buffers and extents); return it unless it is 0
//   collective:                   the same with the context's communicator          // Collectives.cpp
//
// A kernel whose work is too small for all sizes has no parallel branch.
#include "codegen/Emit/KernelCalls.h"
#include "codegen/Emit/Collectives.h"
#include "codegen/Emit/TinyKernels.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lathe/runtime.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"

using namespace lathe;

/// The most pieces into which a context cuts a parallel loop, for any number of threads, and the most threads that share it.
constexpr int64_t kPieces = 256;

KernelCalls::KernelCalls(VersionFrame &frame, DeviceCalls *device, VersionMemory &memory, ReportEmitter &reports)
    : frame(frame), device(device), memory(memory), reports(reports) {
  for (auto [row, kernel] : llvm::enumerate(kernelsOf(frame.version)))
    rows[kernel] = row;
}

/// Returns the words of a kernel's closure: addresses of tensors, sizes, and the predicates around it.
Pointers KernelCalls::wordsOf(KernelOp kernel) {
  Pointers words = memory.operandsOf(kernel);
  llvm::append_range(words, memory.pointersOf(kernel.getResults()));
  if (externOf(kernel) || collectiveOf(kernel) || waitOf(kernel))
    return words;
  for (const std::string &name : frame.kernels.find(kernel)->second.symbols)
    words.push_back(emitSize(builder, name, dims));
  for (auto [place, wanted] : frame.predicates) {
    words.push_back(place);
    words.push_back(wanted);
  }
  return words;
}

void KernelCalls::store(llvm::ArrayRef<llvm::Value *> words, llvm::Value *place) {
  for (auto [i, word] : llvm::enumerate(words))
    builder.CreateStore(word, builder.CreateConstInBoundsGEP1_64(emit.i64, place, i));
}

/// Emits the number of work items of a kernel.
llvm::Value *KernelCalls::itemsOf(const KernelSymbol &symbol) { return emitItems(builder, symbol.extent, symbol.unit, dims); }

void KernelCalls::call(KernelOp kernel) {
  frame.at(kernel);
  if (mlir::Operation *report = reportOf(kernel))
    return reports.emitReport(report);
  const KernelSymbol &symbol = frame.kernels.find(kernel)->second;
  unsigned row = rows.lookup(kernel);
  Pointers words = wordsOf(kernel);
  if (ExternOp op = externOf(kernel))
    return device ? callExternOnDevice(op, kernel, words, row) : callExtern(op, kernel, words, row);
  if (collectiveOf(kernel) || waitOf(kernel))
    return device ? runCollectiveOnDevice(kernel, words, row) : runCollective(kernel, words, row);
  if (device && symbol.scratchBytes)
    words.push_back(device->scratch);
  store(words, closure);
  if (device)
    return device->launch(symbol, row);
  llvm::Value *count = itemsOf(symbol);
  if (frame.isList && contextPointer && frame.kernelTable)
    return callRunner(symbol, count, row);
  profile(row, true);
  dispatch(symbol, count);
  profile(row, false);
}

bool KernelCalls::isInlined(KernelOp kernel) {
  if (!emit.inlinesKernels || device || !isCompiled(kernel))
    return false;
  const KernelSymbol &symbol = frame.kernels.find(kernel)->second;
  return symbol.isNeverParallel(emit.signature.parallelWork) && isTinyInLoop(kernel, symbol, *codeOf(symbol));
}

/// Inlines consecutive kernels, so that loads are forwarded from stores of earlier ones. If a profiler measures the kernels,
/// they are called instead.
void KernelCalls::emitInlined(llvm::ArrayRef<KernelOp> tiny) {
  frame.function->addFnAttr(kHasKernelsAttr);
  auto inlineAll = [&] { llvm::for_each(tiny, [&](KernelOp kernel) { inlineCode(kernel); }); };
  if (!profiler)
    return inlineAll();
  llvm::BasicBlock *profiled = frame.block("profiled"), *inlined = frame.block("inlined"), *next = frame.block("next");
  frame.at(tiny.front());
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
void KernelCalls::inlineCode(KernelOp kernel) {
  frame.at(kernel);
  const KernelSymbol &symbol = frame.kernels.find(kernel)->second;
  Pointers words = wordsOf(kernel);
  auto *type = llvm::ArrayType::get(emit.i64, words.size());
  auto *place = new llvm::AllocaInst(type, 0, "closure", frame.function->getEntryBlock().getFirstNonPHIIt());
  store(words, place);
  llvm::Value *zero = builder.getInt64(0);
  builder.CreateCall(codeOf(symbol), {place, zero, zero, itemsOf(symbol)})->addFnAttr(llvm::Attribute::AlwaysInline);
}

/// Emits a call of the application's function, and a return if it fails.
void KernelCalls::callExtern(ExternOp op, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row) {
  profile(row, true);
  llvm::Value *status = emitExternCall(emit, builder, kernel, buffers, closure, dims);
  profile(row, false);
  llvm::BasicBlock *failed = frame.block("failed"), *next = frame.block("next");
  builder.CreateCondBr(builder.CreateICmpNE(status, builder.getInt32(0)), failed, next);
  builder.SetInsertPoint(failed);
  reports.fail(status, sourcePlace(kernel.getLoc()), "lathe.extern", op.getCallee(), builder.getInt64(0),
               builder.CreateSExt(status, emit.i64));
  builder.SetInsertPoint(next);
}

/// Emits a collective, and a return if it fails; the communicator has reported the failure.
void KernelCalls::runCollective(KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row) {
  profile(row, true);
  llvm::Value *status = emitCollective(frame, kernel, buffers, row);
  profile(row, false);
  llvm::BasicBlock *failed = frame.block("failed"), *next = frame.block("next");
  builder.CreateCondBr(builder.CreateICmpNE(status, builder.getInt32(0)), failed, next);
  builder.SetInsertPoint(failed);
  reports.leave(status);
  builder.SetInsertPoint(next);
}

/// Calls the context's loop over a kernel's work items.
static void emitParallelFor(EmitContext &emit, llvm::IRBuilder<> &builder, llvm::Value *context, llvm::Value *code,
                            llvm::Value *closure, llvm::Value *count, llvm::Value *slots) {
  llvm::Value *place = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), context, offsetof(lathe_context, parallel_for));
  llvm::Value *hook = builder.CreateLoad(emit.pointer, place);
  auto *type = llvm::FunctionType::get(builder.getVoidTy(),
                                       {emit.pointer, emit.pointer, emit.pointer, emit.i64, emit.i64, emit.i64}, false);
  llvm::Value *grain = builder.CreateUDiv(builder.CreateAdd(count, builder.getInt64(kPieces - 1)), builder.getInt64(kPieces));
  grain = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, grain, builder.getInt64(1));
  builder.CreateCall(type, hook, {context, code, closure, count, grain, slots});
}

/// Returns the function `void (context, row of the kernel table, code, closure, items, threads)`, which does what profile and
/// dispatch emit. No threads: the calling thread runs the kernel.
static llvm::Function *runnerOf(EmitContext &emit) {
  if (auto *known = emit.module.getFunction("run_kernel"))
    return known;
  llvm::IRBuilder<> builder(emit.context);
  llvm::Type *nothing = builder.getVoidTy();
  auto *type =
      llvm::FunctionType::get(nothing, {emit.pointer, emit.pointer, emit.pointer, emit.pointer, emit.i64, emit.i64}, false);
  llvm::Function *function = emit.function("run_kernel", type, false, {});
  llvm::Value *context = function->getArg(0), *row = function->getArg(1), *code = function->getArg(2),
              *closure = function->getArg(3), *count = function->getArg(4), *threads = function->getArg(5);
  auto block = [&](llvm::StringRef name) { return llvm::BasicBlock::Create(emit.context, name, function); };
  llvm::BasicBlock *begin = block(""), *alone = block("direct"), *hooked = block("hooked"), *before = block("before"),
                   *run = block("run"), *parallel = block("parallel"), *serial = block("serial"), *ran = block("ran"),
                   *after = block("after"), *done = block("done");
  builder.SetInsertPoint(begin);
  builder.SetCurrentDebugLocation(emit.debugLoc(function, {}));
  llvm::Value *zero = builder.getInt64(0);
  auto *codeType = llvm::FunctionType::get(nothing, {emit.pointer, emit.i64, emit.i64, emit.i64}, false);
  builder.CreateCondBr(builder.CreateIsNull(context), alone, hooked);
  builder.SetInsertPoint(alone);
  builder.CreateCall(codeType, code, {closure, zero, zero, count})->setTailCall();
  builder.CreateRetVoid();
  builder.SetInsertPoint(hooked);
  llvm::Value *profiler = builder.CreateLoad(
      emit.pointer, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), context, offsetof(lathe_context, profile)));
  auto report = [&](llvm::BasicBlock *there, llvm::BasicBlock *next, bool begins) {
    builder.CreateCondBr(builder.CreateIsNotNull(profiler), there, next,
                         llvm::MDBuilder(emit.context).createUnlikelyBranchWeights());
    builder.SetInsertPoint(there);
    auto *hookType = llvm::FunctionType::get(nothing, {emit.pointer, emit.pointer, emit.i32}, false);
    builder.CreateCall(hookType, profiler, {context, row, builder.getInt32(begins)});
    builder.CreateBr(next);
    builder.SetInsertPoint(next);
  };
  report(before, run, true);
  builder.CreateCondBr(builder.CreateIsNotNull(threads), parallel, serial);
  builder.SetInsertPoint(serial);
  builder.CreateCall(codeType, code, {closure, zero, zero, count});
  builder.CreateBr(ran);
  builder.SetInsertPoint(parallel);
  emitParallelFor(emit, builder, context, code, closure, count, threads);
  builder.CreateBr(ran);
  builder.SetInsertPoint(ran);
  report(after, done, false);
  builder.CreateRetVoid();
  return function;
}

/// Calls a kernel through the function that all kernels of lists share.
void KernelCalls::callRunner(const KernelSymbol &symbol, llvm::Value *count, unsigned row) {
  llvm::Value *entry = builder.CreateConstInBoundsGEP2_64(frame.kernelTable->getValueType(), frame.kernelTable, 0, row);
  llvm::Value *threads = builder.getInt64(0);
  if (!symbol.isNeverParallel(emit.signature.parallelWork)) {
    llvm::Value *work = emitDim(builder, symbol.work, dims);
    threads = builder.CreateSelect(isWorthThreads(work), threadsFor(symbol, work), threads);
  }
  builder.CreateCall(runnerOf(emit), {contextPointer, entry, codeOf(symbol), closure, count, threads});
}

/// Emits whether a kernel of so many operations pays for threads.
llvm::Value *KernelCalls::isWorthThreads(llvm::Value *work) {
  return builder.CreateICmpSGE(work, builder.getInt64(emit.signature.parallelWork));
}

/// Emits the most threads that share a kernel of so many operations. A loop that is not worth a third one is shared by two.
llvm::Value *KernelCalls::threadsFor(const KernelSymbol &symbol, llvm::Value *work) {
  const int64_t each = std::max<int64_t>(std::min(symbol.threadWork, emit.signature.parallelWork), 1);
  auto either = [&](llvm::CmpInst::Predicate than, llvm::Value *value, int64_t bound) { // constants are folded
    llvm::Value *limit = builder.getInt64(bound);
    return builder.CreateSelect(builder.CreateICmp(than, value, limit), limit, value);
  };
  llvm::Value *threads = builder.CreateUDiv(work, builder.getInt64(each));
  threads = either(llvm::CmpInst::ICMP_ULT, threads, 2);
  return either(llvm::CmpInst::ICMP_UGT, threads, symbol.mostThreads.value_or(kPieces));
}

void KernelCalls::dispatch(const KernelSymbol &symbol, llvm::Value *count) {
  llvm::Function *code = codeOf(symbol);
  llvm::Value *zero = builder.getInt64(0);
  if (!contextPointer || symbol.isNeverParallel(emit.signature.parallelWork)) {
    builder.CreateCall(code, {closure, zero, zero, count});
    return;
  }
  llvm::Value *work = emitDim(builder, symbol.work, dims);
  llvm::Value *worth = builder.CreateAnd(builder.CreateIsNotNull(contextPointer), isWorthThreads(work));
  llvm::BasicBlock *parallel = frame.block("parallel"), *serial = frame.block("serial"), *next = frame.block("next");
  builder.CreateCondBr(worth, parallel, serial);
  builder.SetInsertPoint(serial);
  builder.CreateCall(code, {closure, zero, zero, count});
  builder.CreateBr(next);
  builder.SetInsertPoint(parallel);
  emitParallelFor(emit, builder, contextPointer, code, closure, count, threadsFor(symbol, work));
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

llvm::Function *KernelCalls::codeOf(const KernelSymbol &symbol) {
  return emit.module.getFunction(symbol.name + emit.levelSuffix);
}

/// Loads the context's hook once for all kernels, and moves `start` after the load.
void KernelCalls::loadProfiler() {
  if (!contextPointer || !frame.kernelTable)
    return;
  llvm::BasicBlock *begin = start.GetInsertBlock(), *load = frame.block("load"), *known = frame.block("known");
  start.CreateCondBr(start.CreateIsNotNull(contextPointer), load, known);
  start.SetInsertPoint(load);
  llvm::Value *hook = frame.loadHook(start, VersionFrame::Hook::Profile);
  start.CreateBr(known);
  start.SetInsertPoint(known);
  llvm::PHINode *either = start.CreatePHI(emit.pointer, 2);
  either->addIncoming(llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(emit.pointer)), begin);
  either->addIncoming(hook, load);
  profiler = either;
}

void KernelCalls::branchIfProfiled(llvm::BasicBlock *profiled, llvm::BasicBlock *otherwise) {
  builder.CreateCondBr(builder.CreateIsNotNull(profiler), profiled, otherwise,
                       llvm::MDBuilder(emit.context).createUnlikelyBranchWeights());
}

void KernelCalls::profile(unsigned row, bool begin) {
  if (!profiler)
    return;
  llvm::BasicBlock *report = frame.block("report"), *next = frame.block("next");
  branchIfProfiled(report, next);
  builder.SetInsertPoint(report);
  auto *type = llvm::FunctionType::get(builder.getVoidTy(), {emit.pointer, emit.pointer, emit.i32}, false);
  llvm::Value *entry = builder.CreateConstInBoundsGEP2_64(frame.kernelTable->getValueType(), frame.kernelTable, 0, row);
  builder.CreateCall(type, profiler, {contextPointer, entry, builder.getInt32(begin)});
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}

/// Returns copies of a kernel's operands in host memory, and host memory for its results.
llvm::SmallVector<llvm::Value *> KernelCalls::copiesOnHost(KernelOp kernel) {
  llvm::SmallVector<llvm::Value *> copies;
  for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
    copies.push_back(memory.hostData(input, i));
  for (auto [i, output] : llvm::enumerate(kernel.getResults()))
    copies.push_back(device->hostMemory(frame.bytesOf(output), copies.size()));
  return copies;
}

/// Copies a kernel's results from host memory to the device.
void KernelCalls::writeResults(KernelOp kernel, llvm::ArrayRef<llvm::Value *> copies, llvm::ArrayRef<llvm::Value *> buffers) {
  unsigned inputs = kernel.getInputs().size();
  for (auto [i, output] : llvm::enumerate(kernel.getResults()))
    device->call(builder, offsetof(lathe_device_api, write), builder.getVoidTy(),
                 {buffers[inputs + i], copies[inputs + i], frame.bytesOf(output)});
}

/// Calls the application's function with copies in host memory.
void KernelCalls::callExternOnDevice(ExternOp op, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row) {
  llvm::SmallVector<llvm::Value *> copies = copiesOnHost(kernel);
  callExtern(op, kernel, copies, row);
  writeResults(kernel, copies, buffers);
}

/// Emits a return if the device has failed. Copies of its values are zeros then, which other ranks would take for the values.
void KernelCalls::leaveIfDeviceFailed() {
  llvm::Value *works = device->call(builder, offsetof(lathe_device_api, enter), emit.i32, {});
  llvm::BasicBlock *failed = frame.block("failed"), *next = frame.block("next");
  builder.CreateCondBr(builder.CreateICmpEQ(works, builder.getInt32(0)), failed, next);
  builder.SetInsertPoint(failed);
  builder.CreateRet(device->finish(/*fillsError=*/true));
  builder.SetInsertPoint(next);
  device->call(builder, offsetof(lathe_device_api, leave), builder.getVoidTy(), {});
}

/// Runs a collective on the device's memory if the communicator takes it, else between copies in host memory. An index, which
/// is a word of the communicator, goes through the host's.
void KernelCalls::runCollectiveOnDevice(KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row) {
  llvm::BasicBlock *next = nullptr;
  if (!mlir::isa<AxisIndexOp>(*collectiveOf(kernel))) {
    llvm::BasicBlock *direct = frame.block("direct"), *copied = frame.block("copied");
    next = frame.block("exchanged");
    builder.CreateCondBr(emitTakesDeviceMemory(frame, kernel), direct, copied);
    builder.SetInsertPoint(direct);
    runCollective(kernel, buffers, row);
    builder.CreateBr(next);
    builder.SetInsertPoint(copied);
  }
  llvm::SmallVector<llvm::Value *> copies = copiesOnHost(kernel);
  if (next)
    leaveIfDeviceFailed();
  runCollective(kernel, copies, row);
  writeResults(kernel, copies, buffers);
  if (!next)
    return;
  builder.CreateBr(next);
  builder.SetInsertPoint(next);
}
