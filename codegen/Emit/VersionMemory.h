// Addresses of a version's values: arguments, state, weights, and what the plan puts into the workspace.
#ifndef LATHE_CODEGEN_EMIT_VERSIONMEMORY_H
#define LATHE_CODEGEN_EMIT_VERSIONMEMORY_H

#include "codegen/Emit/DeviceCalls.h"

namespace lathe {

class VersionMemory {
public:
  /// `device` is null for a version that runs on the CPU.
  VersionMemory(VersionFrame &frame, DeviceCalls *device) : frame(frame), device(device) {}

  llvm::Value *pointerOf(mlir::Value value);
  Pointers pointersOf(mlir::ValueRange values);
  /// Returns the addresses of a kernel's operands, each in the order in which the kernel reads it.
  Pointers operandsOf(KernelOp kernel);
  llvm::Value *bufferPointer(BufferAttr buffer);
  Pointers resultPointers(mlir::Operation *op);
  /// Sets the address of a region's argument or of a control op's result.
  void set(mlir::Value value, llvm::Value *pointer) { pointers[value] = pointer; }
  /// Returns the address at which the host can read a value: its own, or that of a copy. Copies that are needed at the same
  /// time have different `number`s.
  llvm::Value *hostData(mlir::Value value, unsigned number = 0);
  void clear(llvm::Value *place, llvm::Value *bytes);

  Pointers yields; // places of the values that the current region yields

private:
  bool isUsedInPlace(BufferAttr buffer) const;
  llvm::Value *statePointer(unsigned index);
  llvm::Value *weightPointer(uint64_t place);
  llvm::Value *argumentPointer(bool isOutput, unsigned index);
  /// Emits the address this many bytes behind another one, for the current place in the code.
  llvm::Value *moved(llvm::Value *pointer, const Dim &bytes);

  VersionFrame &frame;
  DeviceCalls *device;
  EmitContext &emit = frame.emit;
  const Signature &signature = frame.signature;
  llvm::IRBuilder<> &builder = frame.builder, &start = frame.start;
  llvm::Value *state = nullptr, *weights = nullptr;
  llvm::DenseMap<mlir::Value, llvm::Value *> pointers;
};

} // namespace lathe

#endif
