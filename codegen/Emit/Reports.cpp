// Asserts, prints and checks in a version's code. Failures come from a search for the first wrong element in the buffers:
//
//   index = search(data, count, limit)            // blocks of 64 elements as vectors, then one by one
//   if index >= 0: fill the error record, store the index of the element in it, return the status
#include "codegen/Emit/Reports.h"
#include "llvm/ADT/APFloat.h"

using namespace lathe;

namespace {
enum class Wanted { False, NaN, NotFinite, Outside };

unsigned bitsOf(mlir::Type element) { return std::max(8u, element.getIntOrFloatBitWidth()); } // an i1 is a byte

/// Emits `int64_t search(data *, count, limit)`: the index of the first wanted element, or -1 if there is none.
class SearchFunction {
public:
  SearchFunction(EmitContext &emit, Wanted wanted, mlir::Type element)
      : emit(emit), wanted(wanted), element(element), b(emit.context) {}

  llvm::Function *get() {
    std::string name = "search." + std::to_string(int(wanted)) + "." + elementText(element);
    if (auto *known = emit.module.getFunction(name))
      return known;
    auto *type = llvm::FunctionType::get(emit.i64, {emit.pointer, emit.i64, emit.i64}, false);
    function = emit.function(name, type, false, {});
    function->addFnAttr(llvm::Attribute::NoInline);
    llvm::BasicBlock *begin = block(""), *one = block("one"), *none = block("none");
    b.SetInsertPoint(begin);
    b.SetCurrentDebugLocation(emit.debugLoc(function, {}));
    searchBlocks(begin, one);
    searchOnes(one, none);
    b.SetInsertPoint(none);
    b.CreateRet(b.getInt64(-1));
    return function;
  }

private:
  static constexpr unsigned kBlock = 64; // elements that are tested together

  llvm::BasicBlock *block(const char *text) { return llvm::BasicBlock::Create(emit.context, text, function); }
  llvm::Type *word() { return b.getIntNTy(bitsOf(element)); }

  llvm::Value *isWantedAt(llvm::Type *type, llvm::Value *i) {
    llvm::Value *place = b.CreateInBoundsGEP(word(), function->getArg(0), i);
    return isWanted(b.CreateAlignedLoad(type, place, llvm::Align(bitsOf(element) / 8)));
  }

  /// Searches whole blocks up to one with a wanted element, or up to the last whole block. The search continues there one by
  /// one.
  void searchBlocks(llvm::BasicBlock *begin, llvm::BasicBlock *one) {
    llvm::BasicBlock *head = block("blocks"), *look = block("look.block"), *on = block("on.block");
    llvm::Value *last = b.CreateSub(function->getArg(1), b.getInt64(kBlock));
    b.CreateBr(head);
    b.SetInsertPoint(head);
    from = b.CreatePHI(emit.i64, 2);
    from->addIncoming(b.getInt64(0), begin);
    b.CreateCondBr(b.CreateICmpSLE(from, last), look, one);
    b.SetInsertPoint(look);
    llvm::Value *wantedOnes = isWantedAt(llvm::FixedVectorType::get(word(), kBlock), from);
    b.CreateCondBr(b.CreateOrReduce(wantedOnes), one, on);
    b.SetInsertPoint(on);
    from->addIncoming(b.CreateAdd(from, b.getInt64(kBlock)), on);
    b.CreateBr(head);
  }

  void searchOnes(llvm::BasicBlock *one, llvm::BasicBlock *none) {
    llvm::BasicBlock *head = block("ones"), *look = block("look"), *found = block("found"), *on = block("on");
    b.SetInsertPoint(one);
    b.CreateBr(head);
    b.SetInsertPoint(head);
    llvm::PHINode *i = b.CreatePHI(emit.i64, 2);
    i->addIncoming(from, one);
    b.CreateCondBr(b.CreateICmpSLT(i, function->getArg(1)), look, none);
    b.SetInsertPoint(look);
    b.CreateCondBr(isWantedAt(word(), i), found, on);
    b.SetInsertPoint(found);
    b.CreateRet(i);
    b.SetInsertPoint(on);
    i->addIncoming(b.CreateAdd(i, b.getInt64(1)), on);
    b.CreateBr(head);
  }

