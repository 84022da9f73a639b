// The code of a version on a device: the same blocks as on the CPU, with calls of lathe_device_api:
//
//   attach(code); for argument: address = input() or output()       // the caller's memory, or a copy in the workspace
//   if begin(key): go to the end                                    // recorded by an earlier call: end() replays it
//     for kernel: launch(row, number, blocks, closure)
//     branches and loops around it: read() their conditions, or predicate the kernels
//   end(); for result: result(); return finish()
//
// A function is recorded as a whole if it has several launches and needs no value on the host.
#include "codegen/Emit/CheckFunctions.h"
#include "codegen/Emit/VersionEmitter.h"
#include "codegen/GPU/Predication.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lathe/runtime.h"

using namespace lathe;

constexpr int64_t kPlaceAlignment = 64;

/// Returns the scratch memory for kernels, which all of them share.
static int64_t scratchBytesOf(const KernelSymbols &kernels) {
  int64_t most = 0;
  for (auto &[kernel, symbol] : kernels)
    most = std::max(most, symbol.scratchBytes);
  return llvm::alignTo(most, kPlaceAlignment);
}

/// Returns the memory for copies of the predicates of branches, since a branch may overwrite its predicate, and for loops that
/// launch ahead.
static int64_t predicateBytesOf(const Version &version) {
  Predicated count = countPredicated(version.function);
  return loopPlace(count, count.loops);
}

Dim lathe::stagingSize(const Signature &signature, const KernelSymbols &kernels, llvm::ArrayRef<Version> versions) {
  int64_t predicates = 0;
  for (const Version &version : versions)
    predicates = std::max(predicates, predicateBytesOf(version));
  Dim all(scratchBytesOf(kernels) + predicates + kPlaceAlignment);
  for (const ArgumentField &field : signature.arguments)
    all = all + field.bytes() + Dim(kPlaceAlignment); // the address is rounded up
  return all;
}

llvm::Value *DeviceCalls::call(llvm::IRBuilder<> &at, size_t offset, llvm::Type *result,
                               llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::Value *hook = at.CreateLoad(emit.pointer, at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), deviceApi, offset));
  llvm::SmallVector<llvm::Value *> all = {frame.contextPointer};
  llvm::append_range(all, arguments);
  auto types = llvm::map_to_vector(all, [](llvm::Value *value) { return value->getType(); });
  return at.CreateCall(llvm::FunctionType::get(result, types, false), hook, all);
}

/// Emits the addresses at which kernels access each argument: the caller's memory, or the workspace after the buffers.
void DeviceCalls::bindArguments() {
  mlir::func::FuncOp graph = version.function;
  Dim arena = Dim::fromAttr(graph->getAttrOfType<DimAttr>(kWorkspaceAttr));
  frame.workspace = frame.load(emit.pointer, signature.workspaceOffset);
  auto aligned = [&](llvm::Value *place) {
    llvm::Value *address = start.CreatePtrToInt(place, emit.i64), *mask = start.getInt64(-kPlaceAlignment);
    return start.CreateIntToPtr(start.CreateAnd(start.CreateAdd(address, start.getInt64(kPlaceAlignment - 1)), mask),
                                emit.pointer);
  };
  scratch = aligned(start.CreateGEP(start.getInt8Ty(), frame.workspace, emitDim(start, arena, dims)));
  predicatePlace = start.CreateConstInBoundsGEP1_64(start.getInt8Ty(), scratch, scratchBytesOf(frame.kernels));
  llvm::Value *free = start.CreateConstInBoundsGEP1_64(start.getInt8Ty(), predicatePlace, predicateBytesOf(version));
  for (auto [number, field] : llvm::enumerate(signature.arguments)) {
    llvm::Value *bytes = emitDim(start, field.bytes(), dims), *data = frame.load(emit.pointer, field.offset);
    llvm::Value *place = aligned(free);
    size_t hook = field.isOutput ? offsetof(lathe_device_api, output) : offsetof(lathe_device_api, input);
    bound[{field.isOutput, field.index}] = call(start, hook, emit.pointer, {start.getInt32(number), data, place, bytes});
    free = start.CreateGEP(start.getInt8Ty(), place, bytes);
  }
}

