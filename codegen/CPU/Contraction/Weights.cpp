#include "codegen/CPU/Contraction/Weights.h"
#include "codegen/CPU/Contraction/Choice.h"
#include "codegen/Schedules/Panels.h"
#include "lib/Analysis/PairProducts.h"
#include "lib/Analysis/Widening.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

Value lathe::cpu::inMemory(Value operand) {
  Value tensor = isa<BlockArgument>(operand) ? operand : widenedTensor(operand);
  return isa_and_nonnull<BlockArgument>(tensor) ? tensor : Value();
}

int64_t lathe::cpu::panelWidthOf(DotGeneralOp op) {
  auto kernel = dyn_cast<KernelOp>(op->getParentOp());
  auto argument = dyn_cast_or_null<BlockArgument>(inMemory(op.getRhs()));
  return kernel && argument ? lathe::panelWidthOf(kernel, argument.getArgNumber()) : 0;
}

/// True if the kernel reads the memory of the right operand only as that operand.
static bool isOnlyRead(DotGeneralOp op, BlockArgument memory) { return memory.hasOneUse() && op.getRhs().hasOneUse(); }

/// True if rhs is [..., depth, columns], with batches in front of the matrices.
static bool isArrayOfMatrices(DotGeneralOp op, const ContractionShape &shape) {
  auto type = cast<RankedTensorType>(op.getRhs().getType());
  int64_t rank = type.getRank();
  if (!type.hasStaticShape() || type.getNumElements() == 0 || op.getRhsContract() != ArrayRef(rank - 2))
    return false;
  return llvm::all_of(shape.outer, [](const ContractionShape::Outer &outer) { return outer.rhsStride.isStatic(); });
}

std::optional<PanelChoice> lathe::cpu::choosePanels(KernelOp kernel, ArrayRef<VectorTarget> targets) {
  auto products = kernel.getBody().front().getOps<DotGeneralOp>();
  if (products.empty() || !llvm::hasSingleElement(products))
    return std::nullopt;
  DotGeneralOp op = *products.begin();
  auto memory = dyn_cast_or_null<BlockArgument>(inMemory(op.getRhs()));
  std::optional<ContractionShape> shape = ContractionShape::of(op);
  if (isPairProduct(op) || !memory || !shape || !isOnlyRead(op, memory) || !isArrayOfMatrices(op, *shape))
    return std::nullopt;
  Type element = scalarOf(getElementTypeOrSelf(op.getType()));
  int64_t columns = shape->columns.constant(), width = choosePanelWidth(columns, element, targets);
  if (!width)
    return std::nullopt;
  return PanelChoice{memory.getArgNumber(), width};
}
