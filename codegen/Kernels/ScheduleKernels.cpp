#include "codegen/Kernels/ScheduleKernels.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/QuotientSums.h"

using namespace mlir;
using namespace lathe;

LogicalResult lathe::forEachCompiledKernel(ModuleOp module, function_ref<LogicalResult(KernelOp)> body) {
  KeepQuotients keep; // keep sizes in the form that the kernels' types have
  WalkResult walked = module.walk([&](KernelOp kernel) {
    return isCompiled(kernel) && failed(body(kernel)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
