// Squares of elements in registers.
#ifndef LATHE_CODEGEN_CPU_TILES_SQUARES_H
#define LATHE_CODEGEN_CPU_TILES_SQUARES_H

#include "codegen/Points/CodeFrame.h"

namespace lathe::cpu {

/// Transposes a square of vectors in registers: lane i of vector j becomes lane j of vector i. The number of vectors, a power
/// of two, equals the number of lanes.
void transposeLanes(CodeFrame &frame, llvm::MutableArrayRef<mlir::Value> vectors);

} // namespace lathe::cpu

#endif
