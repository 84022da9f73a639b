// Collectives call the communicator of the context:
//
//   entry:   for axis: if the number of ranks along it is not the dimension's size: return LATHE_ERROR_COMM
//            if context->comm: return its status unless comm->begin(comm, what the ranks must agree on, sizes) is LATHE_OK
//   kernel:  status = comm->start(comm, context, what, input, output, count, error)
//            if it is LATHE_OK: status = comm->wait(comm, context, what, error)     // or later: lathe.collective_wait
//
// Without a communicator, or if it does not have the axis, there is one rank: the result is a copy of the operand.
#include "codegen/Emit/Collectives.h"
#include "codegen/Emit/CheckFunctions.h"
#include "lathe/ranks.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/Support/xxhash.h"

using namespace lathe;

namespace {

constexpr llvm::StringLiteral kAxisFunction = "lathe.axis", kStartFunction = "lathe.start", kWaitFunction = "lathe.wait";

/// Calls a function of lathe_comm, with the communicator as its first argument.
llvm::Value *callComm(EmitContext &emit, llvm::IRBuilder<> &b, llvm::Value *comm, size_t offset, llvm::Type *result,
                      llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::Value *hook = b.CreateLoad(emit.pointer, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), comm, offset));
  llvm::SmallVector<llvm::Value *> all = {comm};
  llvm::append_range(all, arguments);
  auto types = llvm::map_to_vector(all, [](llvm::Value *value) { return value->getType(); });
  return b.CreateCall(llvm::FunctionType::get(result, types, false), hook, all);
}

llvm::Value *field(EmitContext &emit, llvm::IRBuilder<> &b, llvm::Type *type, llvm::Value *record, size_t offset) {
  return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), record, offset));
}

/// A function that a module has once, while its blocks are emitted.
struct Shared {
  Shared(EmitContext &emit, llvm::StringRef name, llvm::Type *result, llvm::ArrayRef<llvm::Type *> parameters)
      : b(emit.context) {
    function = emit.function(name, llvm::FunctionType::get(result, parameters, false), false, {});
    function->addFnAttr(llvm::Attribute::NoInline);
    b.SetInsertPoint(block());
    b.SetCurrentDebugLocation(emit.debugLoc(function, {}));
  }
  llvm::BasicBlock *block() { return llvm::BasicBlock::Create(b.getContext(), "", function); }
  /// Returns from the function unless `holds`, and continues where it does.
  void unlessReturn(llvm::Value *holds, llvm::Value *result) {
    llvm::BasicBlock *leave = block(), *next = block();
    b.CreateCondBr(holds, next, leave);
    b.SetInsertPoint(leave);
    b.CreateRet(result);
    b.SetInsertPoint(next);
  }

  llvm::Function *function;
  llvm::IRBuilder<> b;
};

/// Emits a search for the axis of this name, and returns its address, or null:
///
///   for axis in comm->axes
///     for i = 0; axis->name[i] == name[i]; ++i
///       if name[i] == 0: return axis
///   return null
void searchAxis(EmitContext &emit, Shared &s, llvm::Value *comm, llvm::Value *name) {
  llvm::IRBuilder<> &b = s.b;
  llvm::Value *axes = field(emit, b, emit.pointer, comm, offsetof(lathe_comm, axes));
  llvm::Value *count = b.CreateZExt(field(emit, b, emit.i32, comm, offsetof(lathe_comm, axis_count)), emit.i64);
  llvm::BasicBlock *start = b.GetInsertBlock(), *outer = s.block(), *compare = s.block(), *letter = s.block(),
                   *same = s.block(), *further = s.block(), *differs = s.block(), *found = s.block(), *none = s.block();
  b.CreateBr(outer);
  b.SetInsertPoint(outer);
  llvm::PHINode *number = b.CreatePHI(emit.i64, 2);
  number->addIncoming(b.getInt64(0), start);
  b.CreateCondBr(b.CreateICmpULT(number, count), compare, none);
  b.SetInsertPoint(compare);
  llvm::Value *offset = b.CreateMul(number, b.getInt64(sizeof(lathe_axis)));
  llvm::Value *axis = b.CreateInBoundsGEP(b.getInt8Ty(), axes, offset);
  llvm::Value *own = field(emit, b, emit.pointer, axis, offsetof(lathe_axis, name));
  b.CreateBr(letter);
  b.SetInsertPoint(letter);
  llvm::PHINode *i = b.CreatePHI(emit.i64, 2);
  i->addIncoming(b.getInt64(0), compare);
  auto load = [&](llvm::Value *text) { return b.CreateLoad(b.getInt8Ty(), b.CreateInBoundsGEP(b.getInt8Ty(), text, i)); };
  llvm::Value *wanted = load(name);
  b.CreateCondBr(b.CreateICmpEQ(load(own), wanted), same, differs);
  b.SetInsertPoint(same);
  b.CreateCondBr(b.CreateIsNull(wanted), found, further);
  b.SetInsertPoint(further);
  i->addIncoming(b.CreateAdd(i, b.getInt64(1)), further);
  b.CreateBr(letter);
  b.SetInsertPoint(differs);
  number->addIncoming(b.CreateAdd(number, b.getInt64(1)), differs);
  b.CreateBr(outer);
  b.SetInsertPoint(found);
  b.CreateRet(axis);
  b.SetInsertPoint(none);
  b.CreateRet(llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(emit.pointer)));
}

