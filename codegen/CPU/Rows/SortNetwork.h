// A sorting network over keys in memory: its exchanges do not depend on the keys, and all use vectors.
#ifndef LATHE_CODEGEN_CPU_ROWS_SORTNETWORK_H
#define LATHE_CODEGEN_CPU_ROWS_SORTNETWORK_H

#include "codegen/CPU/Rows/Rows.h"

namespace lathe::cpu {

/// A network over `count` vectors of `lanes` signed integers. Both are powers of two; count is at least 8 and at least lanes.
/// The vectors form one list lane by lane: its element i is in lane i / count of vector i % count.
struct SortNetwork {
  RowFrame &frame;
  mlir::Type element;
  unsigned lanes;
  int64_t count;

  /// Returns the number of vectors for a line of `length` keys.
  static int64_t vectorsFor(int64_t length, unsigned lanes);

  /// Sorts the list in ascending order. `keys` needs the alignment of an element only.
  void sort(mlir::Value keys) const;
  /// Calls store(vector of `lanes` elements, index of the first one) for each vector of the list that begins before `length`.
  void read(mlir::Value keys, int64_t length, llvm::function_ref<void(mlir::Value, mlir::Value)> store) const;

private:
  using Vectors = llvm::SmallVector<mlir::Value>;
  mlir::VectorType type() const { return mlir::VectorType::get(lanes, element); }
  mlir::Value at(mlir::Value keys, mlir::Value index) const;
  mlir::Value load(mlir::Value from) const;
  void store(mlir::Value vector, mlir::Value to) const;
  void exchange(mlir::Value &low, mlir::Value &high) const;
  mlir::Value shuffled(mlir::Value vector, unsigned flip) const;
  mlir::Value exchangedLanes(mlir::Value vector, mlir::Value partner, unsigned bit) const;
  void swapQuarters(mlir::Value &first, mlir::Value &second, unsigned bit) const;
  void inGroups(mlir::Value keys, llvm::function_ref<void(Vectors &)> body) const;
  void mirror(mlir::Value keys, int64_t size) const;
  void mirrorLanes(mlir::Value keys, unsigned group) const;
  void halve(mlir::Value keys, int64_t distance) const;
  void clean(mlir::Value keys, int64_t distance) const;
};

} // namespace lathe::cpu

#endif