  /// Tests the bits of one element or of a vector of elements.
  llvm::Value *isWanted(llvm::Value *bits) {
    llvm::Type *type = bits->getType();
    auto number = [&](const llvm::APInt &value) { return llvm::ConstantInt::get(type, value); };
    if (wanted == Wanted::False)
      return b.CreateICmpEQ(bits, llvm::Constant::getNullValue(type));
    if (wanted == Wanted::Outside) { // unsigned: negative values are too large
      llvm::Value *limit = function->getArg(2);
      if (type->isVectorTy())
        limit = b.CreateVectorSplat(kBlock, limit);
      return b.CreateICmpUGE(b.CreateSExt(bits, limit->getType()), limit);
    }
    llvm::APInt exponent = llvm::APFloat::getInf(mlir::cast<mlir::FloatType>(element).getFloatSemantics()).bitcastToAPInt();
    llvm::APInt magnitude = llvm::APInt::getSignedMaxValue(exponent.getBitWidth());
    llvm::Value *unsignedBits = b.CreateAnd(bits, number(magnitude));
    return b.CreateICmp(wanted == Wanted::NaN ? llvm::CmpInst::ICMP_UGT : llvm::CmpInst::ICMP_UGE, unsignedBits,
                        number(exponent));
  }

  EmitContext &emit;
  Wanted wanted;
  mlir::Type element;
  llvm::IRBuilder<> b;
  llvm::Function *function = nullptr;
  llvm::PHINode *from = nullptr; // where the search one by one begins
};

mlir::Type elementTypeOf(mlir::Value value) { return mlir::cast<mlir::RankedTensorType>(value.getType()).getElementType(); }

/// Returns the value outside the kernel for an input of its only op.
mlir::Value outside(mlir::Value value) {
  auto argument = mlir::cast<mlir::BlockArgument>(value);
  return mlir::cast<KernelOp>(argument.getOwner()->getParentOp()).getInputs()[argument.getArgNumber()];
}
} // namespace

static llvm::Value *search(EmitContext &emit, llvm::IRBuilder<> &builder, Wanted wanted, mlir::Value value, llvm::Value *data,
                           llvm::Value *count, llvm::Value *limit = nullptr) {
  llvm::Function *function = SearchFunction(emit, wanted, elementTypeOf(value)).get();
  return builder.CreateCall(function, {data, count, limit ? limit : builder.getInt64(0)});
}

void ReportEmitter::failAt(llvm::Value *found, mlir::Value value, SourcePlace place, const Failure &failure) {
  llvm::Value *status = builder.getInt32(failure.status), *error = frame.load(emit.pointer, signature.errorOffset);
  lathe::emitReport(emit, builder, error, status,
                    recordAt(emit, place, signature.name, failure.op, "", failure.other, failure.expected, failure.actual));
  if (unsigned rank = dimsOf(value).size())
    builder.CreateCall(indexFunction(emit), {error, found, builder.getInt32(rank), frame.storeExtents(value)});
  leave(status);
}

void ReportEmitter::fail(llvm::Value *status, SourcePlace place, llvm::StringRef op, llvm::StringRef argument,
                         llvm::Value *expected, llvm::Value *actual) {
  lathe::emitReport(emit, builder, frame.load(emit.pointer, signature.errorOffset), status,
                    recordAt(emit, place, signature.name, op, argument, emit.string(""), expected, actual));
  leave(status);
}

void ReportEmitter::leave(llvm::Value *status) {
  if (device) // pending work must end; the reported status comes first
    device->finish(/*fillsError=*/false);
  builder.CreateRet(status);
}

/// Branches on whether an element was found. The builder continues in the first returned block, where it was.
std::pair<llvm::BasicBlock *, llvm::BasicBlock *> ReportEmitter::branchOn(llvm::Value *found) {
  std::pair blocks(frame.block("wrong"), frame.block("next"));
  builder.CreateCondBr(builder.CreateICmpSGE(found, builder.getInt64(0)), blocks.first, blocks.second);
  builder.SetInsertPoint(blocks.first);
  return blocks;
}

void ReportEmitter::emitAssert(AssertOp op) {
  mlir::Value predicate = outside(op.getPredicate());
  llvm::Value *found = search(emit, builder, Wanted::False, predicate, memory.hostData(predicate), frame.countOf(predicate));
  llvm::BasicBlock *next = branchOn(found).second;
  llvm::Value *zero = builder.getInt64(0);
  failAt(found, predicate, sourcePlace(op.getLoc()), {AssertionFailed, "lathe.assert", emit.string(op.getText()), zero, zero});
  builder.SetInsertPoint(next);
}

