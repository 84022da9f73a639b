// Loops on a device whose condition the host reads once for many steps.
//
//   for chunk of 2, 8, 32, 32, ... steps
//     for step of the chunk: byte[step] = condition(carries); body(carries) -> next carries     // launches
//     read the bytes; ran = number of steps whose condition held
//     leave the loop unless all ran
//
// Steps are launched before it is known which of them run. The condition's kernels are predicated by the byte of the step
// before, the body's by that of the step itself. After the last step that runs all bytes are zero, so that nothing changes any
// more. If the condition is a carry in one of two places, later bytes alternate between zero and one; kernels then read two
// bytes. Chunks grow, so that a loop of few steps launches few steps in vain. Chunk lengths are even: carries with two places
// are back at their first place after a chunk.
#include "codegen/Emit/VersionEmitter.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lathe/runtime.h"
#include "llvm/IR/Intrinsics.h"

using namespace lathe;

namespace {
constexpr int64_t kFirstSteps = 2, kGrowth = 4, kMostSteps = 32;
static_assert(kMostSteps < kLoopBytes); // a byte for each step, then one that stays zero
} // namespace

struct VersionEmitter::Ahead {
  llvm::Value *bytes;               // of the steps, on the device
  llvm::PHINode *done, *size;       // steps before the chunk, and in it
  llvm::Value *stepsLeft = nullptr; // steps up to the bound; null without a bound
  llvm::BasicBlock *begin, *finish; // of the chunk
  bool records;                     // true if chunks repeat with the same addresses; in a scan each step has other slices
};

/// Emits the steps of a chunk, which end in `finish`.
void VersionEmitter::emitStepsAhead(WhileOp op, const Ahead &loop) {
  Pointers arguments = memory.pointersOf(op.getConsts());
  builder.SetInsertPoint(loop.begin);
  memory.clear(loop.bytes, builder.getInt64(kLoopBytes));
  LoopCode code = beginLoop(op, op.getCarry(), "ahead");
  llvm::append_range(arguments, code.carries.old);
  builder.CreateCondBr(builder.CreateICmpULT(code.done, loop.size), code.step, code.next);

  builder.SetInsertPoint(code.step);
  auto byteOf = [&](llvm::Value *step) { return builder.CreateGEP(builder.getInt8Ty(), loop.bytes, step); };
  auto ranBefore = [&](int64_t steps) -> VersionFrame::Predicate { // steps before the chunk have run
    llvm::Value *step = builder.CreateSub(code.done, builder.getInt64(steps));
    llvm::Value *isKnown = builder.CreateICmpSLT(step, builder.getInt64(0));
    return {byteOf(builder.CreateSelect(isKnown, builder.getInt64(kMostSteps), step)),
            builder.CreateZExt(builder.CreateNot(isKnown), emit.i64)};
  };
  const auto around = frame.predicates;
  auto lookAt = [&](int64_t steps) {
    frame.predicates = around;
    for (int64_t more = 0; more < (makesCondition(op) ? 1 : 2); ++more)
      frame.predicates.push_back(ranBefore(steps + more));
  };
  lookAt(1);
  mlir::Block &condition = op.getCondition().front();
  emitRegion(condition, arguments, {});
  frame.at(op);
  device->call(builder, offsetof(lathe_device_api, copy), builder.getVoidTy(),
               {byteOf(code.done), memory.pointerOf(condition.getTerminator()->getOperand(0)), builder.getInt64(1)});
  if (loop.stepsLeft) {
    llvm::BasicBlock *within = frame.block("within");
    builder.CreateCondBr(builder.CreateICmpEQ(code.done, loop.stepsLeft), code.next, within);
    builder.SetInsertPoint(within);
  }
  lookAt(0);
  emitRegion(op.getBody().front(), arguments, code.carries.next);
  frame.predicates = around;
  frame.at(op);
  endStep(op, code);

  builder.SetInsertPoint(code.next);
  if (loop.records)
    device->endRecording();
  builder.CreateBr(loop.finish);
}

/// Returns the number of leading steps of the chunk whose condition held.
llvm::Value *VersionEmitter::stepsThatRan(const Ahead &loop) {
  llvm::Value *size = builder.getInt64(kMostSteps), *memory = device->hostMemory(size, 0);
  device->call(builder, offsetof(lathe_device_api, read), builder.getVoidTy(), {memory, loop.bytes, size});
  auto *type = llvm::FixedVectorType::get(builder.getInt8Ty(), kMostSteps);
  llvm::Value *bytes = builder.CreateAlignedLoad(type, memory, llvm::Align(1));
  llvm::Value *failed = builder.CreateICmpEQ(bytes, llvm::Constant::getNullValue(type));
  llvm::Value *mask = builder.CreateBitCast(failed, builder.getIntNTy(kMostSteps));
  llvm::Value *held = builder.CreateIntrinsic(llvm::Intrinsic::cttz, {mask->getType()}, {mask, builder.getFalse()});
  return builder.CreateZExt(held, emit.i64);
}

