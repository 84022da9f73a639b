#include "codegen/Kernels/ScheduleKernels.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/QuotientSums.h"

using namespace mlir;
using namespace lathe;

LogicalResult lathe::forEachCompiledKernel(ModuleOp module, function_ref<LogicalResult(KernelOp)> body) {
  KeepQuotients keep; // keep sizes in the form that the kernels' types have
  WalkResult walked = module.walk([&](KernelOp kernel) {
    bool isCompiled = !externOf(kernel) && !reportOf(kernel);
    return isCompiled && failed(body(kernel)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
