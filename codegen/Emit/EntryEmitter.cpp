// The code of an entry, `lathe_status PREFIX_name(args *)`:
//
//   if args is null: return LATHE_ERROR_NULL_ARGUMENT
//   check CPU level, dimensions, required extents, buffers; report the first failure    // ArgumentChecks.cpp
//   if it has collectives: check the number of ranks, and that all call the same entry    // Collectives.cpp
//   if the context has a device: return the device version whose fixed sizes match      // DeviceCalls.cpp
//   for version, the general one last: if its fixed sizes match: return version(args)   // VersionEmitter.cpp
//
// An object with several CPU levels has such an entry for each, with the level's suffix. PREFIX_name then selects one:
//
//   level = the context's level, or that of the CPU
//   return the entry of the highest level up to `level`, or the lowest one, which reports an error
//
// Versions assume checked arguments.
#include "codegen/Emit/EntryEmitter.h"
#include "codegen/Emit/CheckFunctions.h"
#include "codegen/Emit/Collectives.h"
#include "codegen/Emit/CpuLevel.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lathe/runtime.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Intrinsics.h"

using namespace lathe;

EmitContext::EmitContext(llvm::Module &module, const ModuleSignature &signature, const VectorTarget &target,
                         ConstantPool &constants)
    : module(module), signature(signature), constants(constants), target(target), context(module.getContext()),
      i32(llvm::Type::getInt32Ty(context)), i64(llvm::Type::getInt64Ty(context)), pointer(llvm::PointerType::get(context, 0)) {
  llvm::DIBuilder debug(module, false);
  if (module.debug_compile_units().empty())
    unit =
        debug.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C11),
                                debug.createFile(signature.source, signature.debugFolder), "lathe", true, "", 0, "",
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
  llvm::DILocalScope *scope = function->getSubprogram();
  if (!place.file.empty() && place.file != signature.source)
    scope = llvm::DILexicalBlockFile::get(context, scope, llvm::DIFile::get(context, place.file, signature.debugFolder), 0);
  return llvm::DILocation::get(context, place.line, place.column, scope);
}

/// Emits ceil(sqrt(size)) for a size from 0 to 2^52, for which a double's square root is exact enough.
static llvm::Value *emitCeilSqrt(llvm::IRBuilder<> &builder, llvm::Value *size) {
  llvm::Value *root = builder.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, builder.CreateSIToFP(size, builder.getDoubleTy()));
  llvm::Value *below = builder.CreateFPToSI(root, builder.getInt64Ty());
  llvm::Value *isLess = builder.CreateICmpSLT(builder.CreateMul(below, below), size);
  return builder.CreateAdd(below, builder.CreateZExt(isLess, builder.getInt64Ty()));
}

/// Emits floor(value / by).
static llvm::Value *emitFloorDiv(llvm::IRBuilder<> &builder, llvm::Value *value, llvm::Value *by) {
  llvm::Value *isBelow = builder.CreateICmpSLT(builder.CreateSRem(value, by), builder.getInt64(0));
  return builder.CreateSub(builder.CreateSDiv(value, by), builder.CreateZExt(isBelow, builder.getInt64Ty()));
}

/// Emits ceil(value / by); no intermediate result overflows.
static llvm::Value *emitCeilDiv(llvm::IRBuilder<> &builder, llvm::Value *value, llvm::Value *by) {
  llvm::Value *isAbove = builder.CreateICmpSGT(builder.CreateSRem(value, by), builder.getInt64(0));
  return builder.CreateAdd(builder.CreateSDiv(value, by), builder.CreateZExt(isAbove, builder.getInt64Ty()));
}

