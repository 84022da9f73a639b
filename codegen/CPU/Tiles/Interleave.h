// Vectors whose elements alternate in memory.
#ifndef LATHE_CODEGEN_CPU_TILES_INTERLEAVE_H
#define LATHE_CODEGEN_CPU_TILES_INTERLEAVE_H

#include "codegen/Points/CodeFrame.h"

namespace lathe::cpu {

/// Interleaves n vectors of as many lanes: element i of all lanes of the result, one vector after the other, is lane i / n of
/// vector i % n.
void interleaveLanes(CodeFrame &frame, llvm::MutableArrayRef<mlir::Value> vectors);

/// Does the reverse.
void takeLanesApart(CodeFrame &frame, llvm::MutableArrayRef<mlir::Value> vectors);

} // namespace lathe::cpu

#endif
