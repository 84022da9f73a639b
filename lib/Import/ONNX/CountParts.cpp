#include "lib/Import/ONNX/CountParts.h"
#include "lib/Import/ONNX/Parts.h"
#include <google/protobuf/wire_format_lite.h>

using namespace lathe;
using namespace lathe::onnximport;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

namespace {
struct Part {
  MessageKind in;
  int field;
  MessageKind what;
};
} // namespace

/// The fields of onnx-ml.proto that are messages with parts of their own. All other fields are strings, bytes, or messages of a
/// few numbers and strings.
static constexpr Part kParts[] = {
    {MessageKind::Model, 7, MessageKind::Graph},         {MessageKind::Model, 20, MessageKind::Training},
    {MessageKind::Model, 25, MessageKind::Function},     {MessageKind::Training, 1, MessageKind::Graph},
    {MessageKind::Training, 2, MessageKind::Graph},      {MessageKind::Function, 7, MessageKind::Node},
    {MessageKind::Function, 11, MessageKind::Attribute}, {MessageKind::Function, 12, MessageKind::ValueInfo},
    {MessageKind::Graph, 1, MessageKind::Node},          {MessageKind::Graph, 5, MessageKind::Initializer},
    {MessageKind::Graph, 11, MessageKind::ValueInfo},    {MessageKind::Graph, 12, MessageKind::ValueInfo},
    {MessageKind::Graph, 13, MessageKind::ValueInfo},    {MessageKind::Graph, 14, MessageKind::Annotation},
    {MessageKind::Graph, 15, MessageKind::Sparse},       {MessageKind::Node, 5, MessageKind::Attribute},
    {MessageKind::Attribute, 5, MessageKind::Tensor},    {MessageKind::Attribute, 6, MessageKind::Graph},
    {MessageKind::Attribute, 10, MessageKind::Tensor},   {MessageKind::Attribute, 11, MessageKind::Graph},
    {MessageKind::Attribute, 14, MessageKind::Type},     {MessageKind::Attribute, 15, MessageKind::Type},
    {MessageKind::Attribute, 22, MessageKind::Sparse},   {MessageKind::Attribute, 23, MessageKind::Sparse},
    {MessageKind::Sparse, 1, MessageKind::Tensor},       {MessageKind::Sparse, 2, MessageKind::Tensor},
    {MessageKind::ValueInfo, 2, MessageKind::Type},      {MessageKind::Type, 1, MessageKind::TensorType},
    {MessageKind::Type, 8, MessageKind::TensorType},     {MessageKind::Type, 4, MessageKind::Wrapped},
    {MessageKind::Type, 5, MessageKind::Wrapped},        {MessageKind::Type, 9, MessageKind::Wrapped},
    {MessageKind::Wrapped, 1, MessageKind::Type},        {MessageKind::Wrapped, 2, MessageKind::Type},
    {MessageKind::TensorType, 2, MessageKind::Shape}};

MessageKind onnximport::kindOfField(MessageKind in, int field) {
  for (const Part &part : kParts)
    if (part.in == in && part.field == field)
      return part.what;
  return MessageKind::Leaf;
}

/// Returns false if the count is reached or the rest is damaged.
static bool count(CodedInputStream &stream, MessageKind in, int64_t most, int depth, int64_t &parts) {
  while (uint32_t tag = stream.ReadTag()) {
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&stream, tag))
        return false;
      continue;
    }
    uint32_t length;
    if (++parts > most || !stream.ReadVarint32(&length) || length > INT32_MAX)
      return false;
    MessageKind kind = kindOfField(in, WireFormatLite::GetTagFieldNumber(tag));
    if (kind == MessageKind::Leaf || depth == kDeepest) {
      if (!stream.Skip(int(length)))
        return false;
      continue;
    }
    CodedInputStream::Limit limit = stream.PushLimit(int(length));
    if (!count(stream, kind, most, depth + 1, parts))
      return false;
    stream.PopLimit(limit);
  }
  return true;
}

int64_t lathe::onnximport::countParts(CodedInputStream &stream, int64_t most) {
  int64_t parts = 0;
  count(stream, MessageKind::Model, most, 0, parts);
  return parts;
}
