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

std::string onnximport::readExternal(const onnx::TensorProto &proto, const std::string &folder, int64_t size,
                                     std::string &bytes) {
  Place place;
  SmallString<256> file;
  if (std::string reason = placeOf(proto, place); !reason.empty())
    return reason;
  if (std::string reason = resolve(place.file, folder, file); !reason.empty())
    return reason;
  uint64_t available = 0;
  if (place.length >= 0 && place.length != size)
    return "its external data has " + std::to_string(place.length) + " bytes, its shape " + std::to_string(size);
  if (fs::file_size(file, available) || uint64_t(place.offset) > available || uint64_t(size) > available - place.offset)
    return "external data '" + place.file + "' has " + std::to_string(available) + " bytes, expected " + std::to_string(size) +
           " from " + std::to_string(place.offset) + " on";
  if (size == 0)
    return "";
  auto buffer = llvm::MemoryBuffer::getFileSlice(file, size, place.offset);
  if (!buffer)
    return "external data '" + place.file + "' cannot be read: " + buffer.getError().message();
  bytes = (*buffer)->getBuffer().str();
  return int64_t(bytes.size()) == size ? "" : "external data '" + place.file + "' ended early";
}
