// Every read and write of memory that a kernel makes, as affine maps of its loops: what loop and vector decisions rest on.
#ifndef LATHE_CODEGEN_POINTS_LEAFACCESSES_H
#define LATHE_CODEGEN_POINTS_LEAFACCESSES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

struct LeafAccess {
  mlir::RankedTensorType type;
  /// Offset in elements over the loop dimensions, named dimensions as symbols.
  mlir::AffineExpr offset;
  /// The same by dimension of the tensor, without those of extent 1 in all versions of the function.
  llvm::SmallVector<mlir::AffineExpr> indices;
  bool isWrite = false;
  /// Part of the reduction's loops, rather than of what follows them.
  bool inReduction = false;
};

/// The loops of a kernel: the parallel dimensions of its results, then the reduction's.
struct KernelLoops {
  Dims extents;
  unsigned parallel = 0;
  NestOp reduction; // null without one
  llvm::SmallVector<mlir::Value> roots;
  unsigned operands = 0; // of the kernel
  llvm::SmallVector<std::string> symbols;
  mlir::ArrayAttr sizedUnits; // see kSizedUnitsAttr; null where there are none
};

/// The sizes that a kernel's code is handed, sorted: names and formulas in the dimensions of what it reads and goes over, and
/// in the places that it reads.
llvm::SmallVector<std::string> symbolsOf(KernelOp kernel);

/// Null with a diagnostic if the kernel has not the form that emitKernel takes.
mlir::FailureOr<KernelLoops> analyseLoops(KernelOp kernel);

llvm::SmallVector<LeafAccess> collectLeafAccesses(const KernelLoops &loops);

/// How far one step of a loop moves the access, in elements; nullopt if that is not a fixed number.
std::optional<int64_t> strideAlong(const LeafAccess &access, unsigned dim, unsigned dims, unsigned symbols);

/// The same as far as it can be told without the tensor's extents: nullopt where an index before the last moves. All versions
/// of a function have the same answer, whatever sizes they know.
std::optional<int64_t> strideByPosition(const LeafAccess &access, unsigned dim, unsigned dims, unsigned symbols);

} // namespace lathe

#endif
