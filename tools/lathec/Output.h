// Files that are written whole or not at all.
#ifndef LATHE_TOOLS_LATHEC_OUTPUT_H
#define LATHE_TOOLS_LATHEC_OUTPUT_H

#include <string>
#include <vector>

struct OutputFile {
  std::string path; // "-" is standard output
  const std::string *content;
};

/// True if the path is standard output, another descriptor of this process, a device or a pipe. These are written in place,
/// without temporary files beside them.
bool isStream(const std::string &path);

/// Writes all files under temporary names, then renames them; writes streams in place. Returns what went wrong, or an empty
/// string.
std::string writeWhole(const std::vector<OutputFile> &files);

#endif
