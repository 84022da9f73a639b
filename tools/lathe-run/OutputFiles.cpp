#include "tools/lathe-run/OutputFiles.h"
#include "llvm/Support/FileSystem.h"

using namespace lathe;

namespace {
struct Output {
  std::string option, file;
};
} // namespace

/// Adds the files of "@FILE" values.
static void addFiles(const std::map<std::string, std::string> &values, std::vector<std::string> &files) {
  for (auto &[name, value] : values)
    if (value[0] == '@')
      files.push_back(value.substr(1));
}

static std::vector<std::string> filesRead(const RunOptions &options) {
  std::vector<std::string> files = options.libraries;
  files.push_back(options.graph);
  addFiles(options.inputs, files);
  addFiles(options.expected, files);
  return files;
}

static std::vector<Output> filesWritten(const Signature &signature, const RunOptions &options) {
  std::vector<Output> written;
  for (auto &[name, value] : options.outputs)
    written.push_back({"--output " + name, value.substr(1)});
  if (!options.saveFolder.empty()) // an input that is stored again is the same
    for (const Parameter &result : signature.results)
      written.push_back({"--save", options.saveFolder + "/out-" + result.name + ".npy"});
  if (!options.saveState.empty())
    written.push_back({"--save-state", options.saveState});
  if (!options.profileTrace.empty())
    written.push_back({"--profile", options.profileTrace});
  return written;
}

/// True if both names lead to one file. A device or a pipe keeps what it has.
static bool isSame(const std::string &a, const std::string &b) {
  return a == b ? !llvm::sys::fs::exists(a) || llvm::sys::fs::is_regular_file(a)
                : llvm::sys::fs::equivalent(a, b) && llvm::sys::fs::is_regular_file(a);
}

std::string checkOutputFiles(const Signature &signature, const RunOptions &options) {
  std::vector<Output> written = filesWritten(signature, options);
  std::vector<std::string> read = filesRead(options);
  for (size_t i = 0; i < written.size(); ++i) {
    auto &[option, file] = written[i];
    for (const std::string &other : read)
      if (isSame(file, other))
        return option + ": cannot write '" + file + "': it is " + (file == other ? "" : "'" + other + "', ") +
               "a file that this run reads; use another name";
    if (option != "--save-state" && !options.loadState.empty() && isSame(file, options.loadState))
      return option + ": cannot write '" + file + "': it is the file of --load-state; use another name";
    for (size_t k = 0; k < i; ++k)
      if (isSame(file, written[k].file))
        return option + ": cannot write '" + file + "': " + written[k].option + " writes it too; use another name";
  }
  return "";
}
