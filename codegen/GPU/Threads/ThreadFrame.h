// The frame of a kernel's function for one thread: thread and block numbers, shared memory, barriers and shuffles.
#ifndef LATHE_CODEGEN_GPU_THREADS_THREADFRAME_H
#define LATHE_CODEGEN_GPU_THREADS_THREADFRAME_H

#include "codegen/GPU/Form.h"
#include "codegen/Points/CodeFrame.h"

namespace lathe::gpu {

/// Creates a kernel's function for blocks of `threads` threads. Its parameter has `words` words, followed by `maps` TMA
/// descriptors.
mlir::LLVM::LLVMFuncOp makeFunction(KernelOp kernel, mlir::ModuleOp module, llvm::StringRef name, unsigned words,
                                    unsigned threads, unsigned maps = 0);

/// The number of threads that a large device runs at once.
constexpr int64_t kThreadsAtOnce = 1 << 18;

class ThreadFrame : public CodeFrame {
public:
  /// Binds the words of the parameter. `thread` is the target of the thread's code (Target::thread).
  ThreadFrame(KernelOp kernel, llvm::ArrayRef<std::string> symbols, mlir::LLVM::LLVMFuncOp function, unsigned threads,
              const VectorTarget &thread, mlir::OpBuilder &builder);

  mlir::LLVM::LLVMFuncOp function;
  const unsigned threads; // per block
  mlir::Value thread;     // the thread's number in its block, i64
  mlir::Value block;      // the block's number, i64
  llvm::SmallVector<mlir::Value> outputs;

  /// Returns the address of scratch memory: the word after those of wordsOf.
  mlir::Value scratch() { return word(scratchWord, mlir::LLVM::LLVMPointerType::get(b.getContext())); }
  /// Ends the function and returns its description. The caller adds the grid's unit and whatever is not the default.
  KernelCode finish(llvm::ArrayRef<std::string> symbols, const Dim &extent, std::string form);
  /// Returns the number of launched blocks, i64.
  mlir::Value blocks();
  /// True if ceil(extent / unit) blocks may be more than run at once. Persistent blocks then share the work.
  bool exceedsOneWave(const Dim &extent, int64_t unit) const;
  /// Emits `body` for the work of `count` blocks: once for the block's own number or, in a persistent kernel, in a grid-stride
  /// loop. An iteration of that loop must not write shared memory that threads still read for the previous one.
  void eachBlock(bool isPersistent, mlir::Value count, llvm::function_ref<void(mlir::Value)> body);
  /// Hoists loads above the computations in front of them, up to the last store or barrier, so that they are in flight
  /// together. The assembler does not move loads across the branches that it makes of a division.
  void hoistLoads();
  /// Allows the function as many registers as one block can have. Otherwise ptxas spills a few so that more blocks fit.
  void wantRegisters();
  /// Returns the thread's number in the grid.
  mlir::Value globalThread();
  /// Returns the indices of the `linear`-th element in row-major order.
  llvm::SmallVector<Index> indicesOf(mlir::Value linear, llvm::ArrayRef<Dim> extents);
  mlir::Value isBelow(mlir::Value x, mlir::Value y);
  /// Ends the thread unless the condition holds. Whole warps must leave together if later code exchanges values, and no thread
  /// may leave before a barrier of the block.
  void leaveUnless(mlir::Value condition);
  /// Emits a loop that must not be unrolled, because it would then need too many registers. It carries at least one value.
  Carry rolledLoop(mlir::Value low, mlir::Value high, mlir::ValueRange init,
                   llvm::function_ref<Carry(mlir::Value, mlir::ValueRange)> body);
  /// Tests whether a floating-point number is finite.
  mlir::Value isFinite(mlir::Value value);
  /// Convert an i64 to i32 and back. Neither is negative.
  mlir::Value narrow(mlir::Value wide) { return b.createOrFold<mlir::arith::TruncIOp>(loc, b.getI32Type(), wide); }
  mlir::Value widen(mlir::Value narrow) { return b.createOrFold<mlir::arith::ExtUIOp>(loc, b.getI64Type(), narrow); }

  /// Declares shared memory of the block and returns its generic address.
  mlir::Value shared(llvm::StringRef name, mlir::Type element, int64_t count);
  /// Returns the address of the block's dynamic shared memory in the shared address space, aligned to 1024 bytes.
  mlir::Value dynamicShared();
  /// Casts a generic address to global memory.
  mlir::Value global(mlir::Value address);
  /// Returns the address of a TMA descriptor in the parameter.
  mlir::Value mapAt(unsigned words, unsigned number);
  /// Emits a barrier of the block, after which its threads see what any of them has written before.
  void barrier();
  /// Emits the same barrier for the threads of a warp.
  void warpBarrier();
  /// Tests whether the condition holds in any thread of the warp. All threads of the warp must reach the test.
  mlir::Value any(mlir::Value condition);
  /// Returns the value of the lane whose number differs in the bit `mask`.
  mlir::Value exchange(mlir::Value value, unsigned mask) { return shuffle(value, number(mask), Shuffle::Across); }
  /// Returns the value of the lane `distance` before this one, or the lane's own value if there is none.
  mlir::Value fromBefore(mlir::Value value, unsigned distance) { return shuffle(value, number(distance), Shuffle::Before); }
  /// Returns the value of the lane with this number (an i32).
  mlir::Value fromThread(mlir::Value value, mlir::Value of) { return shuffle(value, of, Shuffle::Of); }
  /// Returns an i32 constant.
  mlir::Value number(int32_t value);

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
