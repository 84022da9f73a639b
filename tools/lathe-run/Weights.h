// The constants of an object that was compiled with --weights=extern.
#ifndef LATHE_TOOLS_LATHE_RUN_WEIGHTS_H
#define LATHE_TOOLS_LATHE_RUN_WEIGHTS_H

#include "tools/lathe-run/ContextMemory.h"
#include "llvm/Support/FileSystem.h"
#include <memory>
#include <string>

struct Weights {
  const void *data = nullptr;
  size_t size = 0;

  /// Maps the file beside an object. Returns the reason for a failure, or an empty string.
  std::string map(const std::string &path);
  /// Copies the bytes to aligned memory. Returns the reason for a failure, or an empty string.
  std::string copy(const std::string &bytes);

private:
  llvm::sys::fs::mapped_file_region mapped;
  std::unique_ptr<ContextMemory> copied;
};

#endif