void VersionEmitter::emitAhead(WhileOp op) {
  memory.pointersOf(op.getCarry());
  int64_t place = loopPlace(countPredicated(frame.version.function), predicated.loops++);
  llvm::BasicBlock *before = builder.GetInsertBlock(), *head = frame.block("chunk"), *next = frame.block("next");
  Ahead loop;
  loop.bytes = start.CreateConstInBoundsGEP1_64(start.getInt8Ty(), device->predicatePlace, place);
  loop.begin = frame.block("steps");
  loop.finish = frame.block("read");
  loop.records = !op->getParentOfType<ScanOp>();
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  loop.done = builder.CreatePHI(emit.i64, 2);
  loop.done->addIncoming(builder.getInt64(0), before);
  loop.size = builder.CreatePHI(emit.i64, 2);
  loop.size->addIncoming(builder.getInt64(kFirstSteps), before);
  auto least = [&](llvm::Value *x, llvm::Value *y) { return builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, x, y); };
  llvm::SmallVector<llvm::Value *> key = {builder.getInt64(predicated.loops), loop.size};
  if (op.getBound()) {
    loop.stepsLeft = builder.CreateSub(builder.getInt64(*op.getBound()), loop.done);
    key.push_back(least(loop.stepsLeft, loop.size));
  }
  for (llvm::Value *pointer : llvm::concat<llvm::Value *>(memory.pointersOf(op.getConsts()), memory.pointersOf(op.getCarry())))
    key.push_back(builder.CreatePtrToInt(pointer, emit.i64));
  if (loop.records)
    builder.CreateCondBr(device->beginRecording(builder, key), loop.finish, loop.begin);
  else
    builder.CreateBr(loop.begin);
  emitStepsAhead(op, loop);

  builder.SetInsertPoint(loop.finish);
  llvm::Value *ran = stepsThatRan(loop);
  if (loop.stepsLeft) {
    llvm::BasicBlock *exceeded = frame.block("exceeded"), *within = frame.block("within");
    builder.CreateCondBr(builder.CreateICmpUGT(ran, loop.stepsLeft), exceeded, within);
    builder.SetInsertPoint(exceeded);
    failAtBound(op);
    builder.SetInsertPoint(within);
  }
  loop.done->addIncoming(builder.CreateAdd(loop.done, loop.size), builder.GetInsertBlock());
  loop.size->addIncoming(least(builder.CreateMul(loop.size, builder.getInt64(kGrowth)), builder.getInt64(kMostSteps)),
                         builder.GetInsertBlock());
  builder.CreateCondBr(builder.CreateICmpEQ(ran, loop.size), head, next);

  builder.SetInsertPoint(next);
  llvm::Value *isOdd = builder.CreateTrunc(ran, builder.getInt1Ty());
  auto spares = op->getAttrOfType<mlir::ArrayAttr>(kSparesAttr);
  for (auto [result, first, spare] : llvm::zip_equal(op.getResults(), op.getCarry(), spares)) {
    llvm::Value *place = memory.pointerOf(first);
    auto buffer = mlir::dyn_cast<BufferAttr>(spare);
    memory.set(result, buffer ? builder.CreateSelect(isOdd, memory.bufferPointer(buffer), place) : place);
  }
}

/// Launches the kernels of both sides, which read a copy of the predicate.
void VersionEmitter::emitPredicated(IfOp op) {
  Pointers consts = memory.pointersOf(op.getConsts()), results = memory.resultPointers(op);
  llvm::Value *place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), device->predicatePlace, predicated.branches++);
  device->call(builder, offsetof(lathe_device_api, copy), builder.getVoidTy(),
               {place, memory.pointerOf(op.getPredicate()), builder.getInt64(1)});
  for (auto [wanted, region] : {std::pair(1, &op.getTaken()), {0, &op.getOtherwise()}}) {
    frame.predicates.push_back({place, builder.getInt64(wanted)});
    emitRegion(region->front(), consts, results);
    frame.predicates.pop_back();
    frame.at(op);
  }
  for (auto [result, pointer] : llvm::zip_equal(op.getResults(), results))
    memory.set(result, pointer);
}
