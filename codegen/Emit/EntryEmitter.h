// Entries: argument checks, choice of the version, kernel calls with their places in the workspace.
#ifndef LATHE_CODEGEN_EMIT_ENTRYEMITTER_H
#define LATHE_CODEGEN_EMIT_ENTRYEMITTER_H

#include "codegen/CPU/Form.h"
#include "codegen/Emit/ConstantPool.h"
#include "codegen/Emit/Signature.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace lathe {

/// The code of a kernel as callers see it. Of a GPU's, ceil(extent / unit) blocks run.
struct KernelSymbol {
  std::string name;
  llvm::SmallVector<std::string> symbols; // dimensions in its closure
  Dim extent = Dim(1);
  int64_t unit = 1;
  Dim work = Dim(1);
  unsigned number = 0; // of a GPU's: in the table
  /// Of a GPU's: a second function behind it, with the number that follows, and bytes of scratch memory for both.
  struct Second {
    Dim extent;
    int64_t unit;
  };
  std::optional<Second> second = std::nullopt;
  int64_t scratchBytes = 0;

  /// Whatever the sizes, where so much work is worth other threads.
  bool isNeverParallel(int64_t worth) const { return (work.isStatic() && work.constant() < worth) || extent.isStatic(1); }
};

/// A planned function for some values of its dimensions.
struct Version {
  std::string name;                     // "N=32", "general"
  std::map<std::string, int64_t> fixed; // dimensions that have one value here
  mlir::func::FuncOp function;
};

/// Code that all emitters of a module share: IR types, strings, debug places.
class EmitContext {
public:
  EmitContext(llvm::Module &module, const ModuleSignature &signature, const VectorTarget &target, ConstantPool &constants);

  llvm::Module &module;
  const ModuleSignature &signature;
  ConstantPool &constants;
  VectorTarget target;         // of the code that is emitted now
  std::string levelSuffix;     // of its symbols; empty in an object of one level
  bool inlinesKernels = false; // whether the code is optimised
  llvm::LLVMContext &context;
  llvm::Type *i32, *i64, *pointer;

  /// A constant C string; null for an empty one.
  llvm::Constant *string(llvm::StringRef text);
  /// A new function. All but the bodies of versions are baseline code.
  llvm::Function *function(llvm::StringRef name, llvm::FunctionType *type, bool exported, SourcePlace place,
                           bool baseline = true);
  /// The base name of the file that a place is in.
  llvm::Constant *fileOf(const SourcePlace &place) { return string(place.file.empty() ? signature.source : place.file); }
  llvm::DebugLoc debugLoc(llvm::Function *function, SourcePlace place);

private:
  std::map<std::string, llvm::Constant *> strings;
  llvm::DICompileUnit *unit;
};

/// Values of dimension expressions as IR.
llvm::Value *emitDim(llvm::IRBuilder<> &builder, const Dim &dim, const std::map<std::string, llvm::Value *> &names);
/// The same with every step checked: all ones when it leaves 64 bits.
llvm::Value *emitCheckedDim(llvm::IRBuilder<> &builder, const Dim &dim, const std::map<std::string, llvm::Value *> &names);
/// The size of a name, or of the formula that stands as one, by the sizes of names.
llvm::Value *emitSize(llvm::IRBuilder<> &builder, const std::string &name, const std::map<std::string, llvm::Value *> &names);

/// The kernels that a version calls, in the order of the graph.
inline llvm::SmallVector<KernelOp> kernelsOf(const Version &version) {
  mlir::func::FuncOp function = version.function;
  llvm::SmallVector<KernelOp> kernels;
  function.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  return kernels;
}

using KernelSymbols = llvm::DenseMap<mlir::Operation *, KernelSymbol>;

/// The body of one version: `lathe_status (args *)`, arguments already checked.
llvm::Function *emitVersion(EmitContext &emit, const Signature &signature, const Version &version, const KernelSymbols &kernels,
                            llvm::GlobalVariable *kernelTable);
/// The same on the device of the call's context; `code` is its lathe_device_code.
llvm::Function *emitDeviceVersion(EmitContext &emit, const Signature &signature, const Version &version,
                                  const KernelSymbols &kernels, llvm::GlobalVariable *kernelTable, llvm::GlobalVariable *code);
/// Bytes that a device needs behind the workspace of a function's buffers: scratch memory of its kernels, and places that its
/// arguments may be copied to.
Dim stagingSize(const Signature &signature, const KernelSymbols &kernels, llvm::ArrayRef<Version> versions);

/// Calls the application's function with the buffers of its tensors, inputs first; `shapes` has room for their extents. Gives
/// the status.
llvm::Value *emitExternCall(EmitContext &emit, llvm::IRBuilder<> &builder, KernelOp kernel,
                            llvm::ArrayRef<llvm::Value *> buffers, llvm::Value *shapes,
                            const std::map<std::string, llvm::Value *> &dims);
/// Gives the application's functions their names, when all of the module is emitted; what is internal and has one of these
/// names gets another.
void nameExterns(llvm::Module &module);

/// NAME_workspace_size(dimensions): the formula, SIZE_MAX for dimensions out of bounds.
void emitWorkspaceSize(EmitContext &emit, const Signature &signature);

/// The exported entry of the present level, `lathe_status (args *)`. A call whose context has a device goes to `deviceBodies`,
/// where there are any; without bodies for the CPU no other call is possible.
void emitEntry(EmitContext &emit, const Signature &signature, llvm::ArrayRef<Version> versions,
               llvm::ArrayRef<llvm::Function *> bodies, llvm::ArrayRef<llvm::Function *> deviceBodies = {});

/// The exported entry of an object of several levels, lowest first: calls that of the best level that the context or the CPU
/// allows.
void emitDispatch(EmitContext &emit, const Signature &signature, llvm::ArrayRef<VectorTarget> levels);

/// Conditions that the entry checks, at the builder's place; leaves the builder where all hold.
void emitArgumentChecks(EmitContext &emit, const Signature &signature, llvm::IRBuilder<> &builder, llvm::Value *args,
                        std::map<std::string, llvm::Value *> &dims);

/// The table of a function's kernel calls, one lathe_kernel_info each, in the order of the general version.
llvm::GlobalVariable *emitKernelTable(EmitContext &emit, const Signature &signature, const Version &version,
                                      const KernelSymbols &kernels);
/// PREFIX_info and the tables behind it.
void emitInfo(EmitContext &emit, llvm::ArrayRef<std::vector<Version>> versions,
              llvm::ArrayRef<llvm::GlobalVariable *> kernelTables);

} // namespace lathe

#endif
