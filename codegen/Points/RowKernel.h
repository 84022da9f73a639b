// The structure of a kernel over rows (kRowsAttr), which does not depend on its schedule.
//
// A full value has all elements of the rows (the shape `full`, as in passes/Fusion/RowForm.h). Other values have one element
// per row.
//
// A value's level is the number of reductions on the longest path to it. The operands of level-L reductions are known after
// L passes over the row at the earliest.
#ifndef LATHE_CODEGEN_POINTS_ROWKERNEL_H
#define LATHE_CODEGEN_POINTS_ROWKERNEL_H

#include "dialects/Lathe/IR/Lathe.h"
#include <set>

namespace lathe {

/// One loop over the elements of a row.
struct RowPass {
  unsigned sumBytes = 0; // of the elements of its floating-point sums, whose order depends on their lanes; 0 if there are none
  llvm::SmallVector<NestOp> reductions;
  llvm::SmallVector<NestOp> keeps;    // values that the pass stores in their buffers
  llvm::SmallVector<unsigned> stores; // results of the kernel, by number
};

class RowKernel {
public:
  explicit RowKernel(KernelOp kernel);

  KernelOp kernel;
  llvm::SmallVector<NestOp> nests; // in order: schedules name a value by its number here
  llvm::SmallVector<NestOp> reductions;
  llvm::SmallVector<NestOp> fullNests; // elementwise nests that compute full values
  llvm::SmallVector<mlir::Value> roots;
  Dims full;          // the dimensions of rows, then those within a row
  unsigned rank = 0;  // number of dimensions of rows
  unsigned units = 0; // number of trailing dimensions within a row that have extent 1 in every version of the function
  llvm::SmallVector<unsigned> rowResults; // results of the kernel with one element per row
  llvm::SmallVector<NestOp> rowValues;    // computed from reductions, one element per row; in order
  llvm::SmallVector<std::string> symbols;
  unsigned elementBytes = 1; // of the widest element of a full value

  unsigned levelOf(mlir::Value value) const { return levels.lookup(value); }
  bool isFull(mlir::Value value) const { return dimsOf(value) == full; }
  llvm::ArrayRef<Dim> rowExtents() const { return llvm::ArrayRef<Dim>(full).take_front(rank); }
  llvm::ArrayRef<Dim> innerExtents() const { return llvm::ArrayRef<Dim>(full).drop_front(rank); }
  /// Returns the dimension to vectorise. It skips the unit dimensions, which a sum in a kernel of its own would not count as
  /// rows either.
  unsigned vectorDim() const { return full.size() - 1 - units; }
  /// Returns the elements of a row if that is static.
  std::optional<int64_t> rowSize() const;
  /// Returns the bytes of a value's elements in a row; nullopt if the size of a row is unknown.
  std::optional<int64_t> rowBytes(mlir::Value value) const;
  /// Returns the number of a nest among `nests`.
  unsigned numberOf(NestOp nest) const { return llvm::find(nests, nest) - nests.begin(); }
  /// True if the plan may give this result the buffer of an input: nothing else is of a higher level (lib/Analysis/InPlace.h).
  bool mayOverwriteInput(unsigned result) const { return isFull(roots[result]) && levelOf(roots[result]) == lastLevel; }

  /// The passes that need each full value.
  using Needs = llvm::DenseMap<mlir::Value, std::set<unsigned>>;
  /// Returns the passes that need each full value, and each input of one. Calls `keeps` for each full value that is needed,
  /// readers first, with its passes. If it returns true, the first of these passes keeps the value, so that only this pass
  /// needs what the value is computed from. Otherwise all of them compute it.
  Needs needsOf(llvm::ArrayRef<RowPass> passes,
                llvm::function_ref<bool(NestOp value, const std::set<unsigned> &passes)> keeps) const;

private:
  void setUnits();
  void setLevels();

  llvm::DenseMap<mlir::Value, unsigned> levels;
  unsigned lastLevel = 0; // of the operands of reductions, and of results
};

} // namespace lathe

#endif
