// The parts of a concatenation in a kernel of nests: the loops go over one after the other. Otherwise each vector of points
// would have to find its part, and load from all of them.
#ifndef LATHE_CODEGEN_CPU_LOOPS_PARTS_H
#define LATHE_CODEGEN_CPU_LOOPS_PARTS_H

#include "codegen/CPU/Loops/Loops.h"
#include "codegen/CPU/Tiles/Frame.h"

namespace lathe::cpu {

/// Returns the dimension along which a nest concatenates its inputs; nullopt for any other nest.
std::optional<unsigned> concatenatedDim(NestOp nest);

/// Returns why loops of which `vectorLoop` is vectorised cannot go over the parts that a nest concatenates; empty if they can.
std::string whyNoParts(NestOp nest, const KernelLoops &loops, int64_t vectorLoop);

/// Returns the number among the kernel's values of a concatenation whose parts the loops should go over; -1 for none.
int64_t chooseParts(KernelOp kernel, const KernelLoops &loops, int64_t vectorLoop, int64_t lanes);

/// Returns the extents of the parts of a concatenation along its dimension.
Dims extentsOfParts(NestOp nest);

/// Emits loops over the parts of a concatenation. Their addresses and bounds are in tables on the stack.
class Parts {
public:
  /// Fills the tables. The frame must be outside its loops.
  Parts(KernelFrame &frame, NestOp nest);

  /// The loop that goes along the concatenated dimension.
  const unsigned dim;

  /// Emits `body` for what each part has of the indices [low, high) of the dimension. The body gets the bounds of these
  /// indices, and finds the concatenation's values in the part. `place` has the indices of the loops further out.
  void each(mlir::Value low, mlir::Value high, llvm::ArrayRef<Index> place,
            llvm::function_ref<void(mlir::Value, mlir::Value)> body);

  /// Emits `body` for one index of the dimension, which `place` has, too.
  void at(llvm::ArrayRef<Index> place, llvm::function_ref<void()> body);

private:
  /// Emits `body` with the concatenation's values in a part, whose bounds it gets.
  void inside(mlir::Value part, llvm::ArrayRef<Index> place, llvm::function_ref<void(mlir::Value, mlir::Value)> body);
  /// Returns the address in a part that an index of 0 in the dimension and in all inner ones would have.
  mlir::Value originOf(mlir::Value part, mlir::Value first, mlir::Value width, llvm::ArrayRef<Index> place);

  KernelFrame &frame;
  NestOp nest;
  mlir::Value buffers, bounds; // tables: addresses; the first index of each part, then the end
};

} // namespace lathe::cpu

#endif
