// Functions that the argument checks of all entries share, so that an entry is only as long as its own checks:
//
//   report(error, status, line, ...):      if error is not null: fill it
//   store_index(error, flat, rank, extents): the index of an element, from the last dimension to the first
//   check_buffers(args, error, function, rows, sizes, count):
//     for buffer: it is not too large, not null, and aligned, or report() and return
//     for buffer that is written, for other buffer: they do not overlap, or report() and return
//
// The buffers are rows of a table. Code for each pair would grow with the square of their number.
#include "codegen/Emit/CheckFunctions.h"

using namespace lathe;

/// Returns `void (error *, status, line, column, file, function, op, argument, other, expected, actual, node)`.
static llvm::Function *reportFunction(EmitContext &emit) {
  if (auto *known = emit.module.getFunction("report"))
    return known;
  llvm::Type *p = emit.pointer;
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(emit.context),
                                       {p, emit.i32, emit.i32, emit.i32, p, p, p, p, p, emit.i64, emit.i64, p}, false);
  llvm::Function *report = emit.function("report", type, false, {});
  report->addFnAttr(llvm::Attribute::NoInline);
  report->addFnAttr(llvm::Attribute::Cold);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(emit.context, "", report));
  auto *fill = llvm::BasicBlock::Create(emit.context, "fill", report),
       *done = llvm::BasicBlock::Create(emit.context, "done", report);
  b.CreateCondBr(b.CreateIsNull(report->getArg(0)), done, fill);
  b.SetInsertPoint(fill);
  auto put = [&](llvm::Value *value, size_t offset) {
    b.CreateStore(value, b.CreateConstInBoundsGEP1_32(b.getInt8Ty(), report->getArg(0), offset));
  };
  const size_t fields[] = {offsetof(lathe_error, status),   offsetof(lathe_error, line),     offsetof(lathe_error, column),
                           offsetof(lathe_error, file),     offsetof(lathe_error, function), offsetof(lathe_error, op),
                           offsetof(lathe_error, argument), offsetof(lathe_error, other),    offsetof(lathe_error, expected),
                           offsetof(lathe_error, actual)};
  for (auto [i, offset] : llvm::enumerate(fields))
    put(report->getArg(1 + i), offset);
  put(b.getInt32(0), offsetof(lathe_error, rank));
  put(report->getArg(11), offsetof(lathe_error, node));
  b.CreateBr(done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return report;
}

ErrorRecord lathe::recordAt(EmitContext &emit, const SourcePlace &place, llvm::StringRef function, llvm::StringRef op,
                            llvm::StringRef argument, llvm::Value *other, llvm::Value *expected, llvm::Value *actual) {
  auto number = [&](int value) { return llvm::ConstantInt::get(emit.i32, value); };
  return {number(place.line),
          number(place.column),
          emit.fileOf(place),
          emit.string(place.node),
          emit.string(function),
          emit.string(op),
          emit.string(argument),
          other,
          expected,
          actual};
}

void lathe::emitReport(EmitContext &emit, llvm::IRBuilder<> &builder, llvm::Value *error, llvm::Value *status,
                       const ErrorRecord &record) {
  builder.CreateCall(reportFunction(emit), {error, status, record.line, record.column, record.file, record.function, record.op,
                                            record.argument, record.other, record.expected, record.actual, record.node});
}

llvm::Function *lathe::indexFunction(EmitContext &emit) {
  if (auto *known = emit.module.getFunction("store_index"))
    return known;
  constexpr size_t kRank = offsetof(lathe_error, rank), kIndex = offsetof(lathe_error, index);
  constexpr size_t kMost = std::size(lathe_error().index);
  auto *type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(emit.context), {emit.pointer, emit.i64, emit.i32, emit.pointer}, false);
  llvm::Function *function = emit.function("store_index", type, false, {});
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  llvm::IRBuilder<> b(emit.context);
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(emit.context, name, function); };
  llvm::BasicBlock *begin = block(""), *fill = block("fill"), *head = block("head"), *store = block("store"), *on = block("on"),
                   *done = block("done");
  llvm::Value *error = function->getArg(0);
  auto field = [&](llvm::Value *offset) { return b.CreateInBoundsGEP(b.getInt8Ty(), error, offset); };
  b.SetInsertPoint(begin);
  b.CreateCondBr(b.CreateIsNull(error), done, fill);
  b.SetInsertPoint(fill);
  b.CreateStore(function->getArg(2), field(b.getInt64(kRank)));
  llvm::Value *rank = b.CreateZExt(function->getArg(2), emit.i64);
  b.CreateBr(head);
  b.SetInsertPoint(head); // from the last dimension to the first
  llvm::PHINode *left = b.CreatePHI(emit.i64, 2), *flat = b.CreatePHI(emit.i64, 2);
  left->addIncoming(rank, fill);
  flat->addIncoming(function->getArg(1), fill);
  llvm::BasicBlock *next = block("next");
  b.CreateCondBr(b.CreateICmpEQ(left, b.getInt64(0)), done, next);
  b.SetInsertPoint(next);
  llvm::Value *i = b.CreateSub(left, b.getInt64(1));
  llvm::Value *extent = b.CreateLoad(emit.i64, b.CreateInBoundsGEP(emit.i64, function->getArg(3), i));
  b.CreateCondBr(b.CreateICmpULT(i, b.getInt64(kMost)), store, on);
  b.SetInsertPoint(store);
  b.CreateStore(b.CreateURem(flat, extent), field(b.CreateAdd(b.CreateMul(i, b.getInt64(8)), b.getInt64(kIndex))));
  b.CreateBr(on);
  b.SetInsertPoint(on);
  left->addIncoming(i, on);
  flat->addIncoming(b.CreateUDiv(flat, extent), on);
  b.CreateBr(head);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return function;
}

