// The scratch memory of a lathe.strips: the values between its kernels, for the strips that run at the same time.
#ifndef LATHE_ANALYSIS_STRIPMEMORY_H
#define LATHE_ANALYSIS_STRIPMEMORY_H

#include "dialects/Lathe/IR/ScatterMemory.h"

namespace lathe {

/// Places the values between the kernels of a strip in an area. A kernel that may overwrite an operand does so. There is an
/// area for each strip, or for each slot of a parallel loop if there are more strips.
struct StripMemory {
  static constexpr int64_t kMostAreas = ScatterMemory::kMostAreas; // the most slots of its parallel loop

  Dim strips = Dim(1);
  Dim areas, areaBytes;
  llvm::DenseMap<mlir::Value, Dim> offsets; // in bytes, for each value that the region does not yield

  explicit StripMemory(StripsOp op);
  /// Returns the type of the memory of all areas.
  mlir::RankedTensorType type(mlir::MLIRContext *context) const;
};

} // namespace lathe

#endif
