// NVIDIA's assembler of PTX, a program of its own: of a toolkit, or PyPI's nvidia-cuda-nvcc.
#ifndef LATHE_CODEGEN_EMIT_PTXAS_H
#define LATHE_CODEGEN_EMIT_PTXAS_H

#include "codegen/GPU/Target.h"

namespace lathe {

/// The program's path: `wish`, or with "auto" that of $LATHE_PTXAS, of $CUDA_HOME, in $PATH or in /usr/local/cuda; empty with
/// "none" and where there is none.
std::string findPtxas(llvm::StringRef wish);

/// The cubin of a PTX text; empty with the reason in `error`.
std::string assemblePtx(llvm::StringRef ptxas, llvm::StringRef ptx, const gpu::Target &target, unsigned optLevel,
                        std::string &error);

} // namespace lathe

#endif
