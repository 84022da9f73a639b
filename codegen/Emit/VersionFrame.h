// The frame of the code for one version of an entry: its function, the sizes of dimensions, and the context's hooks.
#ifndef LATHE_CODEGEN_EMIT_VERSIONFRAME_H
#define LATHE_CODEGEN_EMIT_VERSIONFRAME_H

#include "codegen/Emit/EntryEmitter.h"
#include "lathe/runtime.h"

namespace lathe {

using Pointers = llvm::SmallVector<llvm::Value *>;

/// The function of a version while its code is emitted. Nothing here depends on where the kernels run.
class VersionFrame {
public:
  /// Creates the function. `kind` tells versions of one name apart in its symbol.
  VersionFrame(EmitContext &emit, const Signature &signature, const Version &version, const KernelSymbols &kernels,
               llvm::GlobalVariable *kernelTable, const std::string &kind, bool baseline);

  llvm::BasicBlock *block(llvm::StringRef name);
  /// Sets the location of the code that follows to the op's.
  void at(mlir::Operation *op);
  /// Loads a field of the args struct at the beginning of the function.
  llvm::Value *load(llvm::Type *type, unsigned offset);
  /// Emits the bytes, or the number, of a tensor's elements.
  llvm::Value *bytesOf(mlir::Value value);
  llvm::Value *countOf(mlir::Value value);
  /// Stores the extents of a value, and returns their address. They are valid until the next call.
  llvm::Value *storeExtents(mlir::Value value);

  /// The hooks of a context, by their offset.
  enum class Hook : unsigned {
    ParallelFor = offsetof(lathe_context, parallel_for),
    Profile = offsetof(lathe_context, profile),
    Print = offsetof(lathe_context, print)
  };
  llvm::Value *loadHook(llvm::IRBuilder<> &at, Hook hook);
  /// Emits `emitCode` in a block for calls whose context has such a hook.
  void ifHooked(Hook hook, llvm::function_ref<void(llvm::Value *hook)> emitCode);

  EmitContext &emit;
  const Signature &signature;
  const Version &version;
  const KernelSymbols &kernels;
  llvm::GlobalVariable *kernelTable;
  llvm::IRBuilder<> builder, start; // `start` inserts at the beginning of the function, which dominates all blocks
  llvm::Function *function = nullptr;
  llvm::BasicBlock *body = nullptr; // the block after `start`'s
  llvm::Value *args = nullptr, *closure = nullptr, *contextPointer = nullptr, *workspace = nullptr, *coldWorkspace = nullptr;
  std::map<std::string, llvm::Value *> dims;
  /// True for a version of many kernels without branches and loops around them: one list of calls, which runs once. Its code is
  /// short rather than fast, because what takes time to compile here is the number of instructions and of blocks.
  bool isList = false;
  using Predicate = std::pair<llvm::Value *, llvm::Value *>; // address of a byte, wanted value
  llvm::DenseMap<mlir::Value, llvm::Constant *> exchanges;   // the lathe_collective_info of results that are waited for
  llvm::SmallVector<Predicate> predicates;                   // those around the code that is currently emitted

private:
  /// Sets `isList`, and leaves the function out of optimisation if it is one.
  void findList();
  /// Reserves memory for the arguments of one kernel call at a time.
  void reserveClosure();
};

} // namespace lathe

#endif
