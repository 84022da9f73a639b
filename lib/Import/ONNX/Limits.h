// What no model may go beyond.
#ifndef LATHE_IMPORT_ONNX_LIMITS_H
#define LATHE_IMPORT_ONNX_LIMITS_H

namespace lathe::onnximport {

/// More dimensions than tensors have anywhere; some of what is done for a tensor takes time by their number.
inline constexpr int kMostRank = 64;

} // namespace lathe::onnximport

#endif
