#include "test/fuzz/text/Texts.h"
#include "lib/Import/Text/Statements.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace textfuzz;

static constexpr size_t kLong = 3000;

static std::string read(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A text, or the functions of one that is long.
static void add(std::vector<Text> &texts, const std::string &name, llvm::StringRef text) {
  if (!text.contains("func.func"))
    return;
  if (text.size() <= kLong) {
    texts.push_back({name, text.str()});
    return;
  }
  for (const lathe::Statement &statement : lathe::statementsOf(text))
    if (statement.parent < 0 && statement.op == "func.func" && statement.end - statement.begin <= kLong)
      texts.push_back({name + " @" + statement.symbol.str(), text.slice(statement.begin, statement.end).str() + "\n"});
}

/// The parts that lines which begin with `mark` begin; those in front of the first one too, if `hasFirst`.
static std::vector<std::string> split(const std::string &text, llvm::StringRef mark, bool hasFirst) {
  std::vector<std::string> parts;
  std::string part;
  bool isPart = hasFirst;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!llvm::StringRef(line).starts_with(mark)) {
      part += line + "\n";
      continue;
    }
    if (isPart)
      parts.push_back(part);
    part.clear();
    isPart = true;
  }
  if (isPart)
    parts.push_back(part);
  return parts;
}

/// The ```mlir blocks of a page.
static std::vector<std::string> blocksOf(const std::string &page) {
  std::vector<std::string> blocks;
  std::string block;
  bool isInside = false;
  std::stringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    bool isFence = llvm::StringRef(line).starts_with("```");
    if (isFence && isInside)
      blocks.push_back(std::exchange(block, ""));
    if (isFence)
      isInside = llvm::StringRef(line).starts_with("```mlir");
    else if (isInside)
      block += line + "\n";
  }
  return blocks;
}

std::vector<Text> textfuzz::findTexts(const std::vector<std::string> &folders) {
  std::vector<Text> texts;
  for (const std::string &folder : folders) {
    std::vector<std::filesystem::path> paths;
    for (auto &entry : std::filesystem::recursive_directory_iterator(folder))
      paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const std::filesystem::path &path : paths) {
      std::vector<std::string> parts;
      if (path.extension() == ".mlir")
        parts = split(read(path), "// -----", /*hasFirst=*/true);
      else if (path.extension() == ".test")
        parts = split(read(path), "#---", /*hasFirst=*/false);
      else if (path.extension() == ".md")
        parts = blocksOf(read(path));
      std::string name = path.lexically_relative(std::filesystem::path(folder).parent_path()).string();
      for (size_t i = 0; i < parts.size(); ++i)
        add(texts, name + (parts.size() > 1 ? ":" + std::to_string(i) : ""), parts[i]);
    }
  }
  return texts;
}
