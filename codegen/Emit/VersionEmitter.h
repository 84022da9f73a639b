// The body of one version of an entry: calls of kernels, branches and loops around them.
#ifndef LATHE_CODEGEN_EMIT_VERSIONEMITTER_H
#define LATHE_CODEGEN_EMIT_VERSIONEMITTER_H

#include "codegen/Emit/CheckFunctions.h"
#include "codegen/Emit/Predication.h"

namespace lathe {

/// Emits blocks of kernels, branches and loops in order, as plain control flow over memory that is planned.
class VersionEmitter {
public:
  /// `deviceCode`: null for a version that runs on the CPU.
  VersionEmitter(EmitContext &emit, const Signature &signature, const Version &version, const KernelSymbols &kernels,
                 llvm::GlobalVariable *kernelTable, llvm::GlobalVariable *deviceCode = nullptr)
      : emit(emit), signature(signature), version(version), kernels(kernels), kernelTable(kernelTable), deviceCode(deviceCode),
        builder(emit.context), start(emit.context) {}

  llvm::Function *run();

private:
  using Pointers = llvm::SmallVector<llvm::Value *>;
  void reserveClosure();
  /// A field of the args struct, read where the function begins.
  llvm::Value *load(llvm::Type *type, unsigned offset);
  llvm::Value *statePointer(unsigned index);
  llvm::Value *weightPointer(uint64_t place);
  llvm::Value *argumentPointer(bool isOutput, unsigned index);
  llvm::Value *pointerOf(mlir::Value value);
  llvm::Value *bufferPointer(BufferAttr buffer);

  // DeviceCalls.cpp
  bool isOnDevice() const { return deviceCode != nullptr; }
  /// What the function does on a device before and after its kernels; `begin` leaves `start` where a call's kernels begin.
  void beginOnDevice(llvm::BasicBlock *setup);
  void endOnDevice();
  void bindArguments();
  /// Asks the device whether it has recorded what follows: all that the addresses and sizes of a call's kernels are made of is
  /// the key, and `more`, words where `at` is.
  llvm::Value *beginRecording(llvm::IRBuilder<> &at, llvm::ArrayRef<llvm::Value *> more = {});
  void endRecording();
  /// A function of lathe_device_api, called with the context and these.
  llvm::Value *callDevice(llvm::IRBuilder<> &at, size_t offset, llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments);
  void emitPredicated(IfOp op);
  void launch(const KernelSymbol &symbol, unsigned row);
  void callExternOnDevice(ExternOp op, KernelOp kernel, llvm::ArrayRef<llvm::Value *> buffers, unsigned row);
  llvm::Value *hostRoom(llvm::Value *bytes, unsigned number);
  llvm::Value *bytesOf(mlir::Value value);
  /// Ends the function with a status that is told already, or with the device's.
  void leave(llvm::Value *status);
  llvm::Value *finishOnDevice(bool tells);

  /// A scalar or a tensor as the host reads it: where it is, or in a copy; `number` tells copies apart that are needed at once.
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
  enum class Hook : unsigned { ParallelFor = 8, Profile = 16, Print = 24 }; // where it stands in struct lathe_context
  llvm::Value *loadHook(llvm::IRBuilder<> &at, Hook hook);
  /// Goes on with `tell` where the call has a context with such a hook.
  void ifHooked(Hook hook, llvm::function_ref<void(llvm::Value *hook)> tell);
  /// Returns the status, which is told in the error record.
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
  /// Returns the status, told in the error record with the index of an element.
  void failAt(llvm::Value *found, mlir::Value value, SourcePlace place, const Failure &failure);
  std::pair<llvm::BasicBlock *, llvm::BasicBlock *> branchOn(llvm::Value *found);
  llvm::Value *storeExtents(mlir::Value value);
  llvm::Value *countOf(mlir::Value value);

  // ControlFlow.cpp
  /// The two places of each carry: that which a step reads and that which it writes.
  struct Carries {
    Pointers old, next;
  };
  void emitControl(mlir::Operation *op);
  void emitIf(IfOp op);
  void emitScan(ScanOp op);
  void emitWhile(WhileOp op);
  void emitRegion(mlir::Block &block, llvm::ArrayRef<llvm::Value *> arguments, Pointers yields);
  Carries beginCarries(mlir::Operation *loop, mlir::OperandRange first, llvm::BasicBlock *before);
  /// A loop's blocks: the head counts the steps that are done.
  struct LoopCode {
    llvm::BasicBlock *head, *step, *next;
    llvm::PHINode *done;
    Carries carries;
  };
  /// The loop has no step left: returns the status that says so where a condition still holds.
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
  llvm::IRBuilder<> builder, start; // `start` is where the function begins: what it makes is known everywhere
  llvm::Function *function = nullptr;
  llvm::Value *args = nullptr, *closure = nullptr, *state = nullptr, *weights = nullptr, *workspace = nullptr,
              *contextPointer = nullptr, *profiler = nullptr, *deviceApi = nullptr, *deviceScratch = nullptr,
              *predicatePlace = nullptr;
  using Predicate = std::pair<llvm::Value *, llvm::Value *>; // address of a byte, wanted value
  llvm::SmallVector<Predicate> predicates;                   // around what is emitted
  Predicated predicated;                                     // so many have their places by now
  llvm::BasicBlock *finished = nullptr;                      // of a recordable version: where its kernels are done
  llvm::SmallVector<llvm::Value *> recordingWords;           // of beginRecording: what a whole call depends on
  std::map<std::string, llvm::Value *> dims;
  llvm::DenseMap<mlir::Value, llvm::Value *> pointers;
  llvm::DenseMap<mlir::Operation *, unsigned> rows;         // of the kernel table
  std::map<std::pair<bool, unsigned>, llvm::Value *> bound; // arguments as a device's kernels find them
  Pointers yields;                                          // places of what the region yields that is emitted now
};

} // namespace lathe

#endif
