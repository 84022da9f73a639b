// PREFIX_info: the tables of lathe/runtime.h, with which a generic caller can use an unknown object.
//
//   lathe_module_info: state, functions
//     lathe_state_info per variable
//     lathe_function_info per exported function: dimensions, arguments, kernels, versions, offsets in the args struct
//       workspace(sizes), shapes(sizes, extents): functions for callers that know the sizes only as an array
//
// All tables are constants in C's layout. They refer to one another by pointers.
#include "codegen/Emit/EntryEmitter.h"
#include "lathe/runtime.h"
#include <set>

using namespace lathe;

namespace {

static_assert(int(Element::I1) == LATHE_I1 && int(Element::I64) == LATHE_I64 && int(Element::U8) == LATHE_U8 &&
                  int(Element::U64) == LATHE_U64 && int(Element::F16) == LATHE_F16 && int(Element::F64) == LATHE_F64,
              "the compiler's list of element types is numbered as the runtime's");
int dtypeOf(mlir::Type element) { return int(*elementOf(element)); }

/// Builds constant structs field by field, with the layout of the C compiler.
class Tables {
public:
  explicit Tables(EmitContext &emit) : emit(emit) {}

  llvm::Constant *i32(int64_t value) { return llvm::ConstantInt::get(emit.i32, value); }
  llvm::Constant *i64(int64_t value) { return llvm::ConstantInt::get(emit.i64, value); }
  llvm::Constant *null() { return llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(emit.pointer)); }
  llvm::Constant *record(llvm::ArrayRef<llvm::Constant *> fields) {
    return llvm::ConstantStruct::getAnon(emit.context, fields);
  }

  /// Returns a constant array of records; null if it is empty.
  llvm::Constant *table(llvm::ArrayRef<llvm::Constant *> rows, llvm::StringRef name) {
    return rows.empty() ? null() : global(rows, name);
  }
  llvm::GlobalVariable *global(llvm::ArrayRef<llvm::Constant *> rows, llvm::StringRef name) {
    auto *data = llvm::ConstantArray::get(llvm::ArrayType::get(rows.front()->getType(), rows.size()), rows);
    auto *made = new llvm::GlobalVariable(emit.module, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, name);
    made->setAlignment(llvm::Align(8));
    return made;
  }

  llvm::Constant *state() {
    llvm::SmallVector<llvm::Constant *> rows;
    for (const StateField &field : emit.signature.state) {
      llvm::SmallVector<llvm::Constant *> extents;
      for (int64_t extent : field.type.getShape())
        extents.push_back(i64(extent));
      rows.push_back(record({emit.string(field.name), emit.string(typeText(field.type.getElementType(), dimsOf(field.type))),
                             i32(dtypeOf(field.type.getElementType())), i32(field.type.getRank()), table(extents, "extents"),
                             i64(field.offset), i64(field.size), i32(field.place.line), i32(0), whole(field)}));
    }
    return table(rows, "state");
  }

  /// Returns the lathe_whole_info of a variable; null if each rank has all of it.
  llvm::Constant *whole(const StateField &field) {
    if (!field.whole)
      return null();
    llvm::SmallVector<llvm::Constant *> extents;
    for (int64_t extent : field.whole.getShape())
      extents.push_back(i64(extent));
    llvm::SmallVector<llvm::Constant *> splits;
    for (auto [dimension, axis] : llvm::enumerate(field.splits))
      if (!axis.empty())
        splits.push_back(record({emit.string(axis), i32(dimension), i32(0)}));
    return global({record({emit.string(typeText(field.whole.getElementType(), dimsOf(field.whole))), table(extents, "extents"),
                           i32(field.whole.getRank()), i32(splits.size()), table(splits, "splits"),
                           field.flatAxis.empty() ? null() : emit.string(field.flatAxis)})},
                  "whole");
  }

  llvm::Constant *dimensions(const Signature &signature) {
    llvm::SmallVector<llvm::Constant *> rows;
    for (const DimensionField &field : signature.dimensions)
      rows.push_back(record(
          {emit.string(field.name), i64(field.minimum), i64(field.maximum), i64(field.multipleOf), i32(field.offset), i32(0)}));
    return table(rows, "dimensions");
  }

