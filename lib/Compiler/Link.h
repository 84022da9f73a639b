// Links an object in this process: to a shared object with lld, or to an archive.
#ifndef LATHE_COMPILER_LINK_H
#define LATHE_COMPILER_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lathe {

/// An empty file that is deleted with this object. It is in memory if the system supports that. `path` is empty if no file can
/// be created.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  /// Writes the whole file. Returns false and sets `error` on failure.
  bool write(llvm::StringRef bytes, std::string &error);
  std::string path;
};

/// Links the object file to a shared object. Returns false with the linker's messages in `error`; a broken object does not end
/// the process.
bool linkShared(const std::string &objectPath, const std::string &outputPath, std::string &error);
/// The same from bytes to bytes. Returns an empty string and sets `error` on failure.
std::string linkShared(llvm::StringRef object, std::string &error);

/// Joins objects to one. Their hidden symbols, by which they know each other, become local. Returns an empty string and sets
/// `error` on failure.
std::string joinObjects(llvm::ArrayRef<std::string> objects, std::string &error);

/// Returns a static library with the object as its only member, named `member`. Returns an empty string and sets `error` on
/// failure.
std::string makeArchive(llvm::StringRef object, llvm::StringRef member, std::string &error);

} // namespace lathe

#endif
