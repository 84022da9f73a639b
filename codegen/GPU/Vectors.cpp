#include "codegen/GPU/Vectors.h"
#include "dialects/Lathe/IR/PlanAttributes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

static int64_t memoryBytes(Value tensor) {
  return std::max(1u, cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth() / 8);
}

/// Arguments of the entry and places in the workspace are; a slice is if its size is a multiple. Of one number it does not
/// matter.
static bool isAligned(Value value) {
  if (cast<RankedTensorType>(value.getType()).getRank() == 0)
    return true;
  Value memory = memoryOf(value);
  auto argument = dyn_cast<BlockArgument>(memory);
  if (!argument || isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return true;
  Dim size = byteSize(memory);
  return size.isStatic() && size.constant() % kVectorBytes == 0;
}

/// What is written for the region around it goes to a slice.
static bool isAlignedResult(Value value, BufferAttr buffer) {
  Dim size = byteSize(value);
  return buffer.getKind() != BufferKind::Yield || (size.isStatic() && size.constant() % kVectorBytes == 0);
}

void lathe::gpu::markUnaligned(KernelOp kernel) {
  bool isGood = llvm::all_of(kernel.getInputs(), isAligned);
  auto buffers = kernel->getAttrOfType<ArrayAttr>(kBuffersAttr);
  for (auto [result, buffer] : llvm::zip_equal(kernel.getResults(), buffers.getAsRange<BufferAttr>()))
    isGood &= isAlignedResult(result, buffer);
  if (!isGood)
    kernel->setAttr(kUnalignedAttr, UnitAttr::get(kernel.getContext()));
}

/// Where each element comes with the one beside it: the index along the nest's last dimension is the input's last one, or none.
static bool keepsNeighbours(AccessAttr access, unsigned rank) {
  IntegerSet guard = access.getGuard().getValue();
  auto isTrue = [](AffineExpr constraint) { return isa<AffineConstantExpr>(constraint); };
  AffineMap map = access.getMap().getValue();
  if (!llvm::all_of(guard.getConstraints(), isTrue))
    return false;
  if (rank == 0 || map.getNumResults() == 0)
    return true;
  auto last = [&](AffineExpr index) { return index.isFunctionOfDim(rank - 1); };
  if (llvm::any_of(map.getResults().drop_back(), last))
    return false;
  AffineExpr index = map.getResults().back();
  return !last(index) || index == getAffineDimExpr(rank - 1, access.getContext());
}

unsigned lathe::gpu::operationsOf(KernelOp kernel, NestOp apart) {
  constexpr unsigned kFunction = 24;
  unsigned operations = 0;
  for (auto nest : kernel.getBody().front().getOps<NestOp>())
    if (nest != apart)
      nest.getBody().walk([&](Operation *op) { operations += isa<ApplyOp>(op) ? kFunction : 1; });
  return operations;
}

unsigned lathe::gpu::vectorLanes(KernelOp kernel, ArrayRef<Dim> full, NestOp apart) {
  constexpr unsigned kLongBody = 96; // scalar operations; so many have registers enough of one element
  if (full.empty() || !full.back().isStatic() || kernel->hasAttr(kUnalignedAttr))
    return 1;
  Block &body = kernel.getBody().front();
  int64_t bytes = 1;
  auto fits = [&](Value tensor, unsigned lanes) {
    Dims extents = dimsOf(tensor);
    return extents.empty() || (extents.back().isStatic() && extents.back().constant() % lanes == 0) || extents.size() == 1;
  };
  for (Value tensor : llvm::concat<Value>(llvm::to_vector_of<Value>(body.getArguments()),
                                          llvm::to_vector(body.getTerminator()->getOperands())))
    bytes = std::max(bytes, memoryBytes(tensor));
  unsigned lanes = kVectorBytes / bytes;
  bool isGood = lanes > 1 && lanes <= 8 && full.back().constant() % lanes == 0;
  for (Value argument : body.getArguments())
    isGood &= fits(argument, lanes);
  for (auto nest : body.getOps<NestOp>()) {
    if (nest == apart)
      continue;
    unsigned rank = dimsOf(nest.getExtents()).size();
    for (Attribute access : nest.getAccesses())
      isGood &= keepsNeighbours(cast<AccessAttr>(access), rank);
    nest.getBody().walk([&](Operation *op) {
      isGood &= !isa<ElementOp>(op);
      auto function = dyn_cast<ApplyOp>(op);
      // Large angles go element by element through memory, which a GPU keeps far away.
      isGood &= !function || !llvm::is_contained({"sin", "cos", "tan"}, function.getFunction());
    });
  }
  return isGood && operationsOf(kernel, apart) <= kLongBody ? lanes : 1;
}
