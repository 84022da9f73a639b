#include "dialects/Lathe/IR/PlanAttributes.h"

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
