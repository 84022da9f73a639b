#include "lib/Support/ConfinedFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace lathe;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

std::string lathe::resolveConfined(llvm::StringRef location, llvm::StringRef folder, llvm::StringRef what,
                                   llvm::StringRef whose, llvm::SmallVectorImpl<char> &real) {
  std::string text = (what + " '" + location + "'").str(), owner = ("the " + whose + "'s folder").str();
  if (location.contains('\0') || path::is_absolute(location) || location.contains('\\') ||
      llvm::is_contained(llvm::make_range(path::begin(location), path::end(location)), ".."))
    return text + " must be a path below " + owner + ", without '..'";
  llvm::SmallString<256> file(folder.empty() ? "." : folder), root;
  if (fs::real_path(file, root))
    return text + ": " + owner + " cannot be read";
  path::append(file, location);
  if (std::error_code error = fs::real_path(file, real))
    return text + " cannot be read: " + error.message();
  llvm::StringRef inside(real.data(), real.size());
  if (!inside.consume_front(root) || !(root == "/" || inside.starts_with("/")))
    return text + " is a link that leaves " + owner;
  fs::file_status status;
  if (fs::status(llvm::StringRef(real.data(), real.size()), status) || status.type() != fs::file_type::regular_file)
    return text + " is not a regular file";
  if (status.getLinkCount() > 1)
    return text + " has several hard links, one of which may be outside " + owner + "; copy it";
  return "";
}
