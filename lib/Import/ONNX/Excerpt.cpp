#include "lib/Import/ONNX/Excerpt.h"
#include <cstring>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

using namespace lathe;
using namespace lathe::onnximport;
using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

/// Fewer bytes are copied: constants of this size become part of the graph's text.
static constexpr uint32_t kLarge = 4096;
static constexpr int kRawData = 9; // the field of TensorProto

/// A reference is this text and a FilePlace.
static constexpr llvm::StringLiteral kMark = "lathe:in file:";
static constexpr size_t kReference = kMark.size() + sizeof(FilePlace);

std::optional<FilePlace> onnximport::referredPlace(llvm::StringRef rawData) {
  if (rawData.size() != kReference || !rawData.starts_with(kMark))
    return std::nullopt;
  FilePlace place;
  std::memcpy(&place, rawData.data() + kMark.size(), sizeof place);
  return place;
}

static void appendLength(std::string &to, uint32_t length) {
  uint8_t bytes[5];
  to.append(bytes, CodedOutputStream::WriteVarint32ToArray(length, bytes));
}

namespace {
class Excerpt {
public:
  explicit Excerpt(llvm::StringRef file)
      : file(file), stream(reinterpret_cast<const uint8_t *>(file.data()), int(file.size())) {}

  /// Appends a message that ends where the stream's limit is. Returns false if it is damaged.
  bool append(MessageKind in, int depth, std::string &to) {
    for (;;) {
      int begin = stream.CurrentPosition();
      uint32_t tag = stream.ReadTag();
      if (!tag)
        return stream.ConsumedEntireMessage();
      bool isWritten = WireFormatLite::GetTagWireType(tag) == WireFormatLite::WIRETYPE_LENGTH_DELIMITED
                           ? appendField(begin, tag, in, depth, to)
                           : WireFormatLite::SkipField(&stream, tag) && appendFrom(begin, to);
      if (!isWritten)
        return false;
    }
  }

private:
  /// Appends the bytes of the file up to the stream's place.
  bool appendFrom(int begin, std::string &to) {
    to.append(file.data() + begin, stream.CurrentPosition() - begin);
    return true;
  }

  /// Appends a field with a length, whose tag has been read.
  bool appendField(int begin, uint32_t tag, MessageKind in, int depth, std::string &to) {
    size_t start = to.size();
    appendFrom(begin, to);
    uint32_t length;
    if (!stream.ReadVarint32(&length) || length > INT32_MAX)
      return false;
    int field = WireFormatLite::GetTagFieldNumber(tag), content = stream.CurrentPosition();
    MessageKind kind = depth < kDeepest ? kindOfField(in, field) : MessageKind::Leaf;
    if (kind != MessageKind::Leaf) {
      std::string nested;
      CodedInputStream::Limit limit = stream.PushLimit(int(length));
      if (!append(kind, depth + 1, nested) || stream.CurrentPosition() - content != int(length))
        return false;
      stream.PopLimit(limit);
      appendLength(to, nested.size());
      to += nested;
      return true;
    }
    if (!stream.Skip(int(length)))
      return false;
    llvm::StringRef bytes = file.substr(content, length);
    bool isTensor = in == MessageKind::Initializer || in == MessageKind::Tensor;
    bool isLarge = in == MessageKind::Initializer && length >= kLarge;
    if (isTensor && field == kRawData && (isLarge || referredPlace(bytes))) {
      FilePlace place{uint64_t(content), length};
      appendLength(to, kReference);
      to += kMark;
      to.append(reinterpret_cast<const char *>(&place), sizeof place);
      return true;
    }
    to.resize(start);
    return appendFrom(begin, to);
  }

  llvm::StringRef file;
  CodedInputStream stream;
};
} // namespace

std::optional<std::string> onnximport::excerptOf(llvm::StringRef file, MessageKind kind) {
  std::string text;
  return Excerpt(file).append(kind, 0, text) ? std::optional(std::move(text)) : std::nullopt;
}
