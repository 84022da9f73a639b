// Lines along one dimension of a tensor, for kernels that no loop nest describes.
#ifndef LATHE_CODEGEN_POINTS_LINES_H
#define LATHE_CODEGEN_POINTS_LINES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// A tensor as lines along one dimension: [outer, length, inner], all row-major.
struct Lines {
  Dim outer{1}, length{1}, inner{1};
  mlir::Type element;

  Lines(mlir::RankedTensorType type, int64_t dim);
  mlir::RankedTensorType type() const { return tensorOf({outer, length, inner}, element); }
};

/// Returns every name that the sizes of the kernel's buffers use, in order.
llvm::SmallVector<std::string> symbolsOfBuffers(KernelOp kernel);

/// True if an op is all that its kernel does.
bool isAlone(mlir::Operation *op);

} // namespace lathe

#endif
