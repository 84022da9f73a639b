#include "tools/lathe-run/Weights.h"
#include <cstring>

std::string Weights::map(const std::string &path) {
  std::error_code problem;
  auto file = llvm::sys::fs::openNativeFileForRead(path);
  uint64_t length = 0;
  if (!file)
    problem = llvm::errorToErrorCode(file.takeError());
  else if (!(problem = llvm::sys::fs::file_size(path, length))) {
    mapped = llvm::sys::fs::mapped_file_region(*file, llvm::sys::fs::mapped_file_region::readonly, length, 0, problem);
    llvm::sys::fs::closeFile(*file);
  }
  if (problem)
    return "the object's weights, '" + path + "', cannot be read: " + problem.message();
  data = mapped.const_data();
  size = length;
  return "";
}

std::string Weights::copy(const std::string &bytes) {
  if (bytes.empty())
    return "";
  copied = std::make_unique<ContextMemory>(bytes.size());
  if (!copied->memory)
    return "out of memory: the weights take " + std::to_string(bytes.size()) + " bytes";
  std::memcpy(copied->memory, bytes.data(), bytes.size());
  data = copied->memory;
  size = bytes.size();
  return "";
}