namespace {

/// Emits check_buffers.
class BufferCheck {
public:
  explicit BufferCheck(EmitContext &emit) : emit(emit), b(emit.context) {
    row = llvm::StructType::get(emit.context, {emit.i32, emit.i32, emit.i32, emit.i32, emit.i64, emit.pointer});
  }

  llvm::Function *get() {
    if (auto *known = emit.module.getFunction("check_buffers"))
      return known;
    auto *type = llvm::FunctionType::get(
        emit.i32, {emit.pointer, emit.pointer, emit.pointer, emit.pointer, emit.pointer, emit.i64}, false);
    function = emit.function("check_buffers", type, false, {});
    function->addFnAttr(llvm::Attribute::NoInline);
    b.SetInsertPoint(llvm::BasicBlock::Create(emit.context, "", function));
    b.SetCurrentDebugLocation(emit.debugLoc(function, {}));
    llvm::Value *count = function->getArg(5);
    loop(count, [&](llvm::Value *i) { checkOne(i); });
    loop(count, [&](llvm::Value *i) {
      onlyIf(b.CreateAnd(isWritten(i), isNotEmpty(i)), [&] { loop(count, [&](llvm::Value *j) { checkPair(i, j); }); });
    });
    b.CreateRet(b.getInt32(0));
    return function;
  }

  llvm::Constant *rows(llvm::ArrayRef<CheckedBuffer> buffers) {
    llvm::SmallVector<llvm::Constant *> rows;
    for (const CheckedBuffer &buffer : buffers)
      rows.push_back(llvm::ConstantStruct::get(row, {b.getInt32(buffer.offset), b.getInt32(buffer.alignment),
                                                     b.getInt32(buffer.place.line), b.getInt32(buffer.place.column),
                                                     b.getInt64(buffer.isWritten), emit.string(buffer.name)}));
    return table(llvm::ConstantArray::get(llvm::ArrayType::get(row, rows.size()), rows), "buffers");
  }

  llvm::Constant *table(llvm::Constant *data, llvm::StringRef name) {
    auto *global = new llvm::GlobalVariable(emit.module, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, name);
    global->setAlignment(llvm::Align(8));
    return global;
  }

private:
  llvm::BasicBlock *block(const char *name) { return llvm::BasicBlock::Create(emit.context, name, function); }

  /// Emits body(i) for i in [0, count), count > 0.
  template <typename Body>
  void loop(llvm::Value *count, Body body) {
    llvm::BasicBlock *before = b.GetInsertBlock(), *start = block("loop"), *end = block("end");
    b.CreateBr(start);
    b.SetInsertPoint(start);
    llvm::PHINode *i = b.CreatePHI(emit.i64, 2);
    i->addIncoming(b.getInt64(0), before);
    body(i);
    llvm::Value *next = b.CreateAdd(i, b.getInt64(1));
    i->addIncoming(next, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpULT(next, count), start, end);
    b.SetInsertPoint(end);
  }

  template <typename Body>
  void onlyIf(llvm::Value *condition, Body body) {
    llvm::BasicBlock *then = block("then"), *after = block("after");
    b.CreateCondBr(condition, then, after);
    b.SetInsertPoint(then);
    body();
    b.CreateBr(after);
    b.SetInsertPoint(after);
  }