/// Returns `lathe_axis *(context, name)`: this rank's place along an axis, null if it is the only one.
llvm::Function *axisFunction(EmitContext &emit) {
  if (auto *known = emit.module.getFunction(kAxisFunction))
    return known;
  Shared s(emit, kAxisFunction, emit.pointer, {emit.pointer, emit.pointer});
  llvm::Value *context = s.function->getArg(0);
  auto *null = llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(emit.pointer));
  s.unlessReturn(s.b.CreateIsNotNull(context), null);
  // The context of an older interface may be too short to have a communicator.
  llvm::Value *version = field(emit, s.b, emit.i32, context, offsetof(lathe_context, abi_version));
  s.unlessReturn(s.b.CreateICmpUGE(version, s.b.getInt32(LATHE_ABI_VERSION)), null);
  llvm::Value *comm = field(emit, s.b, emit.pointer, context, offsetof(lathe_context, comm));
  s.unlessReturn(s.b.CreateIsNotNull(comm), null);
  searchAxis(emit, s, comm, s.function->getArg(1));
  return s.function;
}

/// Returns `lathe_status (context, what, input, output, count, bytes, error)`, which begins a collective.
llvm::Function *startFunction(EmitContext &emit) {
  if (auto *known = emit.module.getFunction(kStartFunction))
    return known;
  llvm::Function *axis = axisFunction(emit);
  Shared s(emit, kStartFunction, emit.i32,
           {emit.pointer, emit.pointer, emit.pointer, emit.pointer, emit.i64, emit.i64, emit.pointer});
  llvm::Value *context = s.function->getArg(0), *what = s.function->getArg(1), *input = s.function->getArg(2),
              *output = s.function->getArg(3);
  llvm::Value *name = field(emit, s.b, emit.pointer, what, offsetof(lathe_collective_info, axis));
  llvm::BasicBlock *isAlone = s.block(), *hasOthers = s.block();
  s.b.CreateCondBr(s.b.CreateIsNull(s.b.CreateCall(axis, {context, name})), isAlone, hasOthers);
  s.b.SetInsertPoint(isAlone);
  s.b.CreateMemMove(output, llvm::Align(1), input, llvm::Align(1), s.function->getArg(5));
  s.b.CreateRet(s.b.getInt32(0));
  s.b.SetInsertPoint(hasOthers);
  llvm::Value *comm = field(emit, s.b, emit.pointer, context, offsetof(lathe_context, comm));
  s.b.CreateRet(callComm(emit, s.b, comm, offsetof(lathe_comm, start), emit.i32,
                         {context, what, input, output, s.function->getArg(4), s.function->getArg(6)}));
  return s.function;
}

/// Returns `lathe_status (context, what, error)`, which ends it.
llvm::Function *waitFunction(EmitContext &emit) {
  if (auto *known = emit.module.getFunction(kWaitFunction))
    return known;
  llvm::Function *axis = axisFunction(emit);
  Shared s(emit, kWaitFunction, emit.i32, {emit.pointer, emit.pointer, emit.pointer});
  llvm::Value *context = s.function->getArg(0), *what = s.function->getArg(1);
  llvm::Value *name = field(emit, s.b, emit.pointer, what, offsetof(lathe_collective_info, axis));
  s.unlessReturn(s.b.CreateIsNotNull(s.b.CreateCall(axis, {context, name})), s.b.getInt32(0));
  llvm::Value *comm = field(emit, s.b, emit.pointer, context, offsetof(lathe_context, comm));
  s.b.CreateRet(callComm(emit, s.b, comm, offsetof(lathe_comm, wait), emit.i32, {context, what, s.function->getArg(2)}));
  return s.function;
}

