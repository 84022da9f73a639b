#include "codegen/Emit/EntryEmitter.h"
#include "codegen/Emit/CheckFunctions.h"
#include "codegen/Emit/CpuLevel.h"
#include "passes/Plan/Liveness.h"
#include "passes/Plan/Plan.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Intrinsics.h"

using namespace lathe;

EmitContext::EmitContext(llvm::Module &module, const ModuleSignature &signature, const cpu::Target &target)
    : module(module), signature(signature), target(target), context(module.getContext()), i32(llvm::Type::getInt32Ty(context)),
      i64(llvm::Type::getInt64Ty(context)), pointer(llvm::PointerType::get(context, 0)) {
  llvm::DIBuilder debug(module, false);
  if (module.debug_compile_units().empty())
    unit = debug.createCompileUnit(
        llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C11), debug.createFile(signature.source, "."), "lathe", true, "", 0, "",
        llvm::DICompileUnit::FullDebug, 0, false, false, llvm::DICompileUnit::DebugNameTableKind::None);
  else
    unit = *module.debug_compile_units_begin();
  debug.finalize();
}

llvm::Constant *EmitContext::string(llvm::StringRef text) {
  if (text.empty())
    return llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
  llvm::Constant *&known = strings[text.str()];
  if (!known) {
    auto *data = llvm::ConstantDataArray::getString(context, text);
    auto *global = new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, "text");
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    global->setAlignment(llvm::Align(1));
    known = global;
  }
  return known;
}

llvm::Function *EmitContext::function(llvm::StringRef name, llvm::FunctionType *type, bool exported, SourcePlace place,
                                      bool baseline) {
  auto linkage = exported ? llvm::GlobalValue::ExternalLinkage : llvm::GlobalValue::InternalLinkage;
  auto *result = llvm::Function::Create(type, linkage, name, module);
  if (baseline)
    result->addFnAttr(kBaselineAttr);
  llvm::DIBuilder debug(module, false, unit);
  auto *routine = debug.createSubroutineType(debug.getOrCreateTypeArray({}));
  auto flags = llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized;
  if (!exported)
    flags |= llvm::DISubprogram::SPFlagLocalToUnit;
  result->setSubprogram(debug.createFunction(unit->getFile(), name, name, unit->getFile(), place.line, routine, place.line,
                                             llvm::DINode::FlagZero, flags));
  debug.finalizeSubprogram(result->getSubprogram());
  return result;
}

llvm::DebugLoc EmitContext::debugLoc(llvm::Function *function, SourcePlace place) {
  return llvm::DILocation::get(context, place.line, place.column, function->getSubprogram());
}

llvm::Value *lathe::emitDim(llvm::IRBuilder<> &builder, const Dim &dim, const std::map<std::string, llvm::Value *> &names) {
  llvm::Value *sum = builder.getInt64(0);
  for (auto &[monomial, coefficient] : dim.getTerms()) {
    llvm::Value *term = builder.getInt64(coefficient);
    for (const std::string &name : monomial)
      term = builder.CreateMul(term, names.at(name));
    sum = builder.CreateAdd(sum, term);
  }
  return sum;
}

llvm::Value *lathe::emitCheckedDim(llvm::IRBuilder<> &builder, const Dim &dim,
                                   const std::map<std::string, llvm::Value *> &names) {
  llvm::Value *overflowed = builder.getFalse();
  auto checked = [&](llvm::Intrinsic::ID id, llvm::Value *a, llvm::Value *b) {
    llvm::Value *pair = builder.CreateBinaryIntrinsic(id, a, b);
    overflowed = builder.CreateOr(overflowed, builder.CreateExtractValue(pair, 1));
    return builder.CreateExtractValue(pair, 0);
  };
  llvm::Value *sum = builder.getInt64(0);
  for (auto &[monomial, coefficient] : dim.getTerms()) {
    llvm::Value *term = builder.getInt64(coefficient);
    for (const std::string &name : monomial)
      term = checked(llvm::Intrinsic::smul_with_overflow, term, names.at(name));
    sum = checked(llvm::Intrinsic::sadd_with_overflow, sum, term);
  }
  return builder.CreateSelect(overflowed, builder.getInt64(-1), sum);
}

