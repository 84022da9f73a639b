// Calls of a version's kernels: on the calling thread, through the context's threads, inlined, or launched on a device.
#ifndef LATHE_CODEGEN_EMIT_KERNELCALLS_H
#define LATHE_CODEGEN_EMIT_KERNELCALLS_H

#include "codegen/Emit/Reports.h"

namespace lathe {

/// Emits the calls of a version's kernels.
class KernelCalls {
public:
  KernelCalls(VersionFrame &frame, DeviceCalls *device, VersionMemory &memory, ReportEmitter &reports);

  void call(KernelOp kernel);
  /// True if the kernel is tiny and runs in a loop, so that its code becomes part of the version's.
  bool isInlined(KernelOp kernel);
  void emitInlined(llvm::ArrayRef<KernelOp> tiny);
  void loadProfiler();

private:
  Pointers wordsOf(KernelOp kernel);
  void store(llvm::ArrayRef<llvm::Value *> words, llvm::Value *place);
  llvm::Value *itemsOf(const KernelSymbol &symbol);
  llvm::Function *codeOf(const KernelSymbol &symbol);
  void inlineCode(KernelOp kernel);
  void callExtern(ExternOp op, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row);
  void callExternOnDevice(ExternOp op, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row);
  void runCollective(KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row);
  void leaveIfDeviceFailed();
  void runCollectiveOnDevice(KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row);
  llvm::SmallVector<llvm::Value *> copiesOnHost(KernelOp kernel);
  void writeResults(KernelOp kernel, llvm::ArrayRef<llvm::Value *> copies, llvm::ArrayRef<llvm::Value *> buffers);
  void callRunner(const KernelSymbol &symbol, llvm::Value *count, unsigned row);
  llvm::Value *isWorthThreads(llvm::Value *work);
  llvm::Value *threadsFor(const KernelSymbol &symbol, llvm::Value *work);
  void dispatch(const KernelSymbol &symbol, llvm::Value *count);
  void branchIfProfiled(llvm::BasicBlock *profiled, llvm::BasicBlock *otherwise);
  void profile(unsigned row, bool begin);

  VersionFrame &frame;
  DeviceCalls *device;
  VersionMemory &memory;
  ReportEmitter &reports;
  EmitContext &emit = frame.emit;
  llvm::IRBuilder<> &builder = frame.builder, &start = frame.start;
  llvm::Value *&closure = frame.closure, *&contextPointer = frame.contextPointer;
  std::map<std::string, llvm::Value *> &dims = frame.dims;
  llvm::Value *profiler = nullptr;
  llvm::DenseMap<mlir::Operation *, unsigned> rows; // of the kernel table
};

} // namespace lathe

#endif
