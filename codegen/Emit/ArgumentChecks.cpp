// The argument checks of an entry, which run before any other access. The code of a failing check reports the argument, its
// line, the expected and the actual value, and returns the status.
#include "codegen/Emit/CheckFunctions.h"
#include "codegen/Emit/CpuLevel.h"
#include "codegen/Emit/WeightsFile.h"
#include "llvm/Support/Endian.h"

using namespace lathe;

namespace {

/// The contents of a failing check's report.
struct Report {
  Status status;
  SourcePlace place;
  std::string op, argument, other;
  llvm::Value *expected, *actual;
};

class Checks {
public:
  Checks(EmitContext &emit, const Signature &signature, llvm::IRBuilder<> &builder, llvm::Value *args)
      : emit(emit), signature(signature), builder(builder), args(args), function(builder.GetInsertBlock()->getParent()) {}

  void run(std::map<std::string, llvm::Value *> &dims) {
    checkArgs();
    error = load(emit.pointer, signature.errorOffset);
    if (emit.target.level > 1)
      checkLevel();
    if (signature.usesTiles)
      checkTiles();
    for (const DimensionField &field : signature.dimensions)
      dims[field.name] = checkDimension(field);
    for (const RequiredExtent &required : signature.requirements)
      checkExtent(required, dims);
    for (const ArgumentField &field : signature.arguments)
      buffers.push_back({field.symbol, field.place, field.offset, field.elementBytes(), field.isOutput, sizeOf(field, dims)});
    if (signature.usesState)
      buffers.push_back({"state", signature.place, signature.stateOffset, 64, signature.writesState(),
                         builder.getInt64(emit.signature.stateSize)});
    checkWeights();
    checkWorkspace("workspace", signature.workspace, signature.workspaceOffset, signature.workspaceSizeOffset, dims);
    checkWorkspace("cold_workspace", signature.coldWorkspace, signature.coldOffset, signature.coldSizeOffset, dims);
    if (!buffers.empty())
      checkBuffers();
  }

private:
  llvm::Value *load(llvm::Type *type, unsigned offset) {
    return builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), args, offset));
  }

  void checkArgs() {
    auto *wrong = llvm::BasicBlock::Create(emit.context, "wrong", function);
    auto *next = llvm::BasicBlock::Create(emit.context, "next", function);
    builder.CreateCondBr(builder.CreateIsNull(args), wrong, next);
    builder.SetInsertPoint(wrong);
    builder.CreateRet(builder.getInt32(NullArgument));
    builder.SetInsertPoint(next);
  }

  /// Emits a return of the report's status if `bad` holds.
  void require(llvm::Value *bad, const Report &report) {
    auto *wrong = llvm::BasicBlock::Create(emit.context, "wrong", function);
    auto *next = llvm::BasicBlock::Create(emit.context, "next", function);
    builder.CreateCondBr(bad, wrong, next);
    builder.SetInsertPoint(wrong);
    llvm::Value *status = builder.getInt32(report.status);
    emitReport(emit, builder, error, status,
               recordAt(emit, report.place, signature.name, report.op, report.argument, emit.string(report.other),
                        report.expected, report.actual));
    builder.CreateRet(status);
    builder.SetInsertPoint(next);
  }

  /// Checks the CPU before any code of this level runs.
  void checkLevel() {
    llvm::Value *context = signature.usesContext ? load(emit.pointer, signature.contextOffset) : nullptr;
    llvm::Value *level = emitLevel(emit, builder, context);
    require(builder.CreateICmpULT(level, builder.getInt32(emit.target.level)),
            {CpuTooOld, signature.place, "func.func", "", "", builder.getInt64(emit.target.level),
             builder.CreateZExt(level, emit.i64)});
  }

  /// Asks for the tile registers of AMX before any kernel uses them.
  void checkTiles() {
    llvm::Value *answer = emitTiles(emit, builder), *zero = builder.getInt64(0);
    auto requireNot = [&](TilesAnswer wrong, llvm::StringRef reason) {
      require(builder.CreateICmpEQ(answer, builder.getInt32(wrong)),
              {CpuTooOld, signature.place, "func.func", "", reason.str(), zero, zero});
    };
    requireNot(TilesAbsent, "AMX, which this CPU or its system lacks; compile for a target with -amx-bf16");
    requireNot(TilesRefused, "AMX, for which the system refuses memory; a thread's signal stack may be too small");
  }

  llvm::Value *checkDimension(const DimensionField &field) {
    llvm::Value *value = load(emit.i64, field.offset);
    auto report = [&](int64_t bound, const char *which = "") {
      return Report{Dimension, field.place, "func.func", field.symbol, which, builder.getInt64(bound), value};
    };
    require(builder.CreateICmpSLT(value, builder.getInt64(field.minimum)), report(field.minimum));
    require(builder.CreateICmpSGT(value, builder.getInt64(field.maximum)), report(field.maximum));
    if (field.multipleOf > 1)
      require(builder.CreateICmpNE(builder.CreateURem(value, builder.getInt64(field.multipleOf)), builder.getInt64(0)),
              report(field.multipleOf, "multiple_of"));
    return value;
  }

  /// Reports the bound on a name if the extent implies one; otherwise the condition, with its first name as the argument.
  void checkExtent(const RequiredExtent &required, const std::map<std::string, llvm::Value *> &dims) {
    llvm::SmallVector<std::string> names;
    required.extent.collectNames(names);
    auto symbolOf = [&](llvm::StringRef name) {
      return llvm::find_if(signature.dimensions, [&](const DimensionField &field) { return field.name == name; })->symbol;
    };
    if (auto bound = required.bound()) {
      llvm::Value *size = dims.at(bound->name), *limit = builder.getInt64(bound->value);
      llvm::Value *isBeyond = bound->isMost ? builder.CreateICmpSGT(size, limit) : builder.CreateICmpSLT(size, limit);
      return require(isBeyond, {Dimension, required.place, required.op, symbolOf(bound->name),
                                bound->isMost ? "at most" : "at least", limit, size});
    }
    auto [left, right] = required.sides();
    llvm::Value *first = emitDim(builder, left, dims), *second = emitDim(builder, right, dims);
    require(required.equal ? builder.CreateICmpNE(first, second) : builder.CreateICmpSLT(first, second),
            {Dimension, required.place, required.op, symbolOf(names.front()), required.str(), second, first});
  }

  llvm::Value *sizeOf(const ArgumentField &field, const std::map<std::string, llvm::Value *> &dims) {
    return emitCheckedDim(builder, field.bytes(), dims);
  }

  /// Checks the size of the workspace or of the cold one, unless the entry needs none.
  void checkWorkspace(const std::string &name, const Dim &bytes, unsigned offset, unsigned sizeOffset,
                      const std::map<std::string, llvm::Value *> &dims) {
    if (bytes.isStatic(0))
      return;
    llvm::Value *needed = emitCheckedDim(builder, bytes, dims);
    llvm::Value *given = load(emit.i64, sizeOffset);
    // A size that overflows is SIZE_MAX: no workspace is large enough, not even one of that size.
    llvm::Value *isTooSmall =
        builder.CreateOr(builder.CreateICmpULT(given, needed), builder.CreateICmpSLT(needed, builder.getInt64(0)));
    require(isTooSmall, {WorkspaceTooSmall, signature.place, "func.func", name + "_size", "", needed, given});
    buffers.push_back({name, signature.place, offset, 64, true, needed});
  }

  /// Checks the file's size and fingerprint before reading anything else. Written buffers must not overlap the file.
  void checkWeights() {
    if (!signature.usesWeights)
      return;
    llvm::Value *weights = load(emit.pointer, signature.weightsOffset), *zero = builder.getInt64(0);
    llvm::Value *size = load(emit.i64, signature.weightsSizeOffset), *needed = builder.getInt64(emit.signature.weightsSize);
    require(builder.CreateIsNull(weights),
            {NullArgument, signature.place, "func.func", "weights", "", builder.getInt64(1), zero});
    require(builder.CreateICmpNE(size, needed), {WrongFormat, signature.place, "func.func", "weights",
                                                 "the file has the wrong size for this object", needed, size});
    llvm::Value *differs = builder.getFalse();
    llvm::StringRef expected = emit.signature.weightsFingerprint;
    for (uint64_t i = 0; i < WeightsFile::kFingerprintLength; i += 8) {
      llvm::Value *place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), weights, WeightsFile::kFingerprintPlace + i);
      llvm::Value *word = builder.CreateAlignedLoad(emit.i64, place, llvm::Align(1));
      llvm::Value *known = builder.getInt64(llvm::support::endian::read64le(expected.data() + i));
      differs = builder.CreateOr(differs, builder.CreateICmpNE(word, known));
    }
    require(differs,
            {WrongFormat, signature.place, "func.func", "weights", "the file belongs to another compilation", zero, zero});
    buffers.push_back({"weights", signature.place, signature.weightsOffset, 64, false, needed});
  }

  void checkBuffers() {
    llvm::Value *status = emitBufferChecks(emit, builder, signature, args, error, buffers);
    auto *wrong = llvm::BasicBlock::Create(emit.context, "wrong", function);
    auto *next = llvm::BasicBlock::Create(emit.context, "next", function);
    builder.CreateCondBr(builder.CreateICmpNE(status, builder.getInt32(0)), wrong, next);
    builder.SetInsertPoint(wrong);
    builder.CreateRet(status);
    builder.SetInsertPoint(next);
  }

  EmitContext &emit;
  const Signature &signature;
  llvm::IRBuilder<> &builder;
  llvm::Value *args, *error = nullptr;
  llvm::Function *function;
  std::vector<CheckedBuffer> buffers;
};
} // namespace

void lathe::emitArgumentChecks(EmitContext &emit, const Signature &signature, llvm::IRBuilder<> &builder, llvm::Value *args,
                               std::map<std::string, llvm::Value *> &dims) {
  Checks(emit, signature, builder, args).run(dims);
}