namespace {

constexpr int64_t kPieces = 32; // of a parallel loop, whatever the number of threads
constexpr int64_t kSlots = 16;

/// Calls the kernels of one version, one after the other.
class VersionEmitter {
public:
  VersionEmitter(EmitContext &emit, const Signature &signature, const Version &version, const KernelSymbols &kernels,
                 llvm::GlobalVariable *kernelTable)
      : emit(emit), signature(signature), version(version), kernels(kernels), kernelTable(kernelTable), builder(emit.context) {}

  llvm::Function *run() {
    auto *type = llvm::FunctionType::get(emit.i32, {emit.pointer}, false);
    std::string suffix;
    for (char c : version.name)
      suffix += llvm::isAlnum(c) ? c : '_';
    function =
        emit.function(signature.symbol + emit.levelSuffix + "." + suffix, type, false, signature.place, /*baseline=*/false);
    args = function->getArg(0);
    builder.SetInsertPoint(llvm::BasicBlock::Create(emit.context, "", function));
    builder.SetCurrentDebugLocation(emit.debugLoc(function, signature.place));
    for (const DimensionField &dimension : signature.dimensions) {
      auto fixed = version.fixed.find(dimension.name);
      dims[dimension.name] = fixed != version.fixed.end() ? builder.getInt64(fixed->second) : load(emit.i64, dimension.offset);
    }
    reserveClosure();
    unsigned row = 0;
    for (auto kernel : kernelsOf(version))
      call(kernel, row++);
    builder.CreateRet(builder.getInt32(0));
    return function;
  }

private:
  llvm::Value *load(llvm::Type *type, unsigned offset) {
    return builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), args, offset));
  }

  void reserveClosure() {
    size_t words = 1;
    for (auto kernel : kernelsOf(version)) {
      size_t needed = kernel.getNumOperands() + kernel.getNumResults() + kernels.find(kernel)->second.symbols.size();
      if (externOf(kernel)) // the extents of its tensors go there
        for (mlir::Value value : llvm::concat<mlir::Value>(kernel.getOperands(), kernel.getResults()))
          needed += dimsOf(value).size();
      words = std::max(words, needed);
    }
    closure = builder.CreateAlloca(emit.i64, builder.getInt64(words));
    if (signature.usesContext)
      contextPointer = load(emit.pointer, signature.contextOffset);
  }

  llvm::Value *statePointer(unsigned index) {
    if (!state)
      state = load(emit.pointer, signature.stateOffset);
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state, emit.signature.state[index].offset);
  }

  llvm::Value *argumentPointer(bool isOutput, unsigned index) {
    const auto &states = isOutput ? signature.stateResults : signature.stateArguments;
    if (auto it = states.find(index); it != states.end())
      return statePointer(it->second);
    for (const ArgumentField &field : signature.arguments)
      if (field.isOutput == isOutput && field.index == index)
        return load(emit.pointer, field.offset);
    llvm_unreachable("every argument is a field or state");
  }

  llvm::Value *pointerOf(mlir::Value value) {
    value = memoryOf(value);
    if (llvm::Value *known = pointers.lookup(value))
      return known;
    llvm::Value *made = nullptr;
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
      made = argumentPointer(false, argument.getArgNumber());
    else if (auto constant = value.getDefiningOp<ConstantOp>())
      made = constantData(constant);
    else
      made = resultPointer(mlir::cast<mlir::OpResult>(value));
    return pointers[value] = made;
  }

  llvm::Value *resultPointer(mlir::OpResult result) {
    auto buffers = result.getOwner()->getAttrOfType<mlir::ArrayAttr>(kBuffersAttr);
    auto buffer = mlir::cast<BufferAttr>(buffers[result.getResultNumber()]);
    if (buffer.getKind() == BufferKind::Result)
      return argumentPointer(true, buffer.getIndex());
    if (!workspace)
      workspace = load(emit.pointer, signature.workspaceOffset);
    return builder.CreateGEP(builder.getInt8Ty(), workspace, emitDim(builder, Dim::fromAttr(buffer.getOffset()), dims));
  }

  llvm::Constant *constantData(ConstantOp constant) {
    auto dense = mlir::cast<mlir::DenseElementsAttr>(constant.getValue());
    std::vector<char> bytes;
    if (dense.getElementType().isInteger(1)) {
      for (bool value : dense.getValues<bool>())
        bytes.push_back(value);
    } else {
      llvm::ArrayRef<char> raw = dense.getRawData();
      for (int64_t i = 0, n = dense.isSplat() ? dense.getNumElements() : 1; i < n; ++i)
        bytes.insert(bytes.end(), raw.begin(), raw.end());
    }
    auto *data = llvm::ConstantDataArray::get(emit.context,
                                              llvm::ArrayRef<uint8_t>(reinterpret_cast<uint8_t *>(bytes.data()), bytes.size()));
    auto *global =
        new llvm::GlobalVariable(emit.module, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, "constant");
    global->setAlignment(llvm::Align(64));
    return global;
  }

  void call(KernelOp kernel, unsigned row) {
    const KernelSymbol &symbol = kernels.find(kernel)->second;
    llvm::SmallVector<llvm::Value *> words;
    for (mlir::Value input : kernel.getInputs())
      words.push_back(pointerOf(input));
    for (mlir::Value output : kernel.getResults())
      words.push_back(pointerOf(output));
    builder.SetCurrentDebugLocation(emit.debugLoc(function, sourcePlace(kernel.getLoc())));
    if (ExternOp op = externOf(kernel))
      return callExtern(op, kernel, words, row);
    for (const std::string &name : symbol.symbols)
      words.push_back(dims.at(name));
    for (auto [i, word] : llvm::enumerate(words))
      builder.CreateStore(word, builder.CreateConstInBoundsGEP1_64(emit.i64, closure, i));
    llvm::Value *count = emitDim(builder, symbol.extent, dims);
    if (symbol.unit != 1)
      count = builder.CreateUDiv(builder.CreateAdd(count, builder.getInt64(symbol.unit - 1)), builder.getInt64(symbol.unit));
    profile(row, true);
    dispatch(symbol, count);
    profile(row, false);
  }

  /// Ends the version where the function fails.
  void callExtern(ExternOp op, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row) {
    profile(row, true);
    llvm::Value *status = emitExternCall(emit, builder, kernel, buffers, closure, dims);
    profile(row, false);
    auto *failed = llvm::BasicBlock::Create(emit.context, "failed", function);
    auto *next = llvm::BasicBlock::Create(emit.context, "next", function);
    builder.CreateCondBr(builder.CreateICmpNE(status, builder.getInt32(0)), failed, next);
    builder.SetInsertPoint(failed);
    SourcePlace place = sourcePlace(kernel.getLoc());
    builder.CreateCall(reportFunction(emit), {load(emit.pointer, signature.errorOffset), status, builder.getInt32(place.line),
                                              builder.getInt32(place.column), emit.string(signature.name),
                                              emit.string("lathe.extern"), emit.string(op.getCallee()), emit.string(""),
                                              builder.getInt64(0), builder.CreateSExt(status, emit.i64)});
    builder.CreateRet(status);
    builder.SetInsertPoint(next);
  }

  void dispatch(const KernelSymbol &symbol, llvm::Value *count) {
    llvm::Function *code = emit.module.getFunction(symbol.name + emit.levelSuffix);
    llvm::Value *zero = builder.getInt64(0);
    if (!contextPointer || symbol.isNeverParallel(emit.signature.parallelWork)) {
      builder.CreateCall(code, {closure, zero, zero, count});
      return;
    }
    llvm::Value *worth = builder.CreateAnd(
        builder.CreateIsNotNull(contextPointer),
        builder.CreateICmpSGE(emitDim(builder, symbol.work, dims), builder.getInt64(emit.signature.parallelWork)));
    auto *parallel = llvm::BasicBlock::Create(emit.context, "parallel", function);
    auto *serial = llvm::BasicBlock::Create(emit.context, "serial", function);
    auto *next = llvm::BasicBlock::Create(emit.context, "next", function);
    builder.CreateCondBr(worth, parallel, serial);
    builder.SetInsertPoint(serial);
    builder.CreateCall(code, {closure, zero, zero, count});
    builder.CreateBr(next);
    builder.SetInsertPoint(parallel);
    // struct lathe_context: abi_version, cpu_level, parallel_for, profile
    llvm::Value *hook =
        builder.CreateLoad(emit.pointer, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), contextPointer, 8));
    auto *type = llvm::FunctionType::get(builder.getVoidTy(),
                                         {emit.pointer, emit.pointer, emit.pointer, emit.i64, emit.i64, emit.i64}, false);
    llvm::Value *grain = builder.CreateUDiv(builder.CreateAdd(count, builder.getInt64(kPieces - 1)), builder.getInt64(kPieces));
    grain = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, grain, builder.getInt64(1));
    builder.CreateCall(type, hook, {contextPointer, code, closure, count, grain, builder.getInt64(kSlots)});
    builder.CreateBr(next);
    builder.SetInsertPoint(next);
  }

  void profile(unsigned row, bool begin) {
    if (!contextPointer || !kernelTable)
      return;
    auto *ask = llvm::BasicBlock::Create(emit.context, "ask", function);
    auto *tell = llvm::BasicBlock::Create(emit.context, "tell", function);
    auto *next = llvm::BasicBlock::Create(emit.context, "next", function);
    builder.CreateCondBr(builder.CreateIsNotNull(contextPointer), ask, next);
    builder.SetInsertPoint(ask);
    llvm::Value *hook =
        builder.CreateLoad(emit.pointer, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), contextPointer, 16));
    builder.CreateCondBr(builder.CreateIsNotNull(hook), tell, next);
    builder.SetInsertPoint(tell);
    auto *type = llvm::FunctionType::get(builder.getVoidTy(), {emit.pointer, emit.pointer, emit.i32}, false);
    llvm::Value *entry = builder.CreateConstInBoundsGEP2_64(kernelTable->getValueType(), kernelTable, 0, row);
    builder.CreateCall(type, hook, {contextPointer, entry, builder.getInt32(begin)});
    builder.CreateBr(next);
    builder.SetInsertPoint(next);
  }

  EmitContext &emit;
  const Signature &signature;
  const Version &version;
  const KernelSymbols &kernels;
  llvm::GlobalVariable *kernelTable;
  llvm::IRBuilder<> builder;
  llvm::Function *function = nullptr;
  llvm::Value *args = nullptr, *closure = nullptr, *state = nullptr, *workspace = nullptr, *contextPointer = nullptr;
  std::map<std::string, llvm::Value *> dims;
  llvm::DenseMap<mlir::Value, llvm::Value *> pointers;
};
} // namespace

