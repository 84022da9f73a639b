#include "codegen/GPU/KernelEmitter.h"
#include "codegen/GPU/Contraction/Contraction.h"
#include "codegen/GPU/Forms.h"
#include "codegen/GPU/Hopper/Hopper.h"
#include "codegen/GPU/Rows/Rows.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

bool lathe::gpu::hasOwnEmitter(Operation *op, const Target &) {
  auto concatenation = dyn_cast<ConcatenateOp>(op);
  return concatenation && joinsVectors(concatenation);
}

/// A kernel of one op that no loop nest describes.
static KernelCode emitOwnKernel(KernelOp kernel, Operation *op, const FunctionPlace &place) {
  return llvm::TypeSwitch<Operation *, KernelCode>(op)
      .Case<SortOp, ArgsortOp, TopKOp>([&](Operation *sort) { return emitSort(kernel, sort, place); })
      .Case([&](DynamicUpdateSliceOp update) { return emitUpdateSlice(kernel, update, place); })
      .Case([&](ScatterOp scatter) { return emitScatter(kernel, scatter, place); })
      .Case<CumulativeOp, LinearRecurrenceOp>([&](Operation *scan) { return emitScan(kernel, scan, place); })
      .Case([&](TriangularSolveOp solve) { return emitTriangularSolve(kernel, solve, place); })
      .Case([&](ConcatenateOp concatenation) { return emitConcatenation(kernel, concatenation, place); })
      .Case([&](CholeskyOp cholesky) { return emitCholesky(kernel, cholesky, place); })
      .Default([](Operation *) -> KernelCode { llvm_unreachable("no kernel of its own"); });
}

FailureOr<KernelCode> lathe::gpu::emitKernel(KernelOp kernel, ModuleOp module, StringRef name, const Target &target) {
  FunctionPlace place{module, name, target};
  if (kernel->hasAttr(kRowsAttr))
    return emitRowPasses(kernel, place);
  for (Operation &op : kernel.getBody().front())
    if (op.hasTrait<OwnKernelTrait>() || isa<ConcatenateOp>(op)) // others are nests by now
      return emitOwnKernel(kernel, &op, place);
  FailureOr<KernelLoops> loops = analyseLoops(kernel);
  if (failed(loops))
    return failure();
  if (std::optional<Product> product = Product::of(kernel, *loops); product && isTiled(*product, *loops)) {
    if (std::optional<GroupProduct> large = GroupProduct::of(kernel, *loops, *product, target))
      return emitGroupProduct(kernel, std::move(*loops), *large, place);
    return emitContraction(kernel, std::move(*loops), *product, place);
  }
  if (std::optional<KernelCode> code = emitTransposed(kernel, *loops, place))
    return *code;
  return emitLoops(kernel, std::move(*loops), place);
}
