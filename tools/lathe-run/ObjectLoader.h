// Loads an object file into this process: lld links it to a private shared object, which is then opened.
#ifndef LATHE_TOOLS_LATHE_RUN_OBJECTLOADER_H
#define LATHE_TOOLS_LATHE_RUN_OBJECTLOADER_H

#include "lathe/runtime.h"
#include <string>

/// A loaded object, until it is destroyed.
class LoadedObject {
public:
  LoadedObject() = default;
  LoadedObject(const LoadedObject &) = delete;
  ~LoadedObject();

  /// Loads an object or a shared library, or the bytes of an object. Returns its tables, or null with the reason.
  const lathe_module_info *open(const std::string &path, std::string &error);
  const lathe_module_info *openBytes(const std::string &bytes, std::string &error);

private:
  const lathe_module_info *openShared(const std::string &path, const std::string &symbol, std::string &error);

  void *handle = nullptr;
};

/// Returns why this CPU cannot run code for these targets; an empty string if it can, and for unknown targets.
std::string foreignTarget(const std::string &specs);

#endif
