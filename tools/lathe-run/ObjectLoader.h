// Loads an object file into this process: lld links it to a private shared object, which is then opened.
#ifndef LATHE_TOOLS_LATHE_RUN_OBJECTLOADER_H
#define LATHE_TOOLS_LATHE_RUN_OBJECTLOADER_H

#include "lathe/runtime.h"
#include <string>

/// Returns the tables of the loaded object, or null with the reason. A .so is opened directly. Loaded code stays until the
/// program ends.
const lathe_module_info *loadObject(const std::string &path, std::string &error);
/// The same for the bytes of an object.
const lathe_module_info *loadObjectBytes(const std::string &bytes, std::string &error);
/// Returns why this CPU cannot run code for these targets; an empty string if it can, and for unknown targets.
std::string foreignTarget(const std::string &specs);

#endif
