// What an entry checks before it touches anything. Every failure names the argument, its line, what was expected and what came.
#include "codegen/Emit/CpuLevel.h"
#include "codegen/Emit/EntryEmitter.h"

using namespace lathe;

namespace {

enum Status { NullArgument = 1, Misaligned = 2, Dimension = 3, WorkspaceTooSmall = 4, Overlap = 5, CpuTooOld = 6 };

/// What a failing check reports.
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
    for (const DimensionField &field : signature.dimensions)
      dims[field.name] = checkDimension(field);
    for (const RequiredExtent &required : signature.requirements)
      checkExtent(required, dims);
    for (const ArgumentField &field : signature.arguments) {
      llvm::Value *size = checkSize(field, dims);
      checkPointer(field.symbol, field.offset, field.elementBytes(), field.place, size, field.isOutput);
    }
    if (signature.usesState)
      checkPointer("state", signature.stateOffset, 64, signature.place, builder.getInt64(emit.signature.stateSize),
                   !signature.stateResults.empty());
    checkWorkspace(dims);
    checkOverlaps();
  }

private:
  struct Range {
    std::string name;
    SourcePlace place;
    llvm::Value *begin, *end;
    bool isWritten;
  };

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

  /// Returns the report's status where `bad` holds; goes on elsewhere.
  void require(llvm::Value *bad, const Report &report) {
    auto *wrong = llvm::BasicBlock::Create(emit.context, "wrong", function);
    auto *next = llvm::BasicBlock::Create(emit.context, "next", function);
    builder.CreateCondBr(bad, wrong, next);
    builder.SetInsertPoint(wrong);
    llvm::Value *status = builder.getInt32(report.status);
    builder.CreateCall(reporter(), {error, status, builder.getInt32(report.place.line), builder.getInt32(report.place.column),
                                    emit.string(signature.name), emit.string(report.op), emit.string(report.argument),
                                    emit.string(report.other), report.expected, report.actual});
    builder.CreateRet(status);
    builder.SetInsertPoint(next);
  }

  /// Fills a lathe_error, if there is one: status, line, column, file, function, op, argument, other, expected, actual.
  llvm::Function *reporter() {
    if (auto *known = emit.module.getFunction("report"))
      return known;
    llvm::Type *p = emit.pointer;
    auto *type =
        llvm::FunctionType::get(builder.getVoidTy(), {p, emit.i32, emit.i32, emit.i32, p, p, p, p, emit.i64, emit.i64}, false);
    llvm::Function *report = emit.function("report", type, false, {});
    report->addFnAttr(llvm::Attribute::NoInline);
    report->addFnAttr(llvm::Attribute::Cold);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(emit.context, "", report));
    auto *fill = llvm::BasicBlock::Create(emit.context, "fill", report),
         *done = llvm::BasicBlock::Create(emit.context, "done", report);
    b.CreateCondBr(b.CreateIsNull(report->getArg(0)), done, fill);
    b.SetInsertPoint(fill);
    auto put = [&](llvm::Value *value, unsigned offset) {
      b.CreateStore(value, b.CreateConstInBoundsGEP1_32(b.getInt8Ty(), report->getArg(0), offset));
    };
    put(report->getArg(1), 0);
    put(report->getArg(2), 4);
    put(report->getArg(3), 8);
    put(emit.string(emit.signature.source), 16);
    for (unsigned i = 4; i < 10; ++i)
      put(report->getArg(i), 24 + 8 * (i - 4));
    b.CreateBr(done);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
    return report;
  }

  /// Before anything of this level's code runs.
  void checkLevel() {
    llvm::Value *context = signature.usesContext ? load(emit.pointer, signature.contextOffset) : nullptr;
    llvm::Value *level = emitLevel(emit, builder, context);
    require(builder.CreateICmpULT(level, builder.getInt32(emit.target.level)),
            {CpuTooOld, signature.place, "func.func", "", "", builder.getInt64(emit.target.level),
             builder.CreateZExt(level, emit.i64)});
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

  /// Names the first dimension of the extent as the argument.
  void checkExtent(const RequiredExtent &required, const std::map<std::string, llvm::Value *> &dims) {
    llvm::SmallVector<std::string> names;
    required.extent.collectNames(names);
    auto field = llvm::find_if(signature.dimensions, [&](const DimensionField &field) { return field.name == names.front(); });
    llvm::Value *extent = emitDim(builder, required.extent, dims);
    require(builder.CreateICmpSLT(extent, builder.getInt64(0)),
            {Dimension, required.place, required.op, field->symbol, "extent", builder.getInt64(0), extent});
  }

  /// The bytes of an argument; those that 63 bits do not hold are refused.
  llvm::Value *checkSize(const ArgumentField &field, const std::map<std::string, llvm::Value *> &dims) {
    Dim bytes = Dim(field.elementBytes());
    for (const Dim &dim : field.dims)
      bytes = bytes * dim;
    llvm::Value *size = emitCheckedDim(builder, bytes, dims);
    if (!bytes.isStatic())
      require(builder.CreateICmpSLT(size, builder.getInt64(0)),
              {Dimension, field.place, "func.func", field.symbol, "bytes", builder.getInt64(INT64_MAX), size});
    return size;
  }

  void checkAlignment(llvm::Value *address, const std::string &name, unsigned alignment, SourcePlace place) {
    if (alignment == 1)
      return;
    llvm::Value *rest = builder.CreateAnd(address, builder.getInt64(alignment - 1));
    require(builder.CreateICmpNE(rest, builder.getInt64(0)),
            {Misaligned, place, "func.func", name, "", builder.getInt64(alignment), rest});
  }

  void checkPointer(const std::string &name, unsigned offset, unsigned alignment, SourcePlace place, llvm::Value *size,
                    bool isWritten) {
    llvm::Value *pointer = load(emit.pointer, offset);
    llvm::Value *address = builder.CreatePtrToInt(pointer, emit.i64);
    require(builder.CreateIsNull(pointer),
            {NullArgument, place, "func.func", name, "", builder.getInt64(1), builder.getInt64(0)});
    checkAlignment(address, name, alignment, place);
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(size); known && known->isZero())
      return; // what is empty overlaps nothing
    ranges.push_back({name, place, address, builder.CreateAdd(address, size), isWritten});
  }

  void checkWorkspace(const std::map<std::string, llvm::Value *> &dims) {
    if (signature.workspace.isStatic(0))
      return;
    llvm::Value *needed = emitCheckedDim(builder, signature.workspace, dims);
    llvm::Value *given = load(emit.i64, signature.workspaceSizeOffset);
    // A size that overflows is SIZE_MAX: nothing is enough, not even that.
    llvm::Value *isTooSmall =
        builder.CreateOr(builder.CreateICmpULT(given, needed), builder.CreateICmpSLT(needed, builder.getInt64(0)));
    require(isTooSmall, {WorkspaceTooSmall, signature.place, "func.func", "workspace_size", "", needed, given});
    checkPointer("workspace", signature.workspaceOffset, 64, signature.place, needed, true);
  }

  void checkOverlaps() {
    for (auto [i, a] : llvm::enumerate(ranges))
      for (auto [j, b] : llvm::enumerate(ranges)) {
        if (!a.isWritten || i == j || (b.isWritten && j < i))
          continue;
        llvm::Value *apart = builder.CreateOr(builder.CreateICmpULE(a.end, b.begin), builder.CreateICmpULE(b.end, a.begin));
        require(builder.CreateNot(apart),
                {Overlap, a.place, "func.func", a.name, b.name, builder.getInt64(0), builder.getInt64(0)});
      }
  }

  EmitContext &emit;
  const Signature &signature;
  llvm::IRBuilder<> &builder;
  llvm::Value *args, *error = nullptr;
  llvm::Function *function;
  std::vector<Range> ranges;
};
} // namespace

void lathe::emitArgumentChecks(EmitContext &emit, const Signature &signature, llvm::IRBuilder<> &builder, llvm::Value *args,
                               std::map<std::string, llvm::Value *> &dims) {
  Checks(emit, signature, builder, args).run(dims);
}
