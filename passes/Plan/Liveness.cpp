#include "passes/Plan/Liveness.h"

using namespace mlir;
using namespace lathe;

Value lathe::memoryOf(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

Dim lathe::byteSize(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = std::max(1u, type.getElementTypeBitWidth() / 8);
  std::optional<Dim> elements = numElements(dimsOf(type));
  return *elements * Dim(bytes); // import refused shapes whose product overflows
}

bool lathe::readsInPlace(KernelOp kernel, unsigned input) {
  auto shape = dimsOf(kernel.getResult(0));
  SmallVector<Value> work{kernel.getBody().getArgument(input)};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (dimsOf(value) != shape)
      return false;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      // These write what they do not replace where they read it.
      bool replacesParts = isa<ScatterOp, DynamicUpdateSliceOp>(user) && use.getOperandNumber() == 0;
      if (!replacesParts && !isa<YieldOp>(user) && !user->hasTrait<ElementwiseTrait>())
        return false;
      if (isa<YieldOp>(user) || !seen.insert(user).second)
        continue;
      work.push_back(user->getResult(0));
    }
  }
  return true;
}