struct Kind {
  lathe_collective kind;
  lathe_reduction reduction = lathe_reduction(0);
  int64_t parameter = 0;
};

lathe_reduction reductionOf(CollectiveKind kind) {
  return kind == CollectiveKind::Max ? LATHE_MAX : kind == CollectiveKind::Min ? LATHE_MIN : LATHE_SUM;
}

/// Returns what a communicator does for an op. Means and other dimensions than the first have been lowered.
Kind kindOf(mlir::Operation *op) {
  if (auto reduce = mlir::dyn_cast<AllReduceOp>(op))
    return {LATHE_ALL_REDUCE, reductionOf(reduce.getKind())};
  if (auto scatter = mlir::dyn_cast<ReduceScatterOp>(op))
    return {LATHE_REDUCE_SCATTER, reductionOf(scatter.getKind())};
  if (auto broadcast = mlir::dyn_cast<CollectiveBroadcastOp>(op))
    return {LATHE_BROADCAST, {}, int64_t(broadcast.getRoot())};
  if (auto permute = mlir::dyn_cast<CollectivePermuteOp>(op))
    return {LATHE_PERMUTE, {}, int64_t(permute.getShift())};
  return {mlir::isa<AllGatherOp>(op) ? LATHE_ALL_GATHER : LATHE_ALL_TO_ALL};
}

llvm::Constant *globalOf(EmitContext &emit, llvm::ArrayRef<llvm::Constant *> fields, llvm::StringRef name) {
  auto *record = llvm::ConstantStruct::getAnon(emit.context, fields);
  auto *made = new llvm::GlobalVariable(emit.module, record->getType(), true, llvm::GlobalValue::PrivateLinkage, record, name);
  made->setAlignment(llvm::Align(8));
  return made;
}

/// Returns the lathe_collective_info of a kernel.
llvm::Constant *infoOf(VersionFrame &frame, CollectiveOpInterface op, unsigned row) {
  EmitContext &emit = frame.emit;
  auto number = [&](llvm::Type *type, int64_t value) { return llvm::ConstantInt::get(type, value, true); };
  Kind kind = kindOf(op);
  Element element = *elementOf(mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType()).getElementType());
  llvm::Constant *indices[] = {number(emit.i64, 0), number(emit.i64, row)};
  auto *place = llvm::ConstantExpr::getInBoundsGetElementPtr(frame.kernelTable->getValueType(), frame.kernelTable, indices);
  return globalOf(emit,
                  {number(emit.i32, kind.kind), number(emit.i32, kind.reduction), number(emit.i32, int(element)),
                   number(emit.i32, 0), number(emit.i64, kind.parameter), emit.string(op.getAxis()),
                   emit.string(frame.signature.name), place},
                  "collective");
}

/// Returns a number that differs between entries whose ranks would not come together: of its ops, without large constants.
uint64_t fingerprintOf(mlir::func::FuncOp function) {
  std::string text;
  llvm::raw_string_ostream out(text);
  mlir::OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(16).elideLargeResourceString(0).useLocalScope();
  function->print(out, flags);
  return llvm::xxh3_64bits(text);
}
/// Returns the lathe_ranks_info of an entry: what its ranks must agree on.
llvm::Constant *ranksInfo(EmitContext &emit, const Signature &signature, mlir::func::FuncOp graph) {
  auto i32 = [&](uint64_t value) { return llvm::ConstantInt::get(emit.i32, value); };
  llvm::SmallVector<llvm::Constant *> names;
  for (const DimensionField &dimension : signature.dimensions)
    names.push_back(emit.string(dimension.name));
  llvm::Constant *list = llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(emit.pointer));
  if (!names.empty())
    list = globalOf(emit, names, "dimensions");
  return globalOf(emit,
                  {llvm::ConstantInt::get(emit.i64, fingerprintOf(graph)), emit.string(signature.name),
                   emit.string(emit.signature.source), i32(names.size()), i32(0), list},
                  "ranks");
}
} // namespace

