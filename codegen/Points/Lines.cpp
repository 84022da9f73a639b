#include "codegen/Points/Lines.h"
#include "dialects/Lathe/IR/DerivedDims.h"

using namespace mlir;
using namespace lathe;

Lines::Lines(RankedTensorType type, int64_t dim) : element(scalarOf(type.getElementType())) {
  for (auto [i, extent] : llvm::enumerate(dimsOf(type))) {
    Dim &part = int64_t(i) < dim ? outer : int64_t(i) > dim ? inner : length;
    part = part * extent;
  }
}

SmallVector<std::string> lathe::symbolsOfBuffers(KernelOp kernel) {
  SmallVector<std::string> symbols;
  auto addNames = [&](ValueRange values) {
    for (Value value : values)
      for (const Dim &dim : dimsOf(value))
        collectFactors(dim, symbols);
  };
  addNames(kernel.getBody().getArguments());
  addNames(kernel.getBody().front().getTerminator()->getOperands());
  llvm::sort(symbols);
  return symbols;
}

bool lathe::isAlone(Operation *op) {
  auto kernel = dyn_cast<KernelOp>(op->getParentOp());
  if (!kernel || !llvm::all_of(op->getOperands(), llvm::IsaPred<BlockArgument>))
    return false;
  Block &body = kernel.getBody().front();
  return body.getTerminator()->getNumOperands() == 1 && &body.front() == op && op->getNextNode() == body.getTerminator();
}
