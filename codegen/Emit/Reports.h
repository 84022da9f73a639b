// Asserts, prints and checks of a version, and how it ends where it fails.
#ifndef LATHE_CODEGEN_EMIT_REPORTS_H
#define LATHE_CODEGEN_EMIT_REPORTS_H

#include "codegen/Emit/CheckFunctions.h"
#include "codegen/Emit/VersionMemory.h"

namespace lathe {

class ReportEmitter {
public:
  ReportEmitter(VersionFrame &frame, DeviceCalls *device, VersionMemory &memory)
      : frame(frame), device(device), memory(memory) {}

  void emitReport(mlir::Operation *op);
  /// Emits a return of the status, after filling the error record.
  void fail(llvm::Value *status, SourcePlace place, llvm::StringRef op, llvm::StringRef argument, llvm::Value *expected,
            llvm::Value *actual);
  /// Emits a return of a status that has been reported, after pending work of a device.
  void leave(llvm::Value *status);

private:
  void emitAssert(AssertOp op);
  void emitPrint(PrintOp op);
  void emitFiniteCheck(CheckOp op);
  void emitInsideCheck(CheckOp op);
  struct Failure {
    Status status;
    llvm::StringRef op;
    llvm::Value *other, *expected, *actual;
  };
  /// Emits a return of the status, after filling the error record and the index of an element.
  void failAt(llvm::Value *found, mlir::Value value, SourcePlace place, const Failure &failure);
  std::pair<llvm::BasicBlock *, llvm::BasicBlock *> branchOn(llvm::Value *found);

  VersionFrame &frame;
  DeviceCalls *device;
  VersionMemory &memory;
  EmitContext &emit = frame.emit;
  const Signature &signature = frame.signature;
  llvm::IRBuilder<> &builder = frame.builder;
  std::map<std::string, llvm::Value *> &dims = frame.dims;
};

} // namespace lathe

#endif
