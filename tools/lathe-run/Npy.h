// Tensors in .npy files.
#ifndef LATHE_TOOLS_LATHE_RUN_NPY_H
#define LATHE_TOOLS_LATHE_RUN_NPY_H

#include "tools/lathe-run/Runner.h"

/// A file of elements that tensors have, little-endian.
Expected<lathe::Tensor> readNpy(const std::string &path);
/// Why it could not be written; empty if it could.
std::string writeNpy(const std::string &path, const lathe::Tensor &tensor);
/// "x.npy: lathe_npy_read: ...": what the runtime says of a file, without the word that lathe-run begins with itself.
std::string textOf(const lathe_error &error);

#endif
