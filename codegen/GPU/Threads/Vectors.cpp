#include "codegen/GPU/Threads/Vectors.h"
#include "codegen/GPU/Tuning.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "dialects/Lathe/IR/Threefry.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

static int64_t memoryBytes(Value tensor) {
  return std::max(1u, cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth() / 8);
}

/// True if a value's buffer is aligned to kVectorBytes. Arguments of the entry and buffers in the workspace are, and a slice is
/// if its size is a multiple. Alignment does not matter for a scalar.
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

/// True if a result's buffer is aligned. A result that the enclosing region yields is written to a slice.
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

/// True if an access along the nest's last dimension reads aligned vectors, or one element for all points. The input's last
/// index is then that dimension plus a multiple of `lanes`, or is independent of it, and neither other indices nor the guard
/// depend on it.
static bool isVectorAccess(AccessAttr access, unsigned rank, unsigned lanes) {
  AffineMap map = access.getMap().getValue();
  if (rank == 0 || map.getNumResults() == 0)
    return true;
  auto last = [&](AffineExpr index) { return index.isFunctionOfDim(rank - 1); };
  if (llvm::any_of(access.getGuard().getValue().getConstraints(), last) || llvm::any_of(map.getResults().drop_back(), last))
    return false;
  AffineExpr index = map.getResults().back();
  if (!last(index))
    return true;
  AffineExpr moved =
      simplifyAffineExpr(index - getAffineDimExpr(rank - 1, access.getContext()), map.getNumDims(), map.getNumSymbols());
  return isa<AffineConstantExpr>(moved) && moved.isMultipleOf(lanes);
}

/// Returns the values of a nest's body that vary along its last dimension.
static DenseSet<Value> alongLast(NestOp nest, unsigned rank) {
  DenseSet<Value> values;
  Block &body = nest.getBody().front();
  for (auto [argument, access] : llvm::zip_equal(body.getArguments(), nest.getAccesses().getAsRange<AccessAttr>()))
    if (rank > 0 && access.getMap().getValue().isFunctionOfDim(rank - 1))
      values.insert(argument);
  for (Operation &op : body.without_terminator()) {
    auto index = dyn_cast<IndexOp>(op);
    bool isAlong = index ? index.getDim() + 1 == rank
                         : llvm::any_of(op.getOperands(), [&](Value operand) { return values.contains(operand); });
    if (isAlong)
      values.insert(op.getResults().begin(), op.getResults().end());
  }
  return values;
}

/// True if an element at computed indices is read in vectors, or is one for all points of the last dimension.
static bool isVectorAccess(ElementOp read, const DenseSet<Value> &alongLast, unsigned rank) {
  OperandRange indices = read.getIndices();
  if (indices.empty() || llvm::any_of(indices.drop_back(), [&](Value index) { return alongLast.contains(index); }))
    return false;
  auto last = indices.back().getDefiningOp<IndexOp>();
  return !alongLast.contains(indices.back()) || (last && last.getDim() + 1 == rank);
}

unsigned lathe::gpu::operationsOf(KernelOp kernel, NestOp except) {
  unsigned operations = 0;
  for (auto nest : kernel.getBody().front().getOps<NestOp>())
    if (nest != except)
      nest.getBody().walk([&](Operation *op) {
        auto function = dyn_cast<ApplyOp>(op);
        operations += !function ? 1 : function.getFunction() == kThreefry ? kThreefryOperations : tuning::kFunctionOperations;
      });
  return operations;
}

unsigned lathe::gpu::vectorLanes(KernelOp kernel, ArrayRef<Dim> full, NestOp except) {
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
    if (nest == except)
      continue;
    unsigned rank = dimsOf(nest.getExtents()).size();
    for (Attribute access : nest.getAccesses())
      isGood &= isVectorAccess(cast<AccessAttr>(access), rank, lanes);
    DenseSet<Value> differing = alongLast(nest, rank);
    nest.getBody().walk([&](Operation *op) {
      if (auto read = dyn_cast<ElementOp>(op))
        isGood &= isVectorAccess(read, differing, rank);
      auto function = dyn_cast<ApplyOp>(op);
      // The reduction of large angles goes element by element through local memory, which is slow on a GPU.
      isGood &= !function || !llvm::is_contained({"sin", "cos", "tan"}, function.getFunction());
    });
  }
  return isGood && operationsOf(kernel, except) <= tuning::kLongBody ? lanes : 1;
}