bool lathe::hasCollectives(mlir::func::FuncOp function) {
  return function.walk([](CollectiveOpInterface) { return mlir::WalkResult::interrupt(); }).wasInterrupted();
}

/// Stores this rank's index along an axis, 0 if it is the only one.
static void emitIndex(VersionFrame &frame, AxisIndexOp op, llvm::Value *place) {
  llvm::IRBuilder<> &b = frame.builder;
  llvm::Value *axis = b.CreateCall(axisFunction(frame.emit), {frame.contextPointer, frame.emit.string(op.getAxis())});
  llvm::BasicBlock *start = b.GetInsertBlock(), *given = frame.block("axis"), *next = frame.block("next");
  b.CreateCondBr(b.CreateIsNull(axis), next, given);
  b.SetInsertPoint(given);
  llvm::Value *own = field(frame.emit, b, frame.emit.i64, axis, offsetof(lathe_axis, index));
  b.CreateBr(next);
  b.SetInsertPoint(next);
  llvm::PHINode *index = b.CreatePHI(frame.emit.i64, 2);
  index->addIncoming(b.getInt64(0), start);
  index->addIncoming(own, given);
  b.CreateStore(index, place);
}

/// Ends the exchange whose result is the kernel's first operand.
static llvm::Value *emitWait(VersionFrame &frame, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers) {
  llvm::IRBuilder<> &b = frame.builder;
  llvm::Value *error = frame.load(frame.emit.pointer, frame.signature.errorOffset);
  llvm::Value *info = frame.exchanges.at(kernel.getInputs().front());
  llvm::Value *status = b.CreateCall(waitFunction(frame.emit), {frame.contextPointer, info, error});
  if (buffers.front() != buffers.back()) // the plan could not give both the same memory
    b.CreateMemMove(buffers.back(), llvm::Align(1), buffers.front(), llvm::Align(1), frame.bytesOf(kernel.getResult(0)));
  return status;
}

llvm::Value *lathe::emitTakesDeviceMemory(VersionFrame &frame, KernelOp kernel) {
  EmitContext &emit = frame.emit;
  llvm::IRBuilder<> &b = frame.builder;
  llvm::Value *axis = b.CreateCall(axisFunction(emit), {frame.contextPointer, emit.string(collectiveOf(kernel).getAxis())});
  llvm::BasicBlock *start = b.GetInsertBlock(), *given = frame.block("axis"), *next = frame.block("next");
  b.CreateCondBr(b.CreateIsNull(axis), next, given);
  b.SetInsertPoint(given);
  llvm::Value *comm = field(emit, b, emit.pointer, frame.contextPointer, offsetof(lathe_context, comm));
  llvm::Value *flag = field(emit, b, emit.i32, comm, offsetof(lathe_comm, takes_device_memory));
  llvm::Value *takes = b.CreateICmpNE(flag, b.getInt32(0));
  b.CreateBr(next);
  b.SetInsertPoint(next);
  llvm::PHINode *result = b.CreatePHI(b.getInt1Ty(), 2);
  result->addIncoming(b.getFalse(), start);
  result->addIncoming(takes, given);
  return result;
}

llvm::Value *lathe::emitCollective(VersionFrame &frame, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row) {
  EmitContext &emit = frame.emit;
  llvm::IRBuilder<> &b = frame.builder;
  if (waitOf(kernel))
    return emitWait(frame, kernel, buffers);
  CollectiveOpInterface op = collectiveOf(kernel);
  if (auto index = mlir::dyn_cast<AxisIndexOp>(*op)) {
    emitIndex(frame, index, buffers[0]);
    return b.getInt32(0);
  }
  mlir::Value operand = op->getOperand(0);
  llvm::Value *count = frame.countOf(operand);
  if (mlir::isa<ReduceScatterOp, AllToAllOp>(*op))
    count = b.CreateUDiv(count, emitDim(b, op.getAxisSize(), frame.dims));
  llvm::Constant *info = infoOf(frame, op, row);
  llvm::Value *error = frame.load(emit.pointer, frame.signature.errorOffset);
  llvm::Value *status = b.CreateCall(
      startFunction(emit), {frame.contextPointer, info, buffers[0], buffers[1], count, frame.bytesOf(operand), error});
  if (op->hasAttr(kStartsAttr)) {
    frame.exchanges[kernel.getResult(0)] = info;
    return status;
  }
  llvm::BasicBlock *start = b.GetInsertBlock(), *wait = frame.block("wait"), *next = frame.block("next");
  b.CreateCondBr(b.CreateICmpEQ(status, b.getInt32(0)), wait, next);
  b.SetInsertPoint(wait);
  llvm::Value *end = b.CreateCall(waitFunction(emit), {frame.contextPointer, info, error});
  b.CreateBr(next);
  b.SetInsertPoint(next);
  llvm::PHINode *outcome = b.CreatePHI(emit.i32, 2);
  outcome->addIncoming(status, start);
  outcome->addIncoming(end, wait);
  return outcome;
}

