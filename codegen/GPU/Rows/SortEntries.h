// The entries that a sort compares: keys of a line's elements with their indices.
#ifndef LATHE_CODEGEN_GPU_ROWS_SORTENTRIES_H
#define LATHE_CODEGEN_GPU_ROWS_SORTENTRIES_H

#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/Points/SortKeys.h"

namespace lathe::gpu {

inline constexpr unsigned kSortThreads = 256; // of a block, which sorts one line

/// A key with the index of its element. No two entries of a line are equal.
struct SortEntry {
  mlir::Value key;   // holds the index in its lower 32 bits if entries are packed
  mlir::Value index; // null if entries are packed

  /// Convert an entry to the values that a loop carries, and back.
  llvm::SmallVector<mlir::Value> values() const;
  static SortEntry of(mlir::ValueRange values) { return {values[0], values.size() > 1 ? values[1] : mlir::Value()}; }
};

/// Computes, compares and stores the entries of a block's line.
class SortEntries {
public:
  SortEntries(ThreadFrame &frame, mlir::Type element, bool descending);

  /// True if a 64-bit word holds both the key and the index.
  bool isPacked() const { return keys.type().getWidth() == 32; }
  /// Returns the words of scratch memory per element of a line (scratchType). Not all of them are used.
  int64_t scratchWords() const { return isPacked() ? 2 : 3; }

  /// Sets the line: `length` elements from `first` on, `step` apart.
  void setLine(mlir::Value first, mlir::Value length, mlir::Value step);
  /// Sets the memory of the list, which has room for `length` entries.
  void setList(mlir::Value memory);

  /// Loads an element of the line.
  mlir::Value element(mlir::Value index);
  /// Returns the entry of an element of the line.
  SortEntry entryOf(mlir::Value index);
  /// Load and store an entry of the list.
  SortEntry load(mlir::Value number);
  void store(const SortEntry &entry, mlir::Value number);

  /// Tests whether `x` comes before `y`.
  mlir::Value isBefore(const SortEntry &x, const SortEntry &y);
  /// Returns the entry that comes first.
  SortEntry least(const SortEntry &x, const SortEntry &y);
  /// Returns an entry that comes after all entries of a line.
  SortEntry last();
  mlir::Value indexOf(const SortEntry &entry);

  mlir::Value length;

private:
  ThreadFrame &frame;
  PointEvaluator &eval;
  mlir::OpBuilder &b;
  mlir::Type elementType, word;
  SortKeys keys;
  mlir::Value first, step, list, listIndices;
};

} // namespace lathe::gpu

#endif
