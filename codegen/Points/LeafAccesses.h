// The memory accesses of a kernel as affine maps of its loops, from which schedules are chosen.
#ifndef LATHE_CODEGEN_POINTS_LEAFACCESSES_H
#define LATHE_CODEGEN_POINTS_LEAFACCESSES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// A nest's access to a tensor in memory: an operand or a result of the kernel.
struct LeafAccess {
  mlir::RankedTensorType type;
  /// Offset in elements as a function of the loop dimensions; named dimensions are symbols.
  mlir::AffineExpr offset;
  /// The index of each dimension, without dimensions of extent 1 in all versions of the function.
  llvm::SmallVector<mlir::AffineExpr> indices;
  bool isWrite = false;
  /// True for accesses in the reduction's loops, false for those of the epilogue.
  bool inReduction = false;
};

/// The loops of a kernel: the parallel dimensions of its results, then the reduction's.
struct KernelLoops {
  Dims extents;
  unsigned parallel = 0;
  NestOp reduction; // null if there is none
  llvm::SmallVector<mlir::Value> roots;
  unsigned operands = 0; // number of the kernel's operands
  llvm::SmallVector<std::string> symbols;
  mlir::ArrayAttr sizedUnits; // see kSizedUnitsAttr; null if absent
};

/// Returns the sizes that a kernel's code takes as arguments, sorted: the names and formulas in the dimensions of its operands
/// and loops, and in its access maps.
llvm::SmallVector<std::string> symbolsOf(KernelOp kernel);

/// True if the kernel consists of nests over one space of loops: not for kernels over rows, nor for those with a hero.
bool isOfNests(KernelOp kernel);

/// Returns the loops of a kernel for which isOfNests holds; failure with a diagnostic if its nests have several reductions or
/// results of different shapes.
mlir::FailureOr<KernelLoops> analyseLoops(KernelOp kernel);

/// Returns the accesses that the kernel makes at one point of its loops, each as often as nests repeat it. The number is
/// limited: cost models need no more.
llvm::SmallVector<LeafAccess> collectLeafAccesses(const KernelLoops &loops);

/// Returns the stride of the access along a loop in elements; nullopt if it is not constant.
std::optional<int64_t> strideAlong(const LeafAccess &access, unsigned dim, unsigned dims, unsigned symbols);

/// Returns the stride as far as it is known without the tensor's extents; nullopt if an index other than the last moves. The
/// result is the same for all versions of a function, whatever sizes they specialise.
std::optional<int64_t> strideByPosition(const LeafAccess &access, unsigned dim, unsigned dims, unsigned symbols);

} // namespace lathe

#endif
