// The division of a kernel over rows (kRowsAttr) into passes over a row, and the values that one pass keeps for the next.
//
// A value's level is the number of reductions on the longest path to it. The operands of level-L reductions are known after
// pass L - 1, so these run in pass L. Results are stored in the pass of their level. A value that several passes need is
// recomputed in each, unless storing it is cheaper. It is then stored in the row's buffer: a result of the same shape if there
// is one, otherwise part of the stack.
#ifndef LATHE_CODEGEN_POINTS_ROWPLAN_H
#define LATHE_CODEGEN_POINTS_ROWPLAN_H

#include "codegen/Points/VectorTarget.h"
#include "dialects/Lathe/IR/Lathe.h"
#include <set>

namespace lathe {

/// One loop over the elements of a row.
struct RowPass {
  unsigned level;
  unsigned sumBytes = 0; // of the elements of its floating-point sums, whose order depends on their lanes; 0 if there are none
  llvm::SmallVector<NestOp> reductions;
  llvm::SmallVector<NestOp> keeps;    // values that the pass stores in their buffers
  llvm::SmallVector<unsigned> stores; // results of the kernel, by number
};

/// The buffer of a value between passes: a result of the kernel, or on the stack.
struct RowBuffer {
  NestOp value;
  std::optional<unsigned> result;
};

class RowPlan {
public:
  explicit RowPlan(KernelOp kernel);

  llvm::SmallVector<mlir::Value> roots;
  Dims full;          // the dimensions of rows, then those within a row
  unsigned rank = 0;  // number of dimensions of rows
  unsigned units = 0; // number of trailing dimensions within a row that have extent 1 in every version of the function
  std::vector<RowPass> passes;
  std::vector<RowBuffer> buffers;
  llvm::SmallVector<unsigned> rowResults; // results of the kernel with one element per row
  llvm::SmallVector<NestOp> rowValues;    // computed from reductions, one element per row; in order
  llvm::SmallVector<std::string> symbols;
  unsigned elementBytes = 1; // of the widest element of a line

  unsigned levelOf(mlir::Value value) const { return levels.lookup(value); }
  bool isLine(mlir::Value value) const { return dimsOf(value) == full; }
  llvm::ArrayRef<Dim> rowExtents() const { return llvm::ArrayRef<Dim>(full).take_front(rank); }
  llvm::ArrayRef<Dim> lineExtents() const { return llvm::ArrayRef<Dim>(full).drop_front(rank); }
  /// Returns the dimension to vectorise. It skips the unit dimensions, which a sum in a kernel of its own would not count as
  /// rows either.
  unsigned vectorDim() const { return full.size() - 1 - units; }
  /// True if the buffer is the result that has this value.
  bool isOwnResult(const RowBuffer &buffer) const {
    return buffer.result && roots[*buffer.result] == buffer.value->getResult(0);
  }
  /// Returns the elements of a row if that is static.
  std::optional<int64_t> lineSize() const;

private:
  void setUnits(KernelOp kernel);
  void setLevels(KernelOp kernel);
  RowPass &passAt(unsigned level, unsigned sumBytes);
  void addPasses(KernelOp kernel);
  void addBuffers(KernelOp kernel, bool inResults);
  bool keepsInputs(KernelOp kernel) const;
  std::optional<RowBuffer> bufferFor(NestOp value, unsigned lastPass, bool inResults, int64_t &freeBytes) const;

  llvm::DenseMap<mlir::Value, unsigned> levels;
  llvm::DenseMap<mlir::Value, std::set<unsigned>> readers; // the passes that need a line
};

} // namespace lathe

#endif
