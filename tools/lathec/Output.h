// Files that appear whole or not at all.
#ifndef LATHE_TOOLS_LATHEC_OUTPUT_H
#define LATHE_TOOLS_LATHEC_OUTPUT_H

#include <string>
#include <vector>

struct OutputFile {
  std::string path; // "-" is standard output
  const std::string *content;
};

/// True if the path is standard output, a device or a pipe. These are written in place, without temporary files beside them.
bool isStream(const std::string &path);

/// Writes all files beside their places, then renames them; streams in place. Returns what went wrong, empty if nothing did.
std::string writeWhole(const std::vector<OutputFile> &files);

#endif