llvm::Value *DeviceCalls::beginRecording(llvm::IRBuilder<> &at, llvm::ArrayRef<llvm::Value *> more) {
  llvm::SmallVector<llvm::Value *> &words = recordingWords;
  if (words.empty()) {
    words = {start.CreatePtrToInt(frame.function, emit.i64), start.CreatePtrToInt(frame.workspace, emit.i64)};
    for (auto &[name, size] : dims)
      words.push_back(size);
    for (auto &[argument, pointer] : bound)
      words.push_back(start.CreatePtrToInt(pointer, emit.i64));
    if (signature.usesCold)
      words.push_back(start.CreatePtrToInt(frame.load(emit.pointer, signature.coldOffset), emit.i64));
    if (signature.usesState)
      words.push_back(start.CreatePtrToInt(frame.load(emit.pointer, signature.stateOffset), emit.i64));
    if (signature.usesWeights)
      words.push_back(start.CreatePtrToInt(frame.load(emit.pointer, signature.weightsOffset), emit.i64));
  }
  llvm::Value *key = start.CreateAlloca(emit.i64, start.getInt64(words.size() + more.size()));
  for (auto [i, word] : llvm::enumerate(words))
    start.CreateStore(word, start.CreateConstInBoundsGEP1_64(emit.i64, key, i));
  for (auto [i, word] : llvm::enumerate(more))
    at.CreateStore(word, at.CreateConstInBoundsGEP1_64(emit.i64, key, words.size() + i));
  llvm::Value *bytes = at.getInt64((words.size() + more.size()) * 8);
  return at.CreateICmpNE(call(at, offsetof(lathe_device_api, begin), emit.i32, {key, bytes}), at.getInt32(0));
}

void DeviceCalls::endRecording() { call(builder, offsetof(lathe_device_api, end), builder.getVoidTy(), {}); }

/// True if a call launches more than one kernel: a graph of one kernel starts no sooner than the kernel itself.
static bool hasManyLaunches(mlir::func::FuncOp function, const KernelSymbols &kernels) {
  unsigned launches = 0;
  for (mlir::Operation &op : function.front()) {
    if (isControl(&op))
      return true;
    if (auto kernel = mlir::dyn_cast<KernelOp>(op))
      launches += kernels.find(kernel)->second.second ? 2 : 1;
  }
  return launches > 1;
}

void DeviceCalls::begin(llvm::BasicBlock *setup) {
  size_t offset = offsetof(lathe_context, device);
  deviceApi = start.CreateLoad(emit.pointer, start.CreateConstInBoundsGEP1_64(start.getInt8Ty(), frame.contextPointer, offset));
  call(start, offsetof(lathe_device_api, attach), start.getVoidTy(), {deviceCode});
  bindArguments();
  if (needsHost(version.function) || !hasManyLaunches(version.function, frame.kernels)) {
    start.CreateBr(setup);
  } else {
    finished = frame.block("finished");
    llvm::Value *known = beginRecording(start);
    start.CreateCondBr(known, finished, setup);
  }
  start.SetInsertPoint(setup);
}

void DeviceCalls::end() {
  if (finished) {
    builder.CreateBr(finished);
    builder.SetInsertPoint(finished);
    endRecording();
  }
  for (auto [number, field] : llvm::enumerate(signature.arguments)) {
    if (!field.isOutput)
      continue;
    llvm::Value *data =
        builder.CreateLoad(emit.pointer, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), frame.args, field.offset));
    call(builder, offsetof(lathe_device_api, result), builder.getVoidTy(),
         {builder.getInt32(number), data, bound.at({true, field.index}), emitDim(builder, field.bytes(), dims)});
  }
  builder.CreateRet(finish(/*fillsError=*/true));
}

llvm::Value *DeviceCalls::finish(bool fillsError) {
  llvm::Value *error = llvm::ConstantPointerNull::get(llvm::PointerType::get(emit.context, 0));
  if (fillsError)
    error = builder.CreateLoad(emit.pointer,
                               builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), frame.args, signature.errorOffset));
  return call(builder, offsetof(lathe_device_api, finish), emit.i32, {emit.string(signature.name), error});
}

void DeviceCalls::launch(const KernelSymbol &symbol, unsigned row) {
  llvm::Value *place = builder.CreateConstInBoundsGEP2_64(frame.kernelTable->getValueType(), frame.kernelTable, 0, row);
  auto run = [&](unsigned number, const Dim &extent, int64_t unit) {
    call(builder, offsetof(lathe_device_api, launch), builder.getVoidTy(),
         {place, builder.getInt32(number), emitItems(builder, extent, unit, dims), frame.closure});
  };
  run(symbol.number, symbol.extent, symbol.unit);
  if (symbol.second)
    run(symbol.number + 1, symbol.second->extent, symbol.second->unit);
}

/// Emits an allocation of host memory, and a return if it fails.
llvm::Value *DeviceCalls::hostMemory(llvm::Value *bytes, unsigned number) {
  llvm::Value *memory = call(builder, offsetof(lathe_device_api, scratch), emit.pointer, {builder.getInt32(number), bytes});
  llvm::BasicBlock *none = frame.block("none"), *given = frame.block("given");
  builder.CreateCondBr(builder.CreateIsNull(memory), none, given);
  builder.SetInsertPoint(none);
  builder.CreateRet(finish(/*fillsError=*/true));
  builder.SetInsertPoint(given);
  return memory;
}
