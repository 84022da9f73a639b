#include "lib/Import/ONNX/CountParts.h"
#include <google/protobuf/wire_format_lite.h>

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

namespace {
enum Kind {
  Leaf,
  Model,
  Training,
  Function,
  GraphOf,
  NodeOf,
  Attribute,
  Sparse,
  Tensor,
  Annotation,
  ValueInfo,
  TypeOf,
  Wrapped,
  TensorType,
  Shape
};

struct Part {
  Kind in;
  int field;
  Kind what;
};
} // namespace

/// The fields of onnx-ml.proto that are messages with parts of their own. All other fields are strings, bytes, or messages of a
/// few numbers and strings. `Wrapped` are the types of sequences, maps and optional values.
static constexpr Part kParts[] = {
    {Model, 7, GraphOf},      {Model, 20, Training},     {Model, 25, Function},     {Training, 1, GraphOf},
    {Training, 2, GraphOf},   {Function, 7, NodeOf},     {Function, 11, Attribute}, {Function, 12, ValueInfo},
    {GraphOf, 1, NodeOf},     {GraphOf, 5, Tensor},      {GraphOf, 11, ValueInfo},  {GraphOf, 12, ValueInfo},
    {GraphOf, 13, ValueInfo}, {GraphOf, 14, Annotation}, {GraphOf, 15, Sparse},     {NodeOf, 5, Attribute},
    {Attribute, 5, Tensor},   {Attribute, 6, GraphOf},   {Attribute, 10, Tensor},   {Attribute, 11, GraphOf},
    {Attribute, 14, TypeOf},  {Attribute, 15, TypeOf},   {Attribute, 22, Sparse},   {Attribute, 23, Sparse},
    {Sparse, 1, Tensor},      {Sparse, 2, Tensor},       {ValueInfo, 2, TypeOf},    {TypeOf, 1, TensorType},
    {TypeOf, 8, TensorType},  {TypeOf, 4, Wrapped},      {TypeOf, 5, Wrapped},      {TypeOf, 9, Wrapped},
    {Wrapped, 1, TypeOf},     {Wrapped, 2, TypeOf},      {TensorType, 2, Shape}};

static Kind kindOf(Kind in, int field) {
  for (const Part &part : kParts)
    if (part.in == in && part.field == field)
      return part.what;
  return Leaf;
}

/// Returns false if the count is reached or the rest is damaged.
static bool count(CodedInputStream &stream, Kind in, int64_t most, int depth, int64_t &parts) {
  constexpr int kDeepest = 200; // the parser stops earlier
  while (uint32_t tag = stream.ReadTag()) {
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&stream, tag))
        return false;
      continue;
    }
    uint32_t length;
    if (++parts > most || !stream.ReadVarint32(&length) || length > INT32_MAX)
      return false;
    Kind kind = kindOf(in, WireFormatLite::GetTagFieldNumber(tag));
    if (kind == Leaf || depth == kDeepest) {
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
  count(stream, Model, most, 0, parts);
  return parts;
}
