// A sharding says which part of a value each rank of a mesh has.
#ifndef LATHE_PASSES_PARTITION_SHARDING_H
#define LATHE_PASSES_PARTITION_SHARDING_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::partition {

/// The number of ranks along each axis.
using Axes = std::map<std::string, int64_t>;

/// Says what each rank holds of a value: the block of its index along the axes of `dims`. The value itself is that block, or,
/// over the axes of `partial`, the ranks' blocks combined element by element.
struct Sharding {
  llvm::SmallVector<mlir::StringAttr, 4> dims;    // for each dimension, the axis whose ranks divide it evenly; null for none
  llvm::SmallVector<mlir::StringAttr, 1> partial; // axes over which the ranks' values are yet to be combined, by name
  CollectiveKind kind = CollectiveKind::Sum;      // how they are combined

  Sharding() = default;
  /// Every rank holds the whole of such a value.
  explicit Sharding(mlir::Type type) : dims(mlir::cast<mlir::RankedTensorType>(type).getRank()) {}

  bool operator==(const Sharding &other) const {
    return dims == other.dims && partial == other.partial && (partial.empty() || kind == other.kind);
  }
  bool operator!=(const Sharding &other) const { return !(*this == other); }

  bool isSplit() const {
    return llvm::any_of(dims, [](mlir::StringAttr axis) { return bool(axis); });
  }
  bool isWhole() const { return partial.empty() && !isSplit(); }
  /// Returns the dimension that an axis divides, or -1.
  int dimOf(mlir::StringAttr axis) const;
  /// Adds an axis over which the ranks' values are yet to be combined.
  void addPartial(mlir::StringAttr axis);
  /// Returns the same split of a value that is already combined.
  Sharding combined() const;
};

/// Returns the type of a rank's block of a value. The sizes of axes divide the extents.
mlir::RankedTensorType blockOf(mlir::Type whole, const Sharding &sharding, const Axes &axes);

/// Returns the size of a value, such as "4096 bytes" or "256 * N bytes".
std::string bytesOf(mlir::Type type);

} // namespace lathe::partition

#endif