llvm::Function *lathe::emitVersion(EmitContext &emit, const Signature &signature, const Version &version,
                                   const KernelSymbols &kernels, llvm::GlobalVariable *kernelTable) {
  return VersionEmitter(emit, signature, version, kernels, kernelTable).run();
}

void lathe::emitWorkspaceSize(EmitContext &emit, const Signature &signature) {
  llvm::IRBuilder<> builder(emit.context);
  llvm::SmallVector<llvm::Type *> parameters(signature.dimensions.size(), emit.i64);
  auto *function = emit.function(signature.symbol + "_workspace_size", llvm::FunctionType::get(emit.i64, parameters, false),
                                 true, signature.place);
  builder.SetInsertPoint(llvm::BasicBlock::Create(emit.context, "", function));
  std::map<std::string, llvm::Value *> dims;
  llvm::Value *valid = builder.getTrue();
  for (auto [field, value] : llvm::zip_equal(signature.dimensions, function->args())) {
    dims[field.name] = &value;
    valid = builder.CreateAnd(valid, builder.CreateICmpSGE(&value, builder.getInt64(field.minimum)));
    valid = builder.CreateAnd(valid, builder.CreateICmpSLE(&value, builder.getInt64(field.maximum)));
    if (field.multipleOf > 1)
      valid = builder.CreateAnd(
          valid, builder.CreateICmpEQ(builder.CreateURem(&value, builder.getInt64(field.multipleOf)), builder.getInt64(0)));
  }
  for (const RequiredExtent &required : signature.requirements)
    valid = builder.CreateAnd(valid, builder.CreateICmpSGE(emitDim(builder, required.extent, dims), builder.getInt64(0)));
  builder.CreateRet(builder.CreateSelect(valid, emitCheckedDim(builder, signature.workspace, dims), builder.getInt64(-1)));
}