/// Emits the value of a formula from those of its operands.
static llvm::Value *emitFormula(llvm::IRBuilder<> &builder, const DerivedDim &derived,
                                llvm::function_ref<llvm::Value *(const Dim &)> valueOf) {
  llvm::Value *first = valueOf(derived.operands[0]);
  llvm::Value *by = builder.getInt64(derived.divisor);
  if (derived.hasSizeAsDivisor()) // the entry refuses a size below 1, but only later
    by = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, valueOf(derived.operands[1]), builder.getInt64(1));
  switch (derived.kind) {
  case DerivedDim::CeilDiv:
    return emitCeilDiv(builder, first, by);
  case DerivedDim::FloorDiv:
    return emitFloorDiv(builder, first, by);
  case DerivedDim::CeilSqrt: // the entry refuses a negative operand, but only later
    return emitCeilSqrt(builder, builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first, builder.getInt64(0)));
  case DerivedDim::Max:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, first, valueOf(derived.operands[1]));
  case DerivedDim::Min:
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, first, valueOf(derived.operands[1]));
  case DerivedDim::Broadcast:
    return builder.CreateSelect(builder.CreateICmpEQ(first, builder.getInt64(1)), valueOf(derived.operands[1]), first);
  }
  return first;
}

llvm::Value *lathe::emitSize(llvm::IRBuilder<> &builder, const std::string &name,
                             const std::map<std::string, llvm::Value *> &names) {
  std::optional<DerivedDim> derived = derivedDim(name);
  return derived ? emitFormula(builder, *derived, [&](const Dim &dim) { return emitDim(builder, dim, names); })
                 : names.at(name);
}

llvm::Value *lathe::emitDim(llvm::IRBuilder<> &builder, const Dim &dim, const std::map<std::string, llvm::Value *> &names) {
  llvm::Value *sum = builder.getInt64(0);
  for (auto &[monomial, coefficient] : dim.getTerms()) {
    llvm::Value *term = builder.getInt64(coefficient);
    for (const std::string &name : monomial)
      term = builder.CreateMul(term, emitSize(builder, name, names));
    sum = builder.CreateAdd(sum, term);
  }
  return sum;
}

llvm::Value *lathe::emitItems(llvm::IRBuilder<> &builder, const Dim &extent, int64_t unit,
                              const std::map<std::string, llvm::Value *> &names) {
  llvm::Value *count = emitDim(builder, extent, names);
  if (unit == 1)
    return count;
  return builder.CreateUDiv(builder.CreateAdd(count, builder.getInt64(unit - 1)), builder.getInt64(unit));
}

namespace {
/// A size with a flag for overflow, in the size or in the operands of its formulas.
class CheckedSize {
public:
  CheckedSize(llvm::IRBuilder<> &builder, const std::map<std::string, llvm::Value *> &names)
      : builder(builder), names(names), overflowed(builder.getFalse()) {}

  llvm::Value *emit(const Dim &dim) {
    llvm::Value *sum = builder.getInt64(0);
    for (auto &[monomial, coefficient] : dim.getTerms()) {
      llvm::Value *term = builder.getInt64(coefficient);
      for (const std::string &name : monomial)
        term = checked(llvm::Intrinsic::smul_with_overflow, term, factor(name));
      sum = checked(llvm::Intrinsic::sadd_with_overflow, sum, term);
    }
    return sum;
  }
  llvm::Value *isTooLarge() const { return overflowed; }

private:
  llvm::Value *factor(const std::string &name) {
    std::optional<DerivedDim> derived = derivedDim(name);
    return derived ? emitFormula(builder, *derived, [&](const Dim &dim) { return emit(dim); }) : names.at(name);
  }

  llvm::Value *checked(llvm::Intrinsic::ID id, llvm::Value *a, llvm::Value *b) {
    llvm::Value *pair = builder.CreateBinaryIntrinsic(id, a, b);
    overflowed = builder.CreateOr(overflowed, builder.CreateExtractValue(pair, 1));
    return builder.CreateExtractValue(pair, 0);
  }

  llvm::IRBuilder<> &builder;
  const std::map<std::string, llvm::Value *> &names;
  llvm::Value *overflowed;
};
} // namespace

llvm::Value *lathe::emitCheckedDim(llvm::IRBuilder<> &builder, const Dim &dim,
                                   const std::map<std::string, llvm::Value *> &names) {
  CheckedSize size(builder, names);
  llvm::Value *value = size.emit(dim);
  return builder.CreateSelect(size.isTooLarge(), builder.getInt64(-1), value);
}

