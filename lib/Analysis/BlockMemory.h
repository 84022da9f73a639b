// The bytes that are live while the ops of a block run, for any order of these ops.
#ifndef LATHE_ANALYSIS_BLOCKMEMORY_H
#define LATHE_ANALYSIS_BLOCKMEMORY_H

#include "dialects/Lathe/IR/Sizes.h"
#include "lib/Analysis/Liveness.h"

namespace lathe {

/// The steps of a planned block, which are its kernels, branches and loops, and the buffers between them, as the plan makes
/// them: results that a function returns, variables that are updated in place and values in cold memory take no bytes, an input
/// whose live range ends may become the result, and views share their operand's buffer.
class BlockMemory {
public:
  struct Buffer {
    mlir::Value value;
    int64_t bytes;
    unsigned maker;                      // the step that writes it
    llvm::SmallVector<unsigned> readers; // steps; the number of steps stands for the end of the block
    llvm::SmallVector<unsigned> takes;   // buffers that may become this one if their live range ends at the maker
  };
  struct Step {
    mlir::Operation *op;
    int64_t inside = 0;                        // bytes that only its regions and second buffers take
    llvm::SmallVector<unsigned> reads, writes; // buffers
    llvm::SmallVector<unsigned> after;         // steps that must run earlier
  };

  /// Reads a block for these sizes of the named dimensions. `positions` numbers the function's ops.
  BlockMemory(mlir::Block &block, const Sizes &sizes, const Positions &positions);

  /// An order of the steps.
  using Order = std::vector<unsigned>;

  size_t size() const { return steps.size(); }
  const std::vector<Step> &getSteps() const { return steps; }
  const std::vector<Buffer> &getBuffers() const { return buffers; }
  /// Returns the order in which the block has its steps.
  Order order() const;
  /// Returns the live bytes while each step of an order runs, in that order.
  std::vector<int64_t> profile(const Order &order) const;
  /// Calls `visit` with these bytes, step by step, while it returns true. `unread` is memory of the caller's, so that a search
  /// that tries many orders allocates it once.
  template <typename Visitor>
  void walk(const Order &order, std::vector<unsigned> &unread, Visitor visit) const;
  /// Returns the buffers that are live while the step at this place of an order runs, largest first.
  std::vector<unsigned> liveAt(const Order &order, size_t place) const;
  /// Returns the largest value of the profile.
  int64_t peak(const Order &order) const;

private:
  void addSteps(mlir::Block &block, const Sizes &sizes, const Positions &positions);
  void addBuffers(unsigned step, const Sizes &sizes);
  void connect();
  void takeInputs(unsigned step);
  void keepInPlace(mlir::Block &block);

  std::vector<Step> steps;
  std::vector<Buffer> buffers;
  std::vector<unsigned> readerCounts; // of the buffers
  llvm::DenseMap<mlir::Operation *, unsigned> stepOf;
  llvm::DenseMap<mlir::Value, unsigned> bufferOf;
};

template <typename Visitor>
void BlockMemory::walk(const Order &order, std::vector<unsigned> &unread, Visitor visit) const {
  unread = readerCounts;
  int64_t now = 0;
  llvm::SmallVector<unsigned> taken;
  for (unsigned number : order) {
    const Step &step = steps[number];
    for (unsigned b : step.reads)
      --unread[b];
    taken.clear();
    int64_t begin = now;
    for (unsigned b : step.writes) {
      auto take =
          llvm::find_if(buffers[b].takes, [&](unsigned input) { return !unread[input] && !llvm::is_contained(taken, input); });
      now += buffers[b].bytes;
      if (take == buffers[b].takes.end())
        begin += buffers[b].bytes;
      else
        taken.push_back(*take);
    }
    if (!visit(begin + step.inside))
      return;
    for (unsigned b : step.reads)
      if (!unread[b])
        now -= buffers[b].bytes;
    for (unsigned b : step.writes)
      if (!readerCounts[b])
        now -= buffers[b].bytes;
  }
}

/// Returns sizes for the names in the types of a function: each is `size`.
Sizes sizesOf(mlir::Operation *function, int64_t size);

} // namespace lathe

#endif
