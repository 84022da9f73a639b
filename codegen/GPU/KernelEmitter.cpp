#include "codegen/GPU/KernelEmitter.h"
#include "codegen/GPU/Contraction/Contraction.h"
#include "codegen/GPU/Forms.h"
#include "codegen/GPU/Hopper/Hopper.h"
#include "codegen/GPU/Rows/Rows.h"
#include "dialects/Lathe/IR/KernelAttributes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

bool lathe::gpu::hasOwnEmitter(Operation *, const Target &) { return false; }

FailureOr<KernelCode> lathe::gpu::emitKernel(KernelOp kernel, ModuleOp module, StringRef name, const Target &target) {
  FunctionPlace place{module, name, target};
  if (kernel->hasAttr(kRowsAttr))
    return emitRowPasses(kernel, place);
  for (Operation &op : kernel.getBody().front())
    if (isa<SortOp, ArgsortOp, TopKOp>(op))
      return emitSort(kernel, &op, place);
    else if (auto update = dyn_cast<DynamicUpdateSliceOp>(op))
      return emitUpdateSlice(kernel, update, place);
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      return emitScatter(kernel, scatter, place);
    else if (isa<CumulativeOp, LinearRecurrenceOp>(op))
      return emitScan(kernel, &op, place);
    else if (auto solve = dyn_cast<TriangularSolveOp>(op))
      return emitTriangularSolve(kernel, solve, place);
    else if (auto cholesky = dyn_cast<CholeskyOp>(op))
      return emitCholesky(kernel, cholesky, place);
    else if (op.hasTrait<OwnKernelTrait>())
      return emitPieces(kernel, place);
  FailureOr<cpu::KernelLoops> loops = cpu::analyseLoops(kernel);
  if (failed(loops))
    return failure();
  if (std::optional<Product> product = Product::of(*loops); product && isTiled(*product, *loops)) {
    if (std::optional<GroupProduct> large = GroupProduct::of(kernel, *loops, *product, target))
      return emitGroupProduct(kernel, std::move(*loops), *large, place);
    return emitContraction(kernel, std::move(*loops), *product, place);
  }
  return emitLoops(kernel, std::move(*loops), place);
}
