// Branches and loops of a version: regions become basic blocks, whose arguments and yields are addresses.
//
//   if:     br predicate: then-block (consts) or else-block (consts)          // both write the results
//   while:  head: condition(consts, carries); step: body(consts, carries) -> next carries; swap; br head
//   scan:   head: done < steps; step: body(consts, carries, slices) -> next carries, stack slots; swap; br head
//
// A scan's slices and stack slots are at their start plus step * bytes of a slice. A carry that a step updates in place has one
// address. Any other carry has two, whose pointers are swapped at each step. If it begins with a value that nothing writes, the
// first step reads that, and a third pointer holds the address that the second step writes.
#include "codegen/Emit/CheckFunctions.h"
#include "codegen/Emit/VersionEmitter.h"
#include "codegen/GPU/Predication.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "dialects/Lathe/IR/Steps.h"
#include "lathe/runtime.h"
#include "lib/Analysis/InPlace.h"
#include "llvm/IR/Intrinsics.h"

using namespace lathe;

void VersionEmitter::emitControl(mlir::Operation *op) {
  frame.at(op);
  if (auto branch = mlir::dyn_cast<IfOp>(op))
    isOnDevice() && isPredicated(branch) ? emitPredicated(branch) : emitIf(branch);
  else if (auto scan = mlir::dyn_cast<ScanOp>(op))
    emitScan(scan);
  else if (auto loop = mlir::cast<WhileOp>(op); isOnDevice() && launchesAhead(loop))
    emitAhead(loop);
  else
    emitWhile(loop);
}

/// Tests an i1, stored as a byte.
llvm::Value *VersionEmitter::isTrue(mlir::Value value) {
  return builder.CreateICmpNE(builder.CreateLoad(builder.getInt8Ty(), memory.hostData(value)), builder.getInt8(0));
}

void VersionEmitter::emitRegion(mlir::Block &inside, llvm::ArrayRef<llvm::Value *> arguments, Pointers places) {
  for (auto [argument, pointer] : llvm::zip_equal(inside.getArguments(), arguments))
    memory.set(argument, pointer);
  std::swap(memory.yields, places);
  emitBlock(inside);
  std::swap(memory.yields, places);
}

void VersionEmitter::emitIf(IfOp op) {
  Pointers consts = memory.pointersOf(op.getConsts()), results = memory.resultPointers(op);
  llvm::BasicBlock *taken = frame.block("then"), *otherwise = frame.block("else"), *next = frame.block("next");
  builder.CreateCondBr(isTrue(op.getPredicate()), taken, otherwise);
  for (auto [code, region] : {std::pair(taken, &op.getTaken()), {otherwise, &op.getOtherwise()}}) {
    builder.SetInsertPoint(code);
    emitRegion(region->front(), consts, results);
    frame.at(op);
    builder.CreateBr(next);
  }
  builder.SetInsertPoint(next);
  for (auto [result, pointer] : llvm::zip_equal(op.getResults(), results))
    memory.set(result, pointer);
}

/// Creates the addresses of the carries at the head of a loop. `places` are those of the initial values, `own` those of the
/// loop's results, and `before` is the block that leads to the head.
VersionEmitter::Carries VersionEmitter::beginCarries(mlir::Operation *loop, const Pointers &places, const Pointers &own,
                                                     llvm::BasicBlock *before) {
  Carries carries;
  auto spares = loop->getAttrOfType<mlir::ArrayAttr>(kSparesAttr);
  for (auto [i, value] : llvm::enumerate(carriesOf(loop))) {
    llvm::Value *place = places[i];
    auto spare = mlir::dyn_cast<BufferAttr>(spares[i]);
    auto role = [&](llvm::Value *from) {
      llvm::PHINode *pointer = builder.CreatePHI(emit.pointer, 2);
      pointer->addIncoming(from, before);
      return pointer;
    };
    carries.old.push_back(spare ? role(place) : place);
    carries.next.push_back(spare ? role(memory.bufferPointer(spare)) : place);
    bool isElsewhere = spare && isReadOnly(memoryOf(value));
    carries.afterNext.push_back(isElsewhere ? role(own[i]) : nullptr);
  }
  return carries;
}

/// Begins a loop; the builder continues in its head.
VersionEmitter::LoopCode VersionEmitter::beginLoop(mlir::Operation *loop, mlir::OperandRange first, const char *name) {
  Pointers places = memory.pointersOf(first), own = memory.resultPointers(loop);
  LoopCode code{frame.block(name), frame.block("step"), frame.block("next"), nullptr, {}};
  llvm::BasicBlock *before = builder.GetInsertBlock();
  builder.CreateBr(code.head);
  builder.SetInsertPoint(code.head);
  code.done = builder.CreatePHI(emit.i64, 2);
  code.done->addIncoming(builder.getInt64(0), before);
  code.carries = beginCarries(loop, places, own, before);
  return code;
}

/// Branches back to the head, with the old and next places swapped.
void VersionEmitter::endStep(mlir::Operation *loop, const LoopCode &code) {
  code.done->addIncoming(builder.CreateAdd(code.done, builder.getInt64(1)), builder.GetInsertBlock());
  auto spares = loop->getAttrOfType<mlir::ArrayAttr>(kSparesAttr);
  for (auto [i, old, next, afterNext] : llvm::enumerate(code.carries.old, code.carries.next, code.carries.afterNext)) {
    if (!mlir::isa<BufferAttr>(spares[i]))
      continue;
    llvm::cast<llvm::PHINode>(old)->addIncoming(next, builder.GetInsertBlock());
    llvm::cast<llvm::PHINode>(next)->addIncoming(afterNext ? afterNext : old, builder.GetInsertBlock());
    if (afterNext)
      llvm::cast<llvm::PHINode>(afterNext)->addIncoming(next, builder.GetInsertBlock());
  }
  builder.CreateBr(code.head);
}

