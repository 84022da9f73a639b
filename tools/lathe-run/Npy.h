// Tensors in .npy files.
#ifndef LATHE_TOOLS_LATHE_RUN_NPY_H
#define LATHE_TOOLS_LATHE_RUN_NPY_H

#include "tools/lathe-run/Runner.h"

/// Reads a little-endian file of a supported element type.
Expected<lathe::Tensor> readNpy(const std::string &path);
/// Returns why the file could not be written, or an empty string.
std::string writeNpy(const std::string &path, const lathe::Tensor &tensor);
/// Returns the runtime's message about a file, "x.npy: cannot open the file: ...", without "error:" and without
/// the function, which the user did not call.
std::string textOf(const lathe_error &error);

#endif
