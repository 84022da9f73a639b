// What no model may go beyond.
#ifndef LATHE_IMPORT_ONNX_LIMITS_H
#define LATHE_IMPORT_ONNX_LIMITS_H

namespace lathe::onnximport {

/// More dimensions than tensors have anywhere; some of what is done for a tensor takes time by their number.
inline constexpr int kMostRank = 64;

/// The most nodes that are imported, those of functions counted at each call: a small file may stand for very many.
inline constexpr int64_t kMostNodes = int64_t(1) << 18;

/// Bytes of weights: an object must link with others within 2 GiB; of a file of their own a count of bytes must not overflow.
inline constexpr int64_t kMostEmbeddedWeights = int64_t(3) << 29, kMostExternWeights = int64_t(1) << 46;

/// The most memory that copies of graphs take, of functions at their calls and of loops' steps, with nodes that nobody needs.
inline constexpr uint64_t kMostCopied = uint64_t(1) << 29;

} // namespace lathe::onnximport

#endif