/// Reports a NaN if no source has one, and an infinity if all sources are finite. Sources are searched only if the value has
/// either.
void ReportEmitter::emitFiniteCheck(CheckOp op) {
  mlir::Value value = outside(op.getValue());
  llvm::SmallVector<mlir::Value> sources = llvm::map_to_vector(op.getSources(), outside);
  llvm::Value *data = memory.hostData(value), *zero = builder.getInt64(0);
  Pointers given; // computed before the branch
  for (auto [i, source] : llvm::enumerate(sources))
    given.push_back(memory.hostData(source, i + 1));
  llvm::Value *found = search(emit, builder, Wanted::NotFinite, value, data, frame.countOf(value));
  llvm::BasicBlock *next = branchOn(found).second;
  auto failUnlessGiven = [&](Wanted wanted, llvm::Value *place, llvm::BasicBlock *otherwise, llvm::StringRef what) {
    for (auto [source, pointer] : llvm::zip_equal(sources, given)) {
      llvm::Value *before = search(emit, builder, wanted, source, pointer, frame.countOf(source));
      llvm::BasicBlock *maker = frame.block("maker");
      builder.CreateCondBr(builder.CreateICmpSGE(before, zero), otherwise, maker);
      builder.SetInsertPoint(maker);
    }
    failAt(place, value, sourcePlace(op.getLoc()), {NotFinite, op.getSubject(), emit.string(what), zero, zero});
    builder.SetInsertPoint(otherwise);
  };
  llvm::Value *nan = search(emit, builder, Wanted::NaN, value, data, frame.countOf(value));
  llvm::BasicBlock *infinite = branchOn(nan).second;
  failUnlessGiven(Wanted::NaN, nan, infinite, "a NaN");
  failUnlessGiven(Wanted::NotFinite, found, next, "an infinity");
}

void ReportEmitter::emitInsideCheck(CheckOp op) {
  mlir::Value value = outside(op.getValue());
  llvm::Value *data = memory.hostData(value), *below = emitDim(builder, dimsOf(*op.getBelow()).front(), dims);
  llvm::Value *found = search(emit, builder, Wanted::Outside, value, data, frame.countOf(value), below);
  llvm::BasicBlock *next = branchOn(found).second;
  llvm::Type *word = builder.getIntNTy(bitsOf(elementTypeOf(value)));
  llvm::Value *given = builder.CreateSExt(builder.CreateLoad(word, builder.CreateInBoundsGEP(word, data, found)), emit.i64);
  failAt(found, value, sourcePlace(op.getLoc()), {OutOfRange, op.getSubject(), emit.string(""), below, given});
  builder.SetInsertPoint(next);
}

void ReportEmitter::emitPrint(PrintOp op) {
  mlir::Value value = outside(op.getValue()), mask = op.getMask() ? outside(op.getMask()) : mlir::Value();
  if (!frame.contextPointer)
    return;
  frame.ifHooked(VersionFrame::Hook::Print, [&](llvm::Value *hook) {
    llvm::Value *data = memory.hostData(value), *maskData = mask ? memory.hostData(mask, 1) : emit.string("");
    // struct lathe_print_info: text, file, line, dtype, rank, mask_rank
    llvm::Constant *info = llvm::ConstantStruct::getAnon(
        emit.context, {emit.string(op.getText().value_or("")), emit.fileOf(sourcePlace(op.getLoc())),
                       builder.getInt32(sourcePlace(op.getLoc()).line), builder.getInt32(int(*elementOf(elementTypeOf(value)))),
                       builder.getInt32(dimsOf(value).size()), builder.getInt32(mask ? dimsOf(mask).size() : 0)});
    auto *global =
        new llvm::GlobalVariable(emit.module, info->getType(), true, llvm::GlobalValue::InternalLinkage, info, "print");
    auto *type = llvm::FunctionType::get(builder.getVoidTy(),
                                         {emit.pointer, emit.pointer, emit.pointer, emit.pointer, emit.pointer}, false);
    builder.CreateCall(type, hook, {frame.contextPointer, global, frame.storeExtents(value), data, maskData});
  });
}

void ReportEmitter::emitReport(mlir::Operation *op) {
  if (auto assertion = mlir::dyn_cast<AssertOp>(op))
    return emitAssert(assertion);
  if (auto print = mlir::dyn_cast<PrintOp>(op))
    return emitPrint(print);
  auto check = mlir::cast<CheckOp>(op);
  return check.getKind() == CheckKind::Finite ? emitFiniteCheck(check) : emitInsideCheck(check);
}
