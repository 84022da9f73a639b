// How many messages and texts a model's file holds: protobuf takes hundreds of bytes for an empty one, which is two in the
// file.
#ifndef LATHE_IMPORT_ONNX_COUNTPARTS_H
#define LATHE_IMPORT_ONNX_COUNTPARTS_H

#include <cstdint>
#include <google/protobuf/io/coded_stream.h>

namespace lathe::onnximport {

/// Counts up to `most` parts of the model in the stream, a few more at the end; damaged ones are left to the parser.
int64_t countParts(google::protobuf::io::CodedInputStream &stream, int64_t most);

} // namespace lathe::onnximport

#endif
