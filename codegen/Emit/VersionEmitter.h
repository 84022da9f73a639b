// The body of one version of an entry: calls of kernels, with branches and loops around them.
#ifndef LATHE_CODEGEN_EMIT_VERSIONEMITTER_H
#define LATHE_CODEGEN_EMIT_VERSIONEMITTER_H

#include "codegen/Emit/KernelCalls.h"
#include "codegen/GPU/Predication.h"
#include <optional>

namespace lathe {

/// Emits blocks of kernels, branches and loops in order, as plain control flow over planned memory.
class VersionEmitter {
public:
  /// `deviceCode` is null for a version that runs on the CPU.
  VersionEmitter(EmitContext &emit, const Signature &signature, const Version &version, const KernelSymbols &kernels,
                 llvm::GlobalVariable *kernelTable, llvm::GlobalVariable *deviceCode = nullptr);

  llvm::Function *run();

private:
  bool isOnDevice() const { return device.has_value(); }
  void emitBlock(mlir::Block &block);

  // ControlFlow.cpp
  /// The places of each carry: the one that a step reads, and those that it and the step after it write. The last one is null
  /// for a carry whose next step writes the place that this one reads.
  struct Carries {
    Pointers old, next, afterNext;
  };
  void emitControl(mlir::Operation *op);
  void emitIf(IfOp op);
  void emitScan(ScanOp op);
  void emitWhile(WhileOp op);
  void emitRegion(mlir::Block &block, llvm::ArrayRef<llvm::Value *> arguments, Pointers yields);
  Carries beginCarries(mlir::Operation *loop, const Pointers &places, const Pointers &own, llvm::BasicBlock *before);
  /// The blocks of a loop, whose head counts the completed steps.
  struct LoopCode {
    llvm::BasicBlock *head, *step, *next;
    llvm::PHINode *done;
    Carries carries;
  };
  /// Emits the failure of a loop whose condition still holds after its declared maximum of steps.
  void failAtBound(WhileOp op);
  LoopCode beginLoop(mlir::Operation *loop, mlir::OperandRange first, const char *name);
  void endStep(mlir::Operation *loop, const LoopCode &code);
  llvm::Value *stepsOf(ScanOp op);
  void clearRest(ScanOp op, llvm::ArrayRef<llvm::Value *> stacks, llvm::Value *steps);
  llvm::Value *isTrue(mlir::Value value);

  // DeviceLoops.cpp
  struct Ahead;
  void emitPredicated(IfOp op);
  void emitAhead(WhileOp op);
  void emitStepsAhead(WhileOp op, const Ahead &loop);
  llvm::Value *stepsThatRan(const Ahead &loop);

  VersionFrame frame;
  std::optional<DeviceCalls> device;
  VersionMemory memory;
  ReportEmitter reports;
  KernelCalls calls;
  EmitContext &emit = frame.emit;
  llvm::IRBuilder<> &builder = frame.builder, &start = frame.start;
  std::map<std::string, llvm::Value *> &dims = frame.dims;
  Predicated predicated; // numbers of places assigned so far
};

} // namespace lathe

#endif
