// Limits for all models.
#ifndef LATHE_IMPORT_ONNX_LIMITS_H
#define LATHE_IMPORT_ONNX_LIMITS_H

#include "lib/Import/Emit/Emitter.h" // kMostRank, the limit of all imports

namespace lathe::onnximport {

/// Limit on imported nodes. Nodes of functions count at each call: a small file may expand to very many.
inline constexpr int64_t kMostNodes = int64_t(1) << 18;

/// Bytes of weights. An object must link with others within 2 GiB; for a file of its own the byte count must not overflow.
inline constexpr int64_t kMostEmbeddedWeights = int64_t(3) << 29, kMostExternWeights = int64_t(1) << 46;

/// Limit on the memory for copies of graphs, for functions at their calls and for steps of loops, including unused nodes.
inline constexpr uint64_t kMostCopied = uint64_t(1) << 29;

} // namespace lathe::onnximport

#endif
