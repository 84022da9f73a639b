// The body of one version of an entry: calls of kernels, with branches and loops around them.
#ifndef LATHE_CODEGEN_EMIT_VERSIONEMITTER_H
#define LATHE_CODEGEN_EMIT_VERSIONEMITTER_H

#include "codegen/Emit/CheckFunctions.h"
#include "codegen/GPU/Predication.h"

namespace lathe {

/// Emits blocks of kernels, branches and loops in order, as plain control flow over planned memory.
class VersionEmitter {
public:
  /// `deviceCode` is null for a version that runs on the CPU.
  VersionEmitter(EmitContext &emit, const Signature &signature, const Version &version, const KernelSymbols &kernels,
                 llvm::GlobalVariable *kernelTable, llvm::GlobalVariable *deviceCode = nullptr)
      : emit(emit), signature(signature), version(version), kernels(kernels), kernelTable(kernelTable), deviceCode(deviceCode),
        builder(emit.context), start(emit.context) {}

  llvm::Function *run();

private:
  using Pointers = llvm::SmallVector<llvm::Value *>;
  void reserveClosure();
  /// Loads a field of the args struct at the beginning of the function.
  llvm::Value *load(llvm::Type *type, unsigned offset);
  llvm::Value *statePointer(unsigned index);
  llvm::Value *weightPointer(uint64_t place);
  llvm::Value *argumentPointer(bool isOutput, unsigned index);
  llvm::Value *pointerOf(mlir::Value value);
  llvm::Value *bufferPointer(BufferAttr buffer);

  // DeviceCalls.cpp
  bool isOnDevice() const { return deviceCode != nullptr; }
  /// Emit the device calls before and after a function's kernels. beginOnDevice leaves `start` where the kernels of a call
  /// begin.
  void beginOnDevice(llvm::BasicBlock *setup);
  void endOnDevice();
  void bindArguments();
  /// Emits a test whether the device has a recording of the code that follows. The key consists of all addresses and sizes that
  /// a call's kernels depend on, and of the words `more`, available at `at`.
  llvm::Value *beginRecording(llvm::IRBuilder<> &at, llvm::ArrayRef<llvm::Value *> more = {});
  void endRecording();
  /// Emits a call of a function of lathe_device_api, with the context as its first argument.
  llvm::Value *callDevice(llvm::IRBuilder<> &at, size_t offset, llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments);
  void emitPredicated(IfOp op);
  void launch(const KernelSymbol &symbol, unsigned row);
  void callExternOnDevice(ExternOp op, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row);
  llvm::Value *hostMemory(llvm::Value *bytes, unsigned number);
  llvm::Value *bytesOf(mlir::Value value);
  /// Emits a return of a status that is already reported, or of the device's status.
  void leave(llvm::Value *status);
  llvm::Value *finishOnDevice(bool tells);

  /// Returns the address at which the host can read a value: its own, or that of a copy. Copies that are needed at the same
  /// time have different `number`s.
  llvm::Value *hostData(mlir::Value value, unsigned number = 0);

  void emitBlock(mlir::Block &block);
  void call(KernelOp kernel);
  Pointers wordsOf(KernelOp kernel);
  void store(llvm::ArrayRef<llvm::Value *> words, llvm::Value *place);
  llvm::Value *piecesOf(const KernelSymbol &symbol);
  llvm::Function *codeOf(const KernelSymbol &symbol);
  bool isInlined(KernelOp kernel);
  void emitInlined(llvm::ArrayRef<KernelOp> tiny);
  void inlineCode(KernelOp kernel);
  void callExtern(ExternOp op, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row);
  void dispatch(const KernelSymbol &symbol, llvm::Value *count);
  void loadProfiler();
  void branchIfProfiled(llvm::BasicBlock *profiled, llvm::BasicBlock *otherwise);
  void profile(unsigned row, bool begin);
  enum class Hook : unsigned { ParallelFor = 8, Profile = 16, Print = 24 }; // offset in struct lathe_context
  llvm::Value *loadHook(llvm::IRBuilder<> &at, Hook hook);
  /// Calls `tell` in a block for calls whose context has such a hook.
  void ifHooked(Hook hook, llvm::function_ref<void(llvm::Value *hook)> tell);
  /// Emits a return of the status, after filling the error record.
  void fail(llvm::Value *status, SourcePlace place, llvm::StringRef op, llvm::StringRef argument, llvm::Value *expected,
            llvm::Value *actual);

  // DeviceLoops.cpp
  struct Ahead;
  void emitAhead(WhileOp op);
  void emitStepsAhead(WhileOp op, const Ahead &loop);
  llvm::Value *stepsThatRan(const Ahead &loop);

  // Reports.cpp
  void emitReport(mlir::Operation *op);
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
  llvm::Value *storeExtents(mlir::Value value);
  llvm::Value *countOf(mlir::Value value);

  // ControlFlow.cpp
  /// The two places of each carry: the one that a step reads and the one that it writes.
  struct Carries {
    Pointers old, next;
  };
  void emitControl(mlir::Operation *op);
  void emitIf(IfOp op);
  void emitScan(ScanOp op);
  void emitWhile(WhileOp op);
  void emitRegion(mlir::Block &block, llvm::ArrayRef<llvm::Value *> arguments, Pointers yields);
  Carries beginCarries(mlir::Operation *loop, mlir::OperandRange first, llvm::BasicBlock *before);
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
  Pointers pointersOf(mlir::ValueRange values);
  Pointers resultPointers(mlir::Operation *op);
  llvm::Value *stepsOf(ScanOp op);
  void clear(llvm::Value *place, llvm::Value *bytes);
  void clearRest(ScanOp op, llvm::ArrayRef<llvm::Value *> stacks, llvm::Value *steps);
  llvm::Value *isTrue(mlir::Value value);
  llvm::BasicBlock *block(llvm::StringRef name);
  void at(mlir::Operation *op);

  EmitContext &emit;
  const Signature &signature;
  const Version &version;
  const KernelSymbols &kernels;
  llvm::GlobalVariable *kernelTable, *deviceCode;
  llvm::IRBuilder<> builder, start; // `start` inserts at the beginning of the function, which dominates all blocks
  llvm::Function *function = nullptr;
  llvm::Value *args = nullptr, *closure = nullptr, *state = nullptr, *weights = nullptr, *workspace = nullptr,
              *contextPointer = nullptr, *profiler = nullptr, *deviceApi = nullptr, *deviceScratch = nullptr,
              *predicatePlace = nullptr;
  using Predicate = std::pair<llvm::Value *, llvm::Value *>; // address of a byte, wanted value
  llvm::SmallVector<Predicate> predicates;                   // those around the code that is currently emitted
  Predicated predicated;                                     // numbers of places assigned so far
  llvm::BasicBlock *finished = nullptr;                      // in a version that is recorded: the block after its kernels
  llvm::SmallVector<llvm::Value *> recordingWords; // the part of each recording's key that is the same in the whole call
  std::map<std::string, llvm::Value *> dims;
  llvm::DenseMap<mlir::Value, llvm::Value *> pointers;
  llvm::DenseMap<mlir::Operation *, unsigned> rows;         // of the kernel table
  std::map<std::pair<bool, unsigned>, llvm::Value *> bound; // arguments where a device's kernels access them
  Pointers yields;                                          // places of the values that the current region yields
};

} // namespace lathe

#endif
