// Instructions of sm_90a that no op stands for, as PTX: barriers in shared memory that count arrivals and bytes, copies of
// boxes, products of a warp group. Addresses are those of shared memory, i32.
#ifndef LATHE_CODEGEN_GPU_HOPPER_INSTRUCTIONS_H
#define LATHE_CODEGEN_GPU_HOPPER_INSTRUCTIONS_H

#include "codegen/GPU/Threads/ThreadFrame.h"

namespace lathe::gpu {

class Instructions {
public:
  explicit Instructions(ThreadFrame &frame) : frame(frame) {}

  ThreadFrame &frame;

  /// One thread: a barrier whose phase ends with so many arrivals, and with the bytes that are expected by then.
  void makeBarrier(mlir::Value barrier, unsigned arrivals);
  /// After the last of them, before any thread or copy meets one.
  void publishBarriers();
  void arrive(mlir::Value barrier);
  void arriveExpecting(mlir::Value barrier, unsigned bytes);
  /// Makes what the thread has written to shared memory known to products of warp groups that other threads begin after a
  /// barrier.
  void publishShared();
  /// All threads of so many, some of the block's, come here.
  void barrier(unsigned threads);
  /// Until the phase of this parity has ended; before the first one the odd one has.
  void wait(mlir::Value barrier, mlir::Value parity);

  /// Starts the copy of a map's box that begins at these places (innermost first), whose bytes arrive at the barrier.
  void copyBox(mlir::Value to, mlir::Value map, llvm::ArrayRef<mlir::Value> places, mlir::Value barrier);

  /// All threads of a warp group: how many registers each has from here on.
  void setRegisters(unsigned count, bool isMore);

  mlir::Value run(llvm::StringRef text, llvm::StringRef constraints, mlir::ValueRange arguments, mlir::Type result = {});
};

/// The sums of a warp group for 64 rows and so many columns, of products of halves, or of f32 as tf32. They are registers of
/// PTX that LLVM does not know: products write them while later instructions run, so copies that LLVM makes of values would be
/// wrong.
class GroupSums {
public:
  /// Declares the registers; in the function's first block. `isSplit`: f32 come in two parts of tf32.
  GroupSums(Instructions &instructions, unsigned columns, mlir::Type element, bool isSplit);

  void clear();
  /// An operand in shared memory, swizzled: where it begins, and whether its depth lies inside, as that of f32 must. `repeat`:
  /// bytes from one run of 128 bytes along rows or columns to the next, of an operand whose depth lies outside.
  struct Operand {
    mlir::Value begin;
    bool hasDepthInside;
    unsigned repeat = 0;
  };
  /// Begins the products of a run of the depth, as one group.
  void multiply(const Operand &lhs, const Operand &rhs);
  /// The same with the words of lhs in registers (Tf32Operands::load) and rhs at each of these places, one for each part.
  void multiply(llvm::ArrayRef<mlir::Value> lhs, llvm::ArrayRef<mlir::Value> rhs);
  /// Waits until at most one group has not ended.
  void waitForOthers();
  /// Waits for all. Of f32 in two parts what the run has given is added to the sums then, by additions that round: tensor cores
  /// cut off what does not fit behind a sum.
  void settle();
  /// Waits for all, and gives the sums: of row lane / 4 of the warp's sixteen two neighbours from column lane % 4 * 2 on, two
  /// of eight rows below, and so on for each further eight columns.
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
