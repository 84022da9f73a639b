// The graphs that mistakes are made in.
#ifndef LATHE_TEST_FUZZ_TEXT_TEXTS_H
#define LATHE_TEST_FUZZ_TEXT_TEXTS_H

#include <string>
#include <vector>

namespace textfuzz {

struct Text {
  std::string name; // file, and line of its begin
  std::string text;
};

/// The graphs in files below folders: .mlir files, parts of .test files, blocks of .md files; what `// -----` separates and
/// functions of long files each for themselves. In the order of paths. Not all of them compile.
std::vector<Text> findTexts(const std::vector<std::string> &folders);

} // namespace textfuzz

#endif