  llvm::Constant *arguments(const Signature &signature) {
    llvm::SmallVector<llvm::Constant *> rows;
    for (const ArgumentField &field : signature.arguments) {
      llvm::SmallVector<llvm::Constant *> counts;
      for (int count : field.counts)
        counts.push_back(i32(count));
      rows.push_back(record({emit.string(field.symbol), emit.string(typeText(field.element, field.dims)),
                             i32(dtypeOf(field.element)), i32(field.dims.size()), i32(field.isOutput), i32(field.offset),
                             i32(field.place.line), i32(0), table(counts, "counts")}));
    }
    return table(rows, "arguments");
  }

  /// Emits uint64_t (const int64_t *dimensions), which calls NAME_workspace_size or the function of another `kind`.
  llvm::Function *workspaceThunk(const Signature &signature, const std::string &kind) {
    auto *type = llvm::FunctionType::get(emit.i64, {emit.pointer}, false);
    auto *thunk = emit.function(signature.symbol + "." + kind, type, false, signature.place);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(emit.context, "", thunk));
    b.SetCurrentDebugLocation(emit.debugLoc(thunk, signature.place));
    llvm::SmallVector<llvm::Value *> values;
    for (size_t i = 0; i < signature.dimensions.size(); ++i)
      values.push_back(b.CreateLoad(emit.i64, b.CreateConstInBoundsGEP1_64(emit.i64, thunk->getArg(0), i)));
    b.CreateRet(b.CreateCall(emit.module.getFunction(signature.symbol + "_" + kind + "_size"), values));
    return thunk;
  }

  /// Emits void (const int64_t *dimensions, int64_t *extents).
  llvm::Function *shapes(const Signature &signature) {
    auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(emit.context), {emit.pointer, emit.pointer}, false);
    auto *function = emit.function(signature.symbol + ".shapes", type, false, signature.place);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(emit.context, "", function));
    std::map<std::string, llvm::Value *> dims;
    for (auto [i, field] : llvm::enumerate(signature.dimensions))
      dims[field.name] = b.CreateLoad(emit.i64, b.CreateConstInBoundsGEP1_64(emit.i64, function->getArg(0), i));
    unsigned place = 0;
    for (const ArgumentField &argument : signature.arguments)
      for (const Dim &dim : argument.dims)
        b.CreateStore(emitDim(b, dim, dims), b.CreateConstInBoundsGEP1_64(emit.i64, function->getArg(1), place++));
    b.CreateRetVoid();
    return function;
  }

  /// Returns the number of an exported function. If a training step is exported, so are both of its parts.
  uint32_t functionNumber(llvm::StringRef name) {
    auto named = [&](const Signature &function) { return function.name == name; };
    return llvm::find_if(emit.signature.functions, named) - emit.signature.functions.begin();
  }

  llvm::Constant *shard(const Signature &signature) {
    if (!signature.shard)
      return null();
    uint32_t gradients = functionNumber(signature.shard->gradients), update = functionNumber(signature.shard->update);
    auto isBatch = [&](const DimensionField &field) { return field.name == signature.shard->dimension; };
    uint32_t dimension = llvm::find_if(signature.dimensions, isBatch) - signature.dimensions.begin();
    std::set<unsigned> read, moved;
    for (auto [argument, variable] : emit.signature.functions[gradients].stateArguments)
      read.insert(variable);
    for (auto [result, variable] : emit.signature.functions[update].stateResults)
      if (read.count(variable))
        moved.insert(variable);
    llvm::SmallVector<llvm::Constant *> variables;
    for (unsigned variable : moved)
      variables.push_back(i32(variable));
    return global({record({i32(gradients), i32(update), i32(dimension), i32(variables.size()), table(variables, "variables")})},
                  "shard");
  }

  llvm::Constant *functionRow(const Signature &signature, llvm::ArrayRef<Version> versions, llvm::GlobalVariable *kernels) {
    llvm::SmallVector<llvm::Constant *> names;
    for (const Version &version : versions)
      names.push_back(emit.string(version.name));
    size_t kernelCount = kernels ? llvm::cast<llvm::ArrayType>(kernels->getValueType())->getNumElements() : 0;
    llvm::Constant *coldThunk = null();
    if (signature.usesCold)
      coldThunk = workspaceThunk(signature, "cold_workspace");
    llvm::Constant *kernelRows = kernels ? static_cast<llvm::Constant *>(kernels) : null();
    return record({emit.string(signature.name),
                   emit.string(signature.symbol),
                   i32(signature.dimensions.size()),
                   i32(signature.arguments.size()),
                   i32(kernelCount),
                   i32(names.size()),
                   dimensions(signature),
                   arguments(signature),
                   kernelRows,
                   table(names, "versions"),
                   i32(signature.size),
                   i32(signature.usesState ? signature.stateOffset : LATHE_ABSENT),
                   i32(signature.workspaceOffset),
                   i32(signature.workspaceSizeOffset),
                   i32(signature.usesContext ? signature.contextOffset : LATHE_ABSENT),
                   i32(signature.errorOffset),
                   i32(signature.usesWeights ? signature.weightsOffset : LATHE_ABSENT),
                   i32(signature.usesWeights ? signature.weightsSizeOffset : LATHE_ABSENT),
                   i32(signature.usesCold ? signature.coldOffset : LATHE_ABSENT),
                   i32(signature.usesCold ? signature.coldSizeOffset : LATHE_ABSENT),
                   emit.module.getFunction(signature.symbol),
                   workspaceThunk(signature, "workspace"),
                   shapes(signature),
                   shard(signature),
                   coldThunk});
  }

