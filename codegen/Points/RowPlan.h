// How a kernel over rows (kRowsAttr) is divided into passes over a row, and what one pass keeps for the next.
//
// A value's level is how many reductions lie one behind the other on the way to it. What reductions of level L read is known
// after pass L - 1, so they run in pass L; results are stored in the pass of their level. A value that several passes need is
// computed again in each, unless that is dearer than to store it in the row's buffer: a result of the same shape, where there
// is one, else a part of the stack.
#ifndef LATHE_CODEGEN_POINTS_ROWPLAN_H
#define LATHE_CODEGEN_POINTS_ROWPLAN_H

#include "codegen/Points/VectorTarget.h"
#include "dialects/Lathe/IR/Lathe.h"
#include <set>

namespace lathe {

/// One loop over the elements of a row.
struct RowPass {
  unsigned level;
  unsigned sumBytes = 0; // of the elements of its floating sums, whose order is that of their lanes; 0 without one
  llvm::SmallVector<NestOp> reductions;
  llvm::SmallVector<NestOp> keeps;    // values that it puts into their buffers
  llvm::SmallVector<unsigned> stores; // results of the kernel, by number
};

/// Where a value lives between passes: in a result of the kernel, or on the stack.
struct RowBuffer {
  NestOp value;
  std::optional<unsigned> result;
};

class RowPlan {
public:
  explicit RowPlan(KernelOp kernel);

  llvm::SmallVector<mlir::Value> roots;
  Dims full;          // the dimensions of rows, then those of a row
  unsigned rank = 0;  // how many are those of rows
  unsigned units = 0; // how many of those of a row come last and have extent 1 in every version of the function
  std::vector<RowPass> passes;
  std::vector<RowBuffer> buffers;
  llvm::SmallVector<unsigned> rowResults; // results of the kernel with one element a row
  llvm::SmallVector<NestOp> rowValues;    // made of reductions, one element a row; in order
  llvm::SmallVector<std::string> symbols;
  unsigned elementBytes = 1; // of the widest element that lines have

  unsigned levelOf(mlir::Value value) const { return levels.lookup(value); }
  bool isLine(mlir::Value value) const { return dimsOf(value) == full; }
  llvm::ArrayRef<Dim> rowExtents() const { return llvm::ArrayRef<Dim>(full).take_front(rank); }
  llvm::ArrayRef<Dim> lineExtents() const { return llvm::ArrayRef<Dim>(full).drop_front(rank); }
  /// The dimension that vectors go along. Like a kernel of its own, a sum does not count units as rows of one term each.
  unsigned vectorDim() const { return full.size() - 1 - units; }
  /// Whether the buffer is the result that has this value.
  bool isOwnResult(const RowBuffer &buffer) const {
    return buffer.result && roots[*buffer.result] == buffer.value->getResult(0);
  }
  /// Elements of a row, if that is a number.
  std::optional<int64_t> lineSize() const;

private:
  void setUnits(KernelOp kernel);
  void setLevels(KernelOp kernel);
  RowPass &passAt(unsigned level, unsigned sumBytes);
  void addPasses(KernelOp kernel);
  void addBuffers(KernelOp kernel, bool inResults);
  bool keepsInputs(KernelOp kernel) const;
  std::optional<RowBuffer> bufferFor(NestOp value, unsigned lastPass, bool inResults, int64_t &room) const;
  unsigned costOf(NestOp nest) const;

  llvm::DenseMap<mlir::Value, unsigned> levels;
  llvm::DenseMap<mlir::Value, std::set<unsigned>> readers; // the passes that need a line
};

} // namespace lathe

#endif