void lathe::emitEntry(EmitContext &emit, const Signature &signature, llvm::ArrayRef<Version> versions,
                      llvm::ArrayRef<llvm::Function *> bodies) {
  llvm::IRBuilder<> builder(emit.context);
  auto *function = emit.function(signature.symbol + emit.levelSuffix, llvm::FunctionType::get(emit.i32, {emit.pointer}, false),
                                 true, signature.place);
  builder.SetInsertPoint(llvm::BasicBlock::Create(emit.context, "", function));
  builder.SetCurrentDebugLocation(emit.debugLoc(function, signature.place));
  llvm::Value *args = function->getArg(0);
  std::map<std::string, llvm::Value *> dims;
  emitArgumentChecks(emit, signature, builder, args, dims);
  for (auto [version, body] : llvm::zip_equal(versions, bodies)) {
    llvm::Value *matches = builder.getTrue();
    for (auto &[name, value] : version.fixed)
      matches = builder.CreateAnd(matches, builder.CreateICmpEQ(dims.at(name), builder.getInt64(value)));
    auto *run = llvm::BasicBlock::Create(emit.context, "run", function);
    auto *next = llvm::BasicBlock::Create(emit.context, "next", function);
    builder.CreateCondBr(matches, run, next);
    builder.SetInsertPoint(run);
    builder.CreateRet(builder.CreateCall(body, {args}));
    builder.SetInsertPoint(next);
  }
  builder.CreateUnreachable(); // the last version is general, or its dimensions are the only ones that the checks allow
}