private:
  EmitContext &emit;
};
} // namespace

llvm::GlobalVariable *lathe::emitKernelTable(EmitContext &emit, const Signature &signature, const Version &version,
                                             const KernelSymbols &kernels) {
  Tables tables(emit);
  llvm::SmallVector<llvm::Constant *> rows;
  for (auto kernel : kernelsOf(version)) {
    llvm::StringRef hero = kernel->getAttrOfType<mlir::StringAttr>("lathe.hero").getValue();
    llvm::StringRef fused = kernel->getAttrOfType<mlir::StringAttr>("lathe.fused").getValue();
    SourcePlace place = sourcePlace(kernel.getLoc());
    rows.push_back(tables.record({emit.string(kernels.find(kernel)->second.name), emit.string(hero), emit.string(fused),
                                  emit.string(place.node), emit.fileOf(place), tables.i32(place.line), tables.i32(0)}));
  }
  return rows.empty() ? nullptr : tables.global(rows, signature.symbol + ".kernels");
}

void lathe::emitInfo(EmitContext &emit, llvm::ArrayRef<VersionList> versions,
                     llvm::ArrayRef<llvm::GlobalVariable *> kernelTables) {
  Tables tables(emit);
  llvm::SmallVector<llvm::Constant *> functions;
  for (auto [signature, list, kernels] : llvm::zip_equal(emit.signature.functions, versions, kernelTables))
    functions.push_back(tables.functionRow(signature, list, kernels));
  llvm::Constant *info = tables.record(
      {tables.i64(LATHE_INFO_MAGIC), tables.i32(LATHE_ABI_VERSION), tables.i32(functions.size()),
       tables.i32(emit.signature.state.size()), tables.i32(0), emit.string(emit.signature.prefix),
       emit.string(emit.signature.source), emit.string(emit.signature.targets), tables.i64(emit.signature.stateSize),
       tables.i64(emit.signature.weightsSize), tables.state(), tables.table(functions, "functions")});
  llvm::GlobalVariable *global = tables.global(info, "module");
  auto *get = emit.function(emit.signature.prefix + "_info", llvm::FunctionType::get(emit.pointer, {}, false), true, {});
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(emit.context, "", get));
  b.CreateRet(global);
}
