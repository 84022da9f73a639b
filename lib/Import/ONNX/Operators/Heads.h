// Heads of attention: parts of the last dimension that stand side by side.
#ifndef LATHE_IMPORT_ONNX_HEADS_H
#define LATHE_IMPORT_ONNX_HEADS_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// [B, S, H * D] as [B, H, S, D]; refused by the names of the operand and of the attribute with H.
Value splitHeads(Node &node, Value x, int64_t heads, llvm::StringRef name, llvm::StringRef attribute);
/// [B, H, S, D] as [B, S, H * D].
Value joinHeads(Node &node, Value x);
/// Keys and values [B, G, S, D] of few heads, each for as many heads of queries that stand together: [B, H, S, D].
Value repeatHeads(Node &node, Value x, const Dim &heads);

} // namespace lathe::onnximport

#endif
