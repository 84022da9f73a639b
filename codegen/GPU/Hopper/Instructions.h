// Instructions of sm_90a as inline PTX: mbarriers, TMA copies and wgmma. Addresses are i32 addresses of shared memory.
#ifndef LATHE_CODEGEN_GPU_HOPPER_INSTRUCTIONS_H
#define LATHE_CODEGEN_GPU_HOPPER_INSTRUCTIONS_H

#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

class Instructions {
public:
  explicit Instructions(ThreadFrame &frame) : frame(frame) {}

  ThreadFrame &frame;

  /// Initialises an mbarrier, by one thread. A phase completes after so many arrivals and all bytes that they expect.
  void makeBarrier(mlir::Value barrier, unsigned arrivals);
  /// Makes initialised mbarriers visible to other threads and to TMA.
  void publishBarriers();
  void arrive(mlir::Value barrier);
  void arriveExpecting(mlir::Value barrier, unsigned bytes);
  /// Makes the thread's writes to shared memory visible to wgmma of other threads after a barrier.
  void publishShared();
  /// Emits a barrier for so many of the block's threads.
  void barrier(unsigned threads);
  /// Waits until the phase of this parity has completed. Before the first phase, that of odd parity counts as completed.
  void wait(mlir::Value barrier, mlir::Value parity);

  /// Starts the TMA copy of the box at these coordinates (innermost first). Its bytes arrive at the mbarrier.
  void copyBox(mlir::Value to, mlir::Value map, llvm::ArrayRef<mlir::Value> places, mlir::Value barrier);

  /// Sets the registers per thread from here on, by all threads of a warp group.
  void setRegisters(unsigned count, bool isMore);

  mlir::Value run(llvm::StringRef text, llvm::StringRef constraints, mlir::ValueRange arguments, mlir::Type result = {});
};

/// The accumulators of a warp group for 64 rows and `columns` columns, of products of f16, bf16 or TF32. They are PTX registers
/// that LLVM does not know: wgmma writes them while later instructions run, so that copies by LLVM would be wrong.
class GroupSums {
public:
  /// Declares the registers, in the function's first block. With `isSplit`, f32 operands are two TF32 parts.
  GroupSums(Instructions &instructions, unsigned columns, mlir::Type element, bool isSplit);

  void clear();
  /// A swizzled operand in shared memory, from `begin` on. f32 must have the depth inside. If the depth is outside, `repeat` is
  /// the bytes from one run of 128 bytes along rows or columns to the next.
  struct Operand {
    mlir::Value begin;
    bool hasDepthInside;
    unsigned repeat = 0;
  };
  /// Starts the products of a k-slice, as one wgmma group.
  void multiply(const Operand &lhs, const Operand &rhs);
  /// Does the same with the words of lhs in registers (Tf32Operands::load), and a part of rhs at each of these addresses.
  void multiply(llvm::ArrayRef<mlir::Value> lhs, llvm::ArrayRef<mlir::Value> rhs);
  /// Waits until at most one wgmma group is pending.
  void waitForOthers();
  /// Waits for all groups. Split f32 sums of the k-slice are then added to the totals by additions that round, because tensor
  /// cores truncate.
  void settle();
  /// Waits for all groups and returns the lane's sums: two adjacent ones in row lane / 4 of the warp's sixteen rows, from
  /// column lane % 4 * 2 on, two that are eight rows below, and so on for each further eight columns.
  llvm::SmallVector<mlir::Value> take();

private:
  mlir::Value descriptor(const Operand &operand);
  std::string product(llvm::StringRef lhs, bool isFirst) const;
  std::string names() const;
  std::string each(llvm::function_ref<std::string(const std::string &)> text) const;

  Instructions &instructions;
  ThreadFrame &frame;
  unsigned columns;
  mlir::Type element;
  bool isSplit;
};

} // namespace lathe::gpu

#endif
