// Counts the messages and strings in a model's file. Protobuf uses hundreds of bytes of memory for an empty message, which is
// two bytes in the file.
#ifndef LATHE_IMPORT_ONNX_COUNTPARTS_H
#define LATHE_IMPORT_ONNX_COUNTPARTS_H

#include <cstdint>
#include <google/protobuf/io/coded_stream.h>

namespace lathe::onnximport {

/// Counts up to `most` parts of the model in the stream, a few more at the end. The parser reports damaged files.
int64_t countParts(google::protobuf::io::CodedInputStream &stream, int64_t most);

} // namespace lathe::onnximport

#endif