  llvm::Value *field(llvm::Value *i, unsigned number) {
    llvm::Value *place = b.CreateInBoundsGEP(row, function->getArg(3), {i, b.getInt32(number)});
    return b.CreateLoad(row->getElementType(number), place);
  }
  llvm::Value *isWritten(llvm::Value *i) { return b.CreateICmpNE(field(i, 4), b.getInt64(0)); }
  llvm::Value *size(llvm::Value *i) { return b.CreateLoad(emit.i64, b.CreateInBoundsGEP(emit.i64, function->getArg(4), i)); }
  llvm::Value *isNotEmpty(llvm::Value *i) { return b.CreateICmpNE(size(i), b.getInt64(0)); }
  llvm::Value *address(llvm::Value *i) {
    return b.CreateLoad(emit.i64, b.CreateInBoundsGEP(b.getInt8Ty(), function->getArg(0), field(i, 0)));
  }

  /// Emits a branch that returns `status` if `bad` holds, with buffer i as the argument of the report.
  void refuse(llvm::Value *bad, Status status, llvm::Value *i, llvm::Value *other, llvm::Value *expected, llvm::Value *actual) {
    llvm::BasicBlock *wrong = block("wrong"), *next = block("next");
    b.CreateCondBr(bad, wrong, next);
    b.SetInsertPoint(wrong);
    emitReport(emit, b, function->getArg(1), b.getInt32(status),
               {field(i, 2), field(i, 3), emit.fileOf({}), emit.string(""), function->getArg(2), emit.string("func.func"),
                field(i, 5), other, expected, actual});
    b.CreateRet(b.getInt32(status));
    b.SetInsertPoint(next);
  }

  void checkOne(llvm::Value *i) {
    llvm::Value *zero = b.getInt64(0), *bytes = size(i), *none = emit.string("");
    refuse(b.CreateICmpSLT(bytes, zero), Dimension, i, emit.string("bytes"), b.getInt64(INT64_MAX), bytes);
    llvm::Value *begin = address(i);
    llvm::Value *isMissing = b.CreateAnd(b.CreateICmpEQ(begin, zero), isNotEmpty(i)); // an empty buffer may be null
    refuse(isMissing, NullArgument, i, none, b.getInt64(1), zero);
    llvm::Value *alignment = b.CreateZExt(field(i, 1), emit.i64),
                *rest = b.CreateAnd(begin, b.CreateSub(alignment, b.getInt64(1)));
    refuse(b.CreateICmpNE(rest, zero), Misaligned, i, none, alignment, rest);
  }

  /// Checks a pair of buffers; a pair of two written ones is checked once, under the name of the first. An empty buffer
  /// overlaps nothing.
  void checkPair(llvm::Value *i, llvm::Value *j) {
    llvm::Value *begin = address(i), *otherBegin = address(j);
    llvm::Value *isNew = b.CreateSelect(isWritten(j), b.CreateICmpULT(i, j), b.CreateICmpNE(i, j));
    llvm::Value *meet = b.CreateAnd(b.CreateICmpULT(begin, b.CreateAdd(otherBegin, size(j))),
                                    b.CreateICmpULT(otherBegin, b.CreateAdd(begin, size(i))));
    refuse(b.CreateAnd(b.CreateAnd(isNew, isNotEmpty(j)), meet), Overlap, i, field(j, 5), b.getInt64(0), b.getInt64(0));
  }

  EmitContext &emit;
  llvm::IRBuilder<> b;
  llvm::StructType *row;
  llvm::Function *function = nullptr;
};

/// Returns the sizes as an array, which is constant if all of them are.
llvm::Value *sizesOf(EmitContext &emit, llvm::IRBuilder<> &builder, llvm::ArrayRef<CheckedBuffer> buffers) {
  llvm::SmallVector<llvm::Constant *> known;
  for (const CheckedBuffer &buffer : buffers)
    if (auto *size = llvm::dyn_cast<llvm::Constant>(buffer.size))
      known.push_back(size);
  auto *type = llvm::ArrayType::get(emit.i64, buffers.size());
  if (known.size() == buffers.size())
    return BufferCheck(emit).table(llvm::ConstantArray::get(type, known), "sizes");
  llvm::Value *sizes = builder.CreateAlloca(type);
  for (size_t i = 0; i < buffers.size(); ++i)
    builder.CreateStore(buffers[i].size, builder.CreateConstInBoundsGEP1_64(emit.i64, sizes, i));
  return sizes;
}
} // namespace

llvm::Value *lathe::emitBufferChecks(EmitContext &emit, llvm::IRBuilder<> &builder, const Signature &signature,
                                     llvm::Value *args, llvm::Value *error, llvm::ArrayRef<CheckedBuffer> buffers) {
  BufferCheck check(emit);
  return builder.CreateCall(check.get(), {args, error, emit.string(signature.name), check.rows(buffers),
                                          sizesOf(emit, builder, buffers), builder.getInt64(buffers.size())});
}