/// Returns min(max(length, 0), trip).
llvm::Value *VersionEmitter::stepsOf(ScanOp op) {
  llvm::Value *trip = emitDim(builder, op.getSteps(), dims);
  if (!op.getLength())
    return trip;
  unsigned width = mlir::cast<mlir::RankedTensorType>(op.getLength().getType()).getElementTypeBitWidth();
  llvm::Value *length =
      builder.CreateSExt(builder.CreateLoad(builder.getIntNTy(width), memory.hostData(op.getLength())), emit.i64);
  length = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, length, builder.getInt64(0));
  return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, length, trip);
}

/// Clears the slots of steps that do not run.
void VersionEmitter::clearRest(ScanOp op, llvm::ArrayRef<llvm::Value *> stacks, llvm::Value *steps) {
  if (!op.getLength())
    return;
  mlir::Operation *end = op.getBody().front().getTerminator();
  llvm::Value *rest = builder.CreateSub(emitDim(builder, op.getSteps(), dims), steps);
  for (auto [stack, slice] : llvm::zip_equal(stacks, end->getOperands().take_back(stacks.size()))) {
    llvm::Value *bytes = emitDim(builder, byteSize(slice), dims);
    llvm::Value *from = builder.CreateGEP(builder.getInt8Ty(), stack, builder.CreateMul(steps, bytes));
    memory.clear(from, builder.CreateMul(rest, bytes));
  }
}

void VersionEmitter::emitScan(ScanOp op) {
  mlir::Block &body = op.getBody().front();
  mlir::Operation *end = body.getTerminator();
  size_t carried = op.getCarry().size();
  Pointers consts = memory.pointersOf(op.getConsts()), xs = memory.pointersOf(op.getXs());
  Pointers stacks(llvm::drop_begin(memory.resultPointers(op), carried));
  llvm::Value *steps = stepsOf(op);
  clearRest(op, stacks, steps);
  LoopCode code = beginLoop(op, op.getCarry(), "scan");
  const Carries &carries = code.carries;
  builder.CreateCondBr(builder.CreateICmpSLT(code.done, steps), code.step, code.next);

  builder.SetInsertPoint(code.step);
  llvm::Value *place = code.done;
  if (op.getReverse())
    place = builder.CreateSub(builder.CreateSub(steps, builder.getInt64(1)), code.done);
  auto slot = [&](llvm::Value *stack, mlir::Value slice) {
    llvm::Value *bytes = emitDim(builder, byteSize(slice), dims);
    return builder.CreateGEP(builder.getInt8Ty(), stack, builder.CreateMul(place, bytes));
  };
  Pointers arguments = consts, places = carries.next;
  llvm::append_range(arguments, carries.old);
  for (auto [stack, slice] : llvm::zip_equal(xs, op.getSliceArguments()))
    arguments.push_back(slot(stack, slice));
  for (auto [stack, slice] : llvm::zip_equal(stacks, end->getOperands().drop_front(carried)))
    places.push_back(slot(stack, slice));
  emitRegion(body, arguments, places);
  frame.at(op);
  endStep(op, code);

  builder.SetInsertPoint(code.next);
  Pointers results = carries.old;
  llvm::append_range(results, stacks);
  for (auto [result, pointer] : llvm::zip_equal(op.getResults(), results))
    memory.set(result, pointer);
}

void VersionEmitter::failAtBound(WhileOp op) {
  int64_t bound = declaredBound(op), beyond = bound == INT64_MAX ? bound : bound + 1;
  reports.fail(builder.getInt32(BoundExceeded), sourcePlace(op.getLoc()), "lathe.while", "", builder.getInt64(bound),
               builder.getInt64(beyond));
}

void VersionEmitter::emitWhile(WhileOp op) {
  Pointers arguments = memory.pointersOf(op.getConsts());
  LoopCode code = beginLoop(op, op.getCarry(), "while");
  const Carries &carries = code.carries;
  llvm::append_range(arguments, carries.old);
  mlir::Block &condition = op.getCondition().front();
  emitRegion(condition, arguments, {});
  frame.at(op);
  builder.CreateCondBr(isTrue(condition.getTerminator()->getOperand(0)), code.step, code.next);

  builder.SetInsertPoint(code.step);
  if (op.getBound()) {
    llvm::BasicBlock *exceeded = frame.block("exceeded"), *within = frame.block("within");
    builder.CreateCondBr(builder.CreateICmpEQ(code.done, builder.getInt64(*op.getBound())), exceeded, within);
    builder.SetInsertPoint(exceeded);
    failAtBound(op);
    builder.SetInsertPoint(within);
  }
  emitRegion(op.getBody().front(), arguments, carries.next);
  frame.at(op);
  endStep(op, code);

  builder.SetInsertPoint(code.next);
  for (auto [result, pointer] : llvm::zip_equal(op.getResults(), carries.old))
    memory.set(result, pointer);
}