void lathe::emitDispatch(EmitContext &emit, const Signature &signature, llvm::ArrayRef<cpu::Target> levels) {
  llvm::IRBuilder<> builder(emit.context);
  auto *function =
      emit.function(signature.symbol, llvm::FunctionType::get(emit.i32, {emit.pointer}, false), true, signature.place);
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(emit.context, name, function); };
  builder.SetInsertPoint(block(""));
  llvm::BasicBlock *lowest = block("lowest"), *given = block("given");
  builder.SetCurrentDebugLocation(emit.debugLoc(function, signature.place));
  auto callLevel = [&](const cpu::Target &target) {
    llvm::Function *entry = emit.module.getFunction(signature.symbol + levelSuffixOf(target));
    builder.CreateRet(builder.CreateCall(entry, {function->getArg(0)}));
  };
  // The lowest level's entry reports what is wrong with the arguments, or with the CPU.
  builder.CreateCondBr(builder.CreateIsNull(function->getArg(0)), lowest, given);
  builder.SetInsertPoint(lowest);
  callLevel(levels.front());
  builder.SetInsertPoint(given);
  llvm::Value *context = nullptr;
  if (signature.usesContext)
    context = builder.CreateLoad(
        emit.pointer, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), function->getArg(0), signature.contextOffset));
  llvm::Value *level = emitLevel(emit, builder, context);
  for (const cpu::Target &target : llvm::reverse(levels.drop_front())) {
    llvm::BasicBlock *take = block("take"), *next = block("next");
    builder.CreateCondBr(builder.CreateICmpUGE(level, builder.getInt32(target.level)), take, next);
    builder.SetInsertPoint(take);
    callLevel(target);
    builder.SetInsertPoint(next);
  }
  builder.CreateBr(lowest);
}
