// Calls of the context's device: everything that a version for GPUs asks of lathe_device_api.
#ifndef LATHE_CODEGEN_EMIT_DEVICECALLS_H
#define LATHE_CODEGEN_EMIT_DEVICECALLS_H

#include "codegen/Emit/VersionFrame.h"

namespace lathe {

class DeviceCalls {
public:
  DeviceCalls(VersionFrame &frame, llvm::GlobalVariable *code) : frame(frame), deviceCode(code) {}

  /// Emit the device calls before and after a function's kernels. `begin` leaves `start` where the kernels of a call begin.
  void begin(llvm::BasicBlock *setup);
  void end();
  /// Emits a call of a function of lathe_device_api, with the context as its first argument.
  llvm::Value *call(llvm::IRBuilder<> &at, size_t offset, llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments);
  /// Returns the address at which kernels access an argument.
  llvm::Value *argument(bool isOutput, unsigned index) const { return bound.at({isOutput, index}); }
  /// Emits a test whether the device has a recording of the code that follows. The key consists of all addresses and sizes that
  /// a call's kernels depend on, and of the words `more`, available at `at`.
  llvm::Value *beginRecording(llvm::IRBuilder<> &at, llvm::ArrayRef<llvm::Value *> more = {});
  void endRecording();
  void launch(const KernelSymbol &symbol, unsigned row);
  llvm::Value *hostMemory(llvm::Value *bytes, unsigned number);
  /// Emits a wait for pending work, and returns the device's status; `fillsError`: also fills the error record.
  llvm::Value *finish(bool fillsError);

  llvm::Value *scratch = nullptr, *predicatePlace = nullptr;

private:
  void bindArguments();

  VersionFrame &frame;
  llvm::GlobalVariable *deviceCode;
  EmitContext &emit = frame.emit;
  const Signature &signature = frame.signature;
  const Version &version = frame.version;
  llvm::IRBuilder<> &builder = frame.builder, &start = frame.start;
  std::map<std::string, llvm::Value *> &dims = frame.dims;
  llvm::Value *deviceApi = nullptr;
  llvm::BasicBlock *finished = nullptr;            // in a version that is recorded: the block after its kernels
  llvm::SmallVector<llvm::Value *> recordingWords; // the part of each recording's key that is the same in the whole call
  std::map<std::pair<bool, unsigned>, llvm::Value *> bound; // arguments where a device's kernels access them
};

} // namespace lathe

#endif