/// Emits a function of the dimensions that returns these bytes, or SIZE_MAX if a dimension is out of range.
static void emitRegionSize(EmitContext &emit, const Signature &signature, const std::string &symbol, const Dim &bytes) {
  llvm::IRBuilder<> builder(emit.context);
  llvm::SmallVector<llvm::Type *> parameters(signature.dimensions.size(), emit.i64);
  auto *function = emit.function(symbol, llvm::FunctionType::get(emit.i64, parameters, false), true, signature.place);
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
  for (const RequiredExtent &required : signature.requirements) {
    llvm::Value *extent = emitDim(builder, required.extent, dims), *zero = builder.getInt64(0);
    valid = builder.CreateAnd(valid, required.equal ? builder.CreateICmpEQ(extent, zero) : builder.CreateICmpSGE(extent, zero));
  }
  builder.CreateRet(builder.CreateSelect(valid, emitCheckedDim(builder, bytes, dims), builder.getInt64(-1)));
}

void lathe::emitWorkspaceSizes(EmitContext &emit, const Signature &signature) {
  emitRegionSize(emit, signature, signature.symbol + "_workspace_size", signature.workspace);
  if (signature.usesCold)
    emitRegionSize(emit, signature, signature.symbol + "_cold_workspace_size", signature.coldWorkspace);
}

/// Emits the return of the result of the first version whose fixed sizes match.
static void callVersion(llvm::IRBuilder<> &builder, llvm::ArrayRef<Version> versions, llvm::ArrayRef<llvm::Function *> bodies,
                        llvm::Value *args, const std::map<std::string, llvm::Value *> &dims) {
  llvm::Function *function = builder.GetInsertBlock()->getParent();
  for (auto [version, body] : llvm::zip_equal(versions, bodies)) {
    llvm::Value *matches = builder.getTrue();
    for (auto &[name, value] : version.fixed)
      matches = builder.CreateAnd(matches, builder.CreateICmpEQ(dims.at(name), emitDim(builder, value, dims)));
    auto *run = llvm::BasicBlock::Create(builder.getContext(), "run", function);
    auto *next = llvm::BasicBlock::Create(builder.getContext(), "next", function);
    builder.CreateCondBr(matches, run, next);
    builder.SetInsertPoint(run);
    builder.CreateRet(builder.CreateCall(body, {args}));
    builder.SetInsertPoint(next);
  }
  builder.CreateUnreachable(); // the last version is general, or the checks allow no other sizes
}

/// Emits a test for a context with a device. The context of an older interface may be too short to have that field.
static llvm::Value *emitHasDevice(EmitContext &emit, const Signature &signature, llvm::IRBuilder<> &builder,
                                  llvm::Value *args) {
  llvm::Function *function = builder.GetInsertBlock()->getParent();
  auto field = [&](llvm::Type *type, llvm::Value *record, size_t offset) {
    return builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), record, offset));
  };
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(emit.context, name, function); };
  llvm::BasicBlock *given = block("context"), *current = block("current"), *known = block("known");
  llvm::BasicBlock *start = builder.GetInsertBlock();
  llvm::Value *context = field(emit.pointer, args, signature.contextOffset);
  builder.CreateCondBr(builder.CreateIsNull(context), known, given);
  builder.SetInsertPoint(given);
  llvm::Value *version = field(emit.i32, context, offsetof(lathe_context, abi_version));
  builder.CreateCondBr(builder.CreateICmpUGE(version, builder.getInt32(LATHE_ABI_VERSION)), current, known);
  builder.SetInsertPoint(current);
  llvm::Value *has = builder.CreateIsNotNull(field(emit.pointer, context, offsetof(lathe_context, device)));
  builder.CreateBr(known);
  builder.SetInsertPoint(known);
  llvm::PHINode *result = builder.CreatePHI(builder.getInt1Ty(), 3);
  result->addIncoming(builder.getFalse(), start);
  result->addIncoming(builder.getFalse(), given);
  result->addIncoming(has, current);
  return result;
}

