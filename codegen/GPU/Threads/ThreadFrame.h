// The function of a kernel as one thread sees it: its number, shared memory, what it exchanges with others.
#ifndef LATHE_CODEGEN_GPU_THREADS_THREADFRAME_H
#define LATHE_CODEGEN_GPU_THREADS_THREADFRAME_H

#include "codegen/GPU/Form.h"
#include "codegen/Points/CodeFrame.h"

namespace lathe::gpu {

/// Makes the function of a kernel with one parameter of so many words, and of maps behind them, for blocks of so many threads.
mlir::LLVM::LLVMFuncOp makeFunction(KernelOp kernel, mlir::ModuleOp module, llvm::StringRef name, unsigned words,
                                    unsigned threads, unsigned maps = 0);

/// So many threads run at once on a large device.
constexpr int64_t kThreadsAtOnce = 1 << 18;

class ThreadFrame : public CodeFrame {
public:
  /// Binds the words of the parameter. `thread` is the target that its code is evaluated for.
  ThreadFrame(KernelOp kernel, llvm::ArrayRef<std::string> symbols, mlir::LLVM::LLVMFuncOp function, unsigned threads,
              const VectorTarget &thread, mlir::OpBuilder &builder);

  mlir::LLVM::LLVMFuncOp function;
  const unsigned threads; // of a block
  mlir::Value thread;     // in the block, i64
  mlir::Value block;      // i64
  llvm::SmallVector<mlir::Value> outputs;

  /// The word of the parameter behind those of wordsOf, an address.
  mlir::Value scratch() { return word(scratchWord, mlir::LLVM::LLVMPointerType::get(b.getContext())); }
  /// Ends the function: what a caller must know of it, but for its grid's unit and what else is special.
  KernelCode finish(llvm::ArrayRef<std::string> symbols, const Dim &extent, std::string form);
  /// How many blocks run, i64.
  mlir::Value blocks();
  /// Whether ceil(extent / unit) blocks may be more than run at once: those that do then share the work.
  bool exceedsOneWave(const Dim &extent, int64_t unit) const;
  /// What `body` does for each of `count` blocks' work: for the block's own number, or of a persistent kernel in turn for all
  /// that fall to it. Work that threads of the block do together must leave shared memory to the next turn.
  void eachBlock(bool isPersistent, mlir::Value count, llvm::function_ref<void(mlir::Value)> body);
  /// Moves loads in front of what is computed where they are, as far as the last store or meeting of threads, so that they are
  /// on their way together: the assembler does not move them across the branches that it makes of a division.
  void hoistLoads();
  /// Lets the function have as many registers as one block may: else ptxas spills a few in order that more blocks fit.
  void wantRegisters();
  /// The thread's number in the whole grid.
  mlir::Value globalThread();
  /// Indices of the element that is `linear`-th in row-major order.
  llvm::SmallVector<Index> indicesOf(mlir::Value linear, llvm::ArrayRef<Dim> extents);
  /// What `body` does where the condition holds.
  void when(mlir::Value condition, llvm::function_ref<void()> body);
  mlir::Value isBelow(mlir::Value x, mlir::Value y);
  /// Ends the thread where the condition does not hold. Whole warps must leave together if what follows exchanges values, and
  /// none may before a barrier of the block.
  void leaveUnless(mlir::Value condition);
  /// A loop that is not unrolled by what follows, which would need more registers than there are; of at least one value.
  Carry rolledLoop(mlir::Value low, mlir::Value high, mlir::ValueRange init,
                   llvm::function_ref<Carry(mlir::Value, mlir::ValueRange)> body);
  /// Of a number in floating point.
  mlir::Value isFinite(mlir::Value value);
  /// An i64 as i32, and back; neither is negative.
  mlir::Value narrow(mlir::Value wide) { return b.createOrFold<mlir::arith::TruncIOp>(loc, b.getI32Type(), wide); }
  mlir::Value widen(mlir::Value narrow) { return b.createOrFold<mlir::arith::ExtUIOp>(loc, b.getI64Type(), narrow); }

  /// Memory that the threads of a block share, its address generic.
  mlir::Value shared(llvm::StringRef name, mlir::Type element, int64_t count);
  /// The shared memory that the host gives a block, aligned to 1024 bytes: its address as one of shared memory's.
  mlir::Value dynamicShared();
  /// A generic address as one of the device's memory.
  mlir::Value global(mlir::Value address);
  /// Where the parameter has the map of this number.
  mlir::Value mapAt(unsigned words, unsigned number);
  /// All threads of the block come here, and see what any has written before.
  void barrier();
  /// The same for the threads of a warp.
  void warpBarrier();
  /// Whether the condition holds in some thread of the warp, all of which come here.
  mlir::Value any(mlir::Value condition);
  /// The value that the thread has whose number in the warp differs in the bit `mask`.
  mlir::Value exchange(mlir::Value value, unsigned mask) { return shuffle(value, number(mask), Shuffle::Across); }
  /// The value of the thread that comes so far before it in the warp; its own where there is none.
  mlir::Value fromBefore(mlir::Value value, unsigned distance) { return shuffle(value, number(distance), Shuffle::Before); }
  /// The value of the thread of this number (an i32) in the warp.
  mlir::Value fromThread(mlir::Value value, mlir::Value of) { return shuffle(value, of, Shuffle::Of); }
  /// An i32.
  mlir::Value number(int32_t value);

  /// Row-major elements of the product of these extents: a number where all are.
  static Dim product(llvm::ArrayRef<Dim> extents);

private:
  enum class Shuffle { Across, Before, Of };
  mlir::Value shuffle(mlir::Value value, mlir::Value operand, Shuffle kind);
  unsigned wordCount();
  unsigned scratchWord;
  mlir::Value word(unsigned number, mlir::Type type);
  void checkPredicates(unsigned firstWord, unsigned predicates);
};

} // namespace lathe::gpu

#endif
