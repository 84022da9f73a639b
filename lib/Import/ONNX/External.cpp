// Weights in files beside the model.
#include "lib/Import/ONNX/Excerpt.h"
#include "lib/Import/ONNX/Tensors.h"
#include "lib/Support/ConfinedFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace lathe;

namespace {
struct External {
  std::string file;
  int64_t offset = 0, length = -1; // -1 if not given
};
} // namespace

static std::string placeOf(const onnx::TensorProto &proto, External &place) {
  for (const auto &entry : proto.external_data()) {
    StringRef key = entry.key(), value = entry.value();
    if (key == "location")
      place.file = value.str();
    else if (key == "offset" || key == "length") {
      int64_t &number = key == "offset" ? place.offset : place.length;
      if (value.getAsInteger(10, number) || number < 0)
        return "the " + key.str() + " of its external data is '" + value.str() + "', expected a number of bytes";
    }
  }
  return place.file.empty() ? "its external data has no location" : "";
}

std::string onnximport::ExternalFiles::read(const onnx::TensorProto &proto, int64_t size, TensorData &data) {
  External place;
  SmallString<256> path;
  if (std::string reason = placeOf(proto, place); !reason.empty())
    return reason;
  if (std::string reason = resolveConfined(place.file, folder, "external data", "model", path); !reason.empty())
    return reason;
  if (place.length >= 0 && place.length != size)
    return "its external data has " + std::to_string(place.length) + " bytes, but its shape " + std::to_string(size);
  std::shared_ptr<llvm::MemoryBuffer> &file = files[path];
  if (!file) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer)
      return "external data '" + place.file + "' cannot be read: " + buffer.getError().message();
    file = std::move(*buffer);
    if (filesRead)
      filesRead->insert(path.str().str());
  }
  uint64_t available = file->getBufferSize();
  if (uint64_t(place.offset) > available || uint64_t(size) > available - place.offset)
    return "external data '" + place.file + "' has " + std::to_string(available) + " bytes, expected " + std::to_string(size) +
           " from " + std::to_string(place.offset) + " on";
  data.bytes = ArrayRef<char>(file->getBufferStart() + place.offset, size);
  data.holder = file;
  return "";
}

std::string onnximport::ExternalFiles::refer(const FilePlace &place, TensorData &data) const {
  uint64_t size = model->getBufferSize();
  if (place.offset > size || place.size > size - place.offset)
    return "its data is beyond the end of the file";
  data.bytes = ArrayRef<char>(model->getBufferStart() + place.offset, place.size);
  data.holder = model;
  return "";
}
