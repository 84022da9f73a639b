// Files that are written whole or not at all.
#ifndef LATHE_TOOLS_LATHEC_OUTPUT_H
#define LATHE_TOOLS_LATHEC_OUTPUT_H

#include <cstdio>
#include <string>
#include <vector>

/// A file that is written in parts under a temporary name, before it is known whether it will be an output. Without a part
/// there is no file. It is deleted with this object, unless writeWhole has renamed it.
class PartsFile {
public:
  /// `path` is the file's final name, and not a stream's.
  explicit PartsFile(std::string path) : path(std::move(path)) {}
  ~PartsFile();
  PartsFile(const PartsFile &) = delete;

  /// Returns false if the file cannot be written, for the reason in `error`.
  bool write(const char *bytes, size_t size);
  /// Completes the file. Returns false as `write` does.
  bool close();
  bool isBegun() const { return !temporary.empty(); }

  std::string path, temporary, error;

private:
  std::FILE *file = nullptr;
};

struct OutputFile {
  std::string path; // "-" is standard output
  const std::string *content;
  PartsFile *parts = nullptr; // has the content, unless it is null
};

/// True if the path is standard output, another descriptor of this process, a device or a pipe. These are written in place,
/// without temporary files beside them.
bool isStream(const std::string &path);

/// Writes all files under temporary names, then renames them; writes streams in place. Returns what went wrong, or an empty
/// string.
std::string writeWhole(const std::vector<OutputFile> &files);

#endif