void lathe::emitRankChecks(EmitContext &emit, const Signature &signature, llvm::IRBuilder<> &b, llvm::Value *context,
                           llvm::Value *error, const Version &general, const std::map<std::string, llvm::Value *> &dims) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(emit.context, name, function); };
  auto require = [&](llvm::Value *holds, llvm::function_ref<llvm::Value *()> emitFailure) {
    llvm::BasicBlock *wrong = block("wrong"), *next = block("next");
    b.CreateCondBr(holds, next, wrong);
    b.SetInsertPoint(wrong);
    b.CreateRet(emitFailure());
    b.SetInsertPoint(next);
  };
  std::map<std::string, CollectiveOpInterface> axes; // by name, the first op over each
  mlir::func::FuncOp graph = general.function;
  graph.walk([&](CollectiveOpInterface op) { axes.try_emplace(op.getAxis().str(), op); });
  for (auto &[name, op] : axes) {
    llvm::Value *axis = b.CreateCall(axisFunction(emit), {context, emit.string(name)});
    llvm::BasicBlock *start = b.GetInsertBlock(), *given = block("axis"), *known = block("known");
    b.CreateCondBr(b.CreateIsNull(axis), known, given);
    b.SetInsertPoint(given);
    llvm::Value *size = field(emit, b, emit.i64, axis, offsetof(lathe_axis, size));
    b.CreateBr(known);
    b.SetInsertPoint(known);
    llvm::PHINode *ranks = b.CreatePHI(emit.i64, 2);
    ranks->addIncoming(b.getInt64(1), start);
    ranks->addIncoming(size, given);
    llvm::Value *wanted = emitDim(b, CollectiveOpInterface(op).getAxisSize(), dims);
    require(b.CreateICmpEQ(ranks, wanted), [&, axis = name, op = op]() -> llvm::Value * {
      llvm::Value *status = b.getInt32(Comm);
      emitReport(emit, b, error, status,
                 recordAt(emit, sourcePlace(op->getLoc()), signature.name, op->getName().getStringRef(), axis,
                          emit.string("other size"), wanted, ranks));
      return status;
    });
  }
  // The ranks of a communicator compare what they run, whichever axes it has.
  auto *words = llvm::ArrayType::get(emit.i64, std::max<size_t>(1, signature.dimensions.size()));
  auto *sizes = new llvm::AllocaInst(words, 0, "sizes", function->getEntryBlock().getFirstNonPHIIt());
  for (auto [i, dimension] : llvm::enumerate(signature.dimensions))
    b.CreateStore(dims.at(dimension.name), b.CreateConstInBoundsGEP1_64(emit.i64, sizes, i));
  llvm::BasicBlock *given = block("context"), *current = block("current"), *agree = block("agree"), *next = block("next");
  b.CreateCondBr(b.CreateIsNull(context), next, given);
  b.SetInsertPoint(given);
  llvm::Value *version = field(emit, b, emit.i32, context, offsetof(lathe_context, abi_version));
  b.CreateCondBr(b.CreateICmpUGE(version, b.getInt32(LATHE_ABI_VERSION)), current, next);
  b.SetInsertPoint(current);
  llvm::Value *comm = field(emit, b, emit.pointer, context, offsetof(lathe_context, comm));
  b.CreateCondBr(b.CreateIsNull(comm), next, agree);
  b.SetInsertPoint(agree);
  llvm::Constant *what = ranksInfo(emit, signature, graph);
  llvm::Value *status = callComm(emit, b, comm, offsetof(lathe_comm, begin), emit.i32, {what, sizes, error});
  require(b.CreateICmpEQ(status, b.getInt32(0)), [&] { return status; });
  b.CreateBr(next);
  b.SetInsertPoint(next);
}
