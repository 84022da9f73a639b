// Entries: argument checks, selection of the version, calls of kernels with pointers into the workspace.
#ifndef LATHE_CODEGEN_EMIT_ENTRYEMITTER_H
#define LATHE_CODEGEN_EMIT_ENTRYEMITTER_H

#include "codegen/CPU/Form.h"
#include "codegen/Emit/ConstantPool.h"
#include "codegen/Emit/Signature.h"
#include "codegen/Emit/Versions.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace lathe {

/// A kernel's code as its callers see it. On a GPU, ceil(extent / unit) blocks run.
struct KernelSymbol {
  std::string name;
  llvm::SmallVector<std::string> symbols; // dimensions in its closure
  Dim extent = Dim(1);
  int64_t unit = 1;
  Dim work = Dim(1);
  int64_t threadWork = 1;                            // operations for each thread
  std::optional<int64_t> mostThreads = std::nullopt; // if it has scratch memory for each
  unsigned number = 0;                               // on a GPU: the index in the table
  /// On a GPU: a second function that runs after the first, with the next number. `scratchBytes` is the scratch memory of both.
  struct Second {
    Dim extent;
    int64_t unit;
  };
  std::optional<Second> second = std::nullopt;
  int64_t scratchBytes = 0;
  bool usesTiles = false; // of AMX

  /// True if threads never share the kernel, for any sizes: it has fewer than `worth` operations, or one work item.
  bool isNeverParallel(int64_t worth) const {
    bool hasOneItem = extent.isStatic() && extent.constant() <= unit;
    return hasOneItem || (work.isStatic() && work.constant() < worth);
  }
};

/// State that all emitters of a module share: IR types, strings, debug information.
class EmitContext {
public:
  EmitContext(llvm::Module &module, const ModuleSignature &signature, const VectorTarget &target, ConstantPool &constants);

  llvm::Module &module;
  const ModuleSignature &signature;
  ConstantPool &constants;
  VectorTarget target;         // of the code that is currently emitted
  std::string levelSuffix;     // suffix of its symbols; empty in an object of one level
  bool inlinesKernels = false; // true if the code is optimised
  llvm::LLVMContext &context;
  llvm::Type *i32, *i64, *pointer;

  /// Returns a constant C string; null for an empty one.
  llvm::Constant *string(llvm::StringRef text);
  /// Creates a function. Only the bodies of versions are not baseline code.
  llvm::Function *function(llvm::StringRef name, llvm::FunctionType *type, bool exported, SourcePlace place,
                           bool baseline = true);
  /// Returns the base name of the file that a place is in.
  llvm::Constant *fileOf(const SourcePlace &place) { return string(place.file.empty() ? signature.source : place.file); }
  llvm::DebugLoc debugLoc(llvm::Function *function, SourcePlace place);

private:
  std::map<std::string, llvm::Constant *> strings;
  llvm::DICompileUnit *unit;
};

/// Emits the value of a dimension expression.
llvm::Value *emitDim(llvm::IRBuilder<> &builder, const Dim &dim, const std::map<std::string, llvm::Value *> &names);
/// Emits the value with overflow checks: all ones if a step overflows.
llvm::Value *emitCheckedDim(llvm::IRBuilder<> &builder, const Dim &dim, const std::map<std::string, llvm::Value *> &names);
/// Emits ceil(extent / unit): the work items of a kernel, or its blocks on a GPU.
llvm::Value *emitItems(llvm::IRBuilder<> &builder, const Dim &extent, int64_t unit,
                       const std::map<std::string, llvm::Value *> &names);
/// Emits the value of a name, or of the formula that the name denotes, from the sizes of names.
llvm::Value *emitSize(llvm::IRBuilder<> &builder, const std::string &name, const std::map<std::string, llvm::Value *> &names);

using KernelSymbols = llvm::DenseMap<mlir::Operation *, KernelSymbol>;

/// Emits the body of a version: `lathe_status (args *)`, called after the argument checks.
llvm::Function *emitVersion(EmitContext &emit, const Signature &signature, const Version &version, const KernelSymbols &kernels,
                            llvm::GlobalVariable *kernelTable);
/// Emits the body of a version for the device of the call's context; `code` is the object's lathe_device_code.
llvm::Function *emitDeviceVersion(EmitContext &emit, const Signature &signature, const Version &version,
                                  const KernelSymbols &kernels, llvm::GlobalVariable *kernelTable, llvm::GlobalVariable *code);
/// Returns the bytes that a device needs in the workspace after a function's buffers: scratch memory of its kernels, and copies
/// of its arguments.
Dim stagingSize(const Signature &signature, const KernelSymbols &kernels, llvm::ArrayRef<Version> versions);

/// Emits a call of the application's function with the buffers of its tensors, inputs first. `shapes` points to memory for
/// their extents. Returns the status.
llvm::Value *emitExternCall(EmitContext &emit, llvm::IRBuilder<> &builder, KernelOp kernel,
                            llvm::ArrayRef<llvm::Value *> buffers, llvm::Value *shapes,
                            const std::map<std::string, llvm::Value *> &dims);
/// Gives the application's functions their final names after the whole module is emitted. An internal function of the same name
/// is renamed.
void nameExterns(llvm::Module &module);

/// Emits NAME_workspace_size(dimensions), which returns SIZE_MAX if a dimension is out of range, and NAME_cold_workspace_size
/// likewise if the entry has a cold workspace.
void emitWorkspaceSizes(EmitContext &emit, const Signature &signature);

/// Emits the exported entry of the current level, `lathe_status (args *)`. A call whose context has a device runs
/// `deviceBodies`, if there are any. Without bodies for the CPU, all other calls fail.
void emitEntry(EmitContext &emit, const Signature &signature, llvm::ArrayRef<Version> versions,
               llvm::ArrayRef<llvm::Function *> bodies, llvm::ArrayRef<llvm::Function *> deviceBodies = {});

/// Emits the exported entry of an object with several levels, lowest first. It calls the entry of the highest level that the
/// context or the CPU allows.
void emitDispatch(EmitContext &emit, const Signature &signature, llvm::ArrayRef<VectorTarget> levels);

/// Emits the argument checks at the builder's insertion point, and leaves the builder in the block where all have passed.
void emitArgumentChecks(EmitContext &emit, const Signature &signature, llvm::IRBuilder<> &builder, llvm::Value *args,
                        std::map<std::string, llvm::Value *> &dims);

/// Emits the table of a function's kernel calls, one lathe_kernel_info each, in the order of the general version.
llvm::GlobalVariable *emitKernelTable(EmitContext &emit, const Signature &signature, const Version &version,
                                      const KernelSymbols &kernels);
/// Emits PREFIX_info and its tables.
void emitInfo(EmitContext &emit, llvm::ArrayRef<VersionList> versions, llvm::ArrayRef<llvm::GlobalVariable *> kernelTables);

} // namespace lathe

#endif
