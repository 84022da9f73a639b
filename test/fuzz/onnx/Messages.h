#ifndef LATHE_TEST_FUZZ_ONNX_MESSAGES_H
#define LATHE_TEST_FUZZ_ONNX_MESSAGES_H

#include <google/protobuf/message.h>
#include <vector>

namespace lathe::onnxfuzz {

/// A message and all that are inside of it.
void collect(google::protobuf::Message &message, std::vector<google::protobuf::Message *> &messages);

} // namespace lathe::onnxfuzz

#endif
