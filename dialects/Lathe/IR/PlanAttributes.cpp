#include "dialects/Lathe/IR/PlanAttributes.h"

using namespace mlir;
using namespace lathe;

bool lathe::isView(Operation *op) { return isa<ReshapeOp>(op) || (isa<SliceOp>(op) && !isa<KernelOp>(op->getParentOp())); }

Value lathe::memoryOf(Value value) {
  for (Operation *maker = value.getDefiningOp(); maker && isView(maker); maker = value.getDefiningOp())
    value = maker->getOperand(0);
  return value;
}

Dim lathe::viewOffset(Value value) {
  Dim offset(0);
  for (Operation *maker = value.getDefiningOp(); maker && isView(maker); maker = value.getDefiningOp()) {
    if (auto slice = dyn_cast<SliceOp>(maker))
      offset = offset + contiguousOffset(slice).value_or(Dim::unknown());
    value = maker->getOperand(0);
  }
  return offset;
}

static int64_t elementBytes(Value value) {
  return std::max(1u, cast<RankedTensorType>(value.getType()).getElementTypeBitWidth() / 8);
}

std::optional<Dim> lathe::contiguousOffset(SliceOp slice) {
  Dims whole = dimsOf(slice.getOperand()), part = dimsOf(slice.getResult()), starts = dimsOf(slice.getStarts());
  size_t cut = 0;
  while (cut < whole.size() && whole[cut].isStatic(1) && part[cut].isStatic(1))
    ++cut;
  if (cut == whole.size())
    return Dim(0);
  Dims inner(llvm::drop_begin(whole, cut + 1));
  if (slice.getSteps()[cut] != 1 || inner != Dims(llvm::drop_begin(part, cut + 1)))
    return std::nullopt;
  return starts[cut] * productOf(inner) * Dim(elementBytes(slice.getResult()));
}

std::optional<SmallVector<Dim>> lathe::contiguousOffsets(ConcatenateOp op) {
  Dims outer(ArrayRef<Dim>(dimsOf(op.getResult())).take_front(op.getDim()));
  if (!llvm::all_of(outer, [](const Dim &extent) { return extent.isStatic(1); }))
    return std::nullopt;
  SmallVector<Dim> offsets;
  Dim end(0);
  for (Value part : op.getInputs()) {
    offsets.push_back(end);
    end = end + byteSize(part);
  }
  return offsets;
}

Dim lathe::byteSize(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t bytes = std::max(1u, type.getElementTypeBitWidth() / 8);
  std::optional<Dim> elements = numElements(dimsOf(type));
  return *elements * Dim(bytes); // import refused shapes whose product overflows
}
