// NVIDIA's PTX assembler, an external program from a CUDA toolkit or PyPI's nvidia-cuda-nvcc.
#ifndef LATHE_CODEGEN_EMIT_PTXAS_H
#define LATHE_CODEGEN_EMIT_PTXAS_H

#include "codegen/GPU/Target.h"

namespace lathe {

/// Returns the program's path: `wish`, or for "auto" that of $LATHE_PTXAS, $CUDA_HOME, $PATH or /usr/local/cuda. Returns an
/// empty string for "none" and if none is found.
std::string findPtxas(llvm::StringRef wish);

/// Returns the cubin of a PTX text; empty with the reason in `error` on failure.
std::string assemblePtx(llvm::StringRef ptxas, llvm::StringRef ptx, const gpu::Target &target, unsigned optLevel,
                        std::string &error);

} // namespace lathe

#endif
