// Attention heads: contiguous parts of the last dimension.
#ifndef LATHE_IMPORT_ONNX_HEADS_H
#define LATHE_IMPORT_ONNX_HEADS_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// Splits [B, S, H * D] into [B, H, S, D]. A refusal uses the names of the operand and of the attribute with H.
Value splitHeads(Node &node, Value x, int64_t heads, llvm::StringRef name, llvm::StringRef attribute);
/// Joins [B, H, S, D] to [B, S, H * D].
Value joinHeads(Node &node, Value x);
/// Repeats keys and values [B, G, S, D] of few heads, each for a contiguous group of query heads: [B, H, S, D].
Value repeatHeads(Node &node, Value x, const Dim &heads);

/// Returns the element type in which weights are computed and rounded: that of the node's attribute, or `otherwise`.
Type softmaxPrecision(Node &node, Type otherwise);

} // namespace lathe::onnximport

#endif
