// Files that appear whole or not at all.
#ifndef LATHE_TOOLS_LATHEC_OUTPUT_H
#define LATHE_TOOLS_LATHEC_OUTPUT_H

#include <string>
#include <vector>

struct OutputFile {
  std::string path; // "-" is standard output
  const std::string *content;
};

/// Writes all files beside their places, then renames them. Returns what went wrong, empty if nothing did.
std::string writeWhole(const std::vector<OutputFile> &files);

#endif
