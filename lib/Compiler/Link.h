// From an object to what programs load or link: a shared object by lld in this process, an archive.
#ifndef LATHE_COMPILER_LINK_H
#define LATHE_COMPILER_LINK_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace lathe {

/// An empty file, in memory where the system has a place for that, that is gone when this is. `path` is empty if none can be
/// made.
class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile &) = delete;
  /// Writes all of the file; false with `error` set if that fails.
  bool write(llvm::StringRef bytes, std::string &error);
  std::string path;
};

/// Links the object file to a shared object. False with the linker's messages in `error`; a broken object does not end the
/// process.
bool linkShared(const std::string &objectPath, const std::string &outputPath, std::string &error);
/// The same from bytes to bytes; empty with `error` set on failure.
std::string linkShared(llvm::StringRef object, std::string &error);

/// A static library with the object as its only member, under a name; empty with `error` set on failure.
std::string makeArchive(llvm::StringRef object, llvm::StringRef member, std::string &error);

} // namespace lathe

#endif
