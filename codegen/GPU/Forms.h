// The forms that the code of a kernel can have; KernelEmitter.cpp says which kernel gets which.
#ifndef LATHE_CODEGEN_GPU_FORMS_H
#define LATHE_CODEGEN_GPU_FORMS_H

#include "codegen/GPU/KernelEmitter.h"
#include "codegen/GPU/ThreadFrame.h"
#include "codegen/Points/LeafAccesses.h"

namespace lathe::gpu {

/// A place for a kernel's function, and who it is for.
struct FunctionPlace {
  mlir::ModuleOp module;
  llvm::StringRef name;
  const Target &target;
};

/// The words of a kernel's parameter, but for one of scratch memory.
inline unsigned wordsOf(KernelOp kernel, llvm::ArrayRef<std::string> symbols) {
  return kernel.getBody().getNumArguments() + kernel.getNumResults() + symbols.size() + 2 * predicatesOf(kernel);
}

/// One nest, or several that are computed where they are used: a thread has one point of the results, or several threads share
/// the reduction of one.
KernelCode emitLoops(KernelOp kernel, KernelLoops loops, const FunctionPlace &place);

/// One without a reduction whose inputs have their neighbours along another dimension than its results: tiles, where these
/// dimensions have known sizes. Nullopt for all others.
std::optional<KernelCode> emitTransposed(KernelOp kernel, const KernelLoops &loops, const FunctionPlace &place);

/// A kernel over rows (kRowsAttr): as many threads a row as its length is worth.
KernelCode emitRowPasses(KernelOp kernel, const FunctionPlace &place);

/// A kernel of one sort, argsort or top_k: a block of threads a line.
KernelCode emitSort(KernelOp kernel, mlir::Operation *op, const FunctionPlace &place);

} // namespace lathe::gpu

#endif
