// Models without their weights, which stay in the file.
#ifndef LATHE_IMPORT_ONNX_EXCERPT_H
#define LATHE_IMPORT_ONNX_EXCERPT_H

#include "lib/Import/ONNX/Parts.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace lathe::onnximport {

/// Bytes of a file.
struct FilePlace {
  uint64_t offset, size;
};

/// Returns a message of a model's file, with a reference in place of the raw data of each large initializer, so that protobuf
/// does not copy the weights. Other tensors count as copies (kMostCopied); only raw data that looks like a reference is
/// replaced in them, too. Returns nullopt if the file is damaged.
std::optional<std::string> excerptOf(llvm::StringRef file, MessageKind kind);

/// Returns the place in the file if a tensor's raw data is a reference that excerptOf has written. No raw data of a file itself
/// can be one, since excerptOf replaces those as well.
std::optional<FilePlace> referredPlace(llvm::StringRef rawData);

} // namespace lathe::onnximport

#endif
