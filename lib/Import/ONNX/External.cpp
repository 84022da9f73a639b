// Weights beside the model. Models come from strangers: what they name must be a plain file below their own folder.
#include "lib/Import/ONNX/Tensors.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace lathe;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

namespace {
struct Place {
  std::string file;
  int64_t offset = 0, length = -1; // -1: not told
};
} // namespace

static std::string placeOf(const onnx::TensorProto &proto, Place &place) {
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

/// The file that a location names; the reason why it may not be read.
static std::string resolve(StringRef location, StringRef folder, SmallVectorImpl<char> &real) {
  std::string text = "external data '" + location.str() + "'";
  if (location.contains('\0') || path::is_absolute(location) || location.contains('\\') ||
      llvm::is_contained(llvm::make_range(path::begin(location), path::end(location)), ".."))
    return text + " must be a path below the model's folder, without '..'";
  SmallString<256> file(folder.empty() ? "." : folder), root;
  if (fs::real_path(file, root))
    return text + ": the model's folder cannot be read";
  path::append(file, location);
  if (std::error_code error = fs::real_path(file, real))
    return text + " cannot be read: " + error.message();
  StringRef inside(real.data(), real.size());
  if (!inside.consume_front(root) || !(root == "/" || inside.starts_with("/")))
    return text + " is a link that leaves the model's folder";
  fs::file_status status;
  if (fs::status(Twine(StringRef(real.data(), real.size())), status) || status.type() != fs::file_type::regular_file)
    return text + " is no plain file";
  if (status.getLinkCount() > 1)
    return text + " has several names (hard links), one of which may be outside of the model's folder; copy it";
  return "";
}

std::string onnximport::ExternalFiles::read(const onnx::TensorProto &proto, int64_t size, size_t alignment, TensorData &data) {
  Place place;
  SmallString<256> path;
  if (std::string reason = placeOf(proto, place); !reason.empty())
    return reason;
  if (std::string reason = resolve(place.file, folder, path); !reason.empty())
    return reason;
  if (place.length >= 0 && place.length != size)
    return "its external data has " + std::to_string(place.length) + " bytes, its shape " + std::to_string(size);
  std::shared_ptr<llvm::MemoryBuffer> &file = files[path];
  if (!file) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer)
      return "external data '" + place.file + "' cannot be read: " + buffer.getError().message();
    file = std::move(*buffer);
  }
  uint64_t available = file->getBufferSize();
  if (uint64_t(place.offset) > available || uint64_t(size) > available - place.offset)
    return "external data '" + place.file + "' has " + std::to_string(available) + " bytes, expected " + std::to_string(size) +
           " from " + std::to_string(place.offset) + " on";
  data.bytes = ArrayRef<char>(file->getBufferStart() + place.offset, size);
  data.holder = file;
  if (reinterpret_cast<uintptr_t>(data.bytes.data()) % alignment != 0)
    data.keep(std::string(data.bytes.begin(), data.bytes.end()));
  return "";
}