/// Emits the failure of a call without a device, if the object contains no CPU code.
static void emitNoDevice(EmitContext &emit, const Signature &signature, llvm::IRBuilder<> &builder, llvm::Value *args) {
  llvm::Value *error =
      builder.CreateLoad(emit.pointer, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), args, signature.errorOffset));
  llvm::Value *status = builder.getInt32(NoDevice), *zero = builder.getInt64(0);
  emitReport(emit, builder, error, status,
             recordAt(emit, signature.place, signature.name, "func.func", "context",
                      emit.string("the object contains GPU code only, but this call has no GPU context"), zero, zero));
  builder.CreateRet(status);
}

void lathe::emitEntry(EmitContext &emit, const Signature &signature, llvm::ArrayRef<Version> versions,
                      llvm::ArrayRef<llvm::Function *> bodies, llvm::ArrayRef<llvm::Function *> deviceBodies) {
  llvm::IRBuilder<> builder(emit.context);
  auto *function = emit.function(signature.symbol + emit.levelSuffix, llvm::FunctionType::get(emit.i32, {emit.pointer}, false),
                                 true, signature.place);
  builder.SetInsertPoint(llvm::BasicBlock::Create(emit.context, "", function));
  builder.SetCurrentDebugLocation(emit.debugLoc(function, signature.place));
  llvm::Value *args = function->getArg(0);
  std::map<std::string, llvm::Value *> dims;
  emitArgumentChecks(emit, signature, builder, args, dims);
  if (hasCollectives(versions.back().function)) {
    auto load = [&](unsigned offset) {
      return builder.CreateLoad(emit.pointer, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), args, offset));
    };
    emitRankChecks(emit, signature, builder, load(signature.contextOffset), load(signature.errorOffset), versions.back(), dims);
  }
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(emit.context, name, function); };
  if (!deviceBodies.empty()) {
    llvm::BasicBlock *onDevice = block("device"), *onCpu = block("cpu");
    builder.CreateCondBr(emitHasDevice(emit, signature, builder, args), onDevice, onCpu);
    builder.SetInsertPoint(onDevice);
    callVersion(builder, versions, deviceBodies, args, dims);
    builder.SetInsertPoint(onCpu);
  }
  if (bodies.empty())
    return emitNoDevice(emit, signature, builder, args);
  callVersion(builder, versions, bodies, args, dims);
}

void lathe::emitDispatch(EmitContext &emit, const Signature &signature, llvm::ArrayRef<VectorTarget> levels) {
  llvm::IRBuilder<> builder(emit.context);
  auto *function =
      emit.function(signature.symbol, llvm::FunctionType::get(emit.i32, {emit.pointer}, false), true, signature.place);
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(emit.context, name, function); };
  builder.SetInsertPoint(block(""));
  llvm::BasicBlock *lowest = block("lowest"), *given = block("given");
  builder.SetCurrentDebugLocation(emit.debugLoc(function, signature.place));
  auto callLevel = [&](const VectorTarget &target) {
    llvm::Function *entry = emit.module.getFunction(signature.symbol + levelSuffixOf(target));
    builder.CreateRet(builder.CreateCall(entry, {function->getArg(0)}));
  };
  // The lowest level's entry reports errors in the arguments or the CPU.
  builder.CreateCondBr(builder.CreateIsNull(function->getArg(0)), lowest, given);
  builder.SetInsertPoint(lowest);
  callLevel(levels.front());
  builder.SetInsertPoint(given);
  llvm::Value *context = nullptr;
  if (signature.usesContext)
    context = builder.CreateLoad(
        emit.pointer, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), function->getArg(0), signature.contextOffset));
  llvm::Value *level = emitLevel(emit, builder, context);
  for (const VectorTarget &target : llvm::reverse(levels.drop_front())) {
    llvm::BasicBlock *take = block("take"), *next = block("next");
    builder.CreateCondBr(builder.CreateICmpUGE(level, builder.getInt32(target.level)), take, next);
    builder.SetInsertPoint(take);
    callLevel(target);
    builder.SetInsertPoint(next);
  }
  builder.CreateBr(lowest);
}
