#include "codegen/CPU/Contraction/Weights.h"
#include "codegen/CPU/Contraction/Choice.h"
#include "codegen/Kernels/LowerToNests.h"
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

/// Returns the tensor that a nest copies, reading it at `map`; null if the tensor is not such a copy.
static Value copiedAt(Value tensor, AffineMap map) {
  auto nest = tensor.getDefiningOp<NestOp>();
  if (!nest || nest.getInputs().size() != 1 || nest.getReduction() != NestReduction::None)
    return {};
  Block &body = nest.getBody().front();
  auto access = cast<AccessAttr>(nest.getAccesses()[0]);
  ArrayRef<AffineExpr> guard = access.getGuard().getValue().getConstraints();
  bool isAlways = llvm::all_of(guard, [](AffineExpr each) { return each == 0; });
  bool isCopy = isAlways && access.getMap().getValue() == map && body.getTerminator()->getOperand(0) == body.getArgument(0);
  return isCopy ? nest.getInputs()[0] : Value();
}

/// Returns the matrix that the result [depth, columns] of a nest is the first columns of: the tensor itself if there is none.
static Value withAllColumns(Value tensor) {
  Value wider = copiedAt(tensor, AffineMap::getMultiDimIdentityMap(2, tensor.getContext()));
  return wider && dimsOf(wider).front() == dimsOf(tensor).front() ? wider : tensor;
}

/// Returns the argument in panels that nests put into the order of a matrix; see rightOperandOf.
static std::optional<RightOperand> inPanels(Value matrix) {
  auto type = cast<RankedTensorType>(matrix.getType());
  if (type.getRank() != 2 || !type.hasStaticShape())
    return std::nullopt;
  MLIRContext *context = matrix.getContext();
  Value padded = withAllColumns(matrix);
  auto reshape = padded.getDefiningOp<NestOp>();
  if (!reshape || reshape.getInputs().size() != 1)
    return std::nullopt;
  Value turned = reshape.getInputs()[0];
  auto turnedType = cast<RankedTensorType>(turned.getType());
  if (turnedType.getRank() != 3 || turnedType.getDimSize(0) != type.getDimSize(0) || !turnedType.hasStaticShape() ||
      !copiedAt(padded, mapOfReshape(turnedType, cast<RankedTensorType>(padded.getType()))))
    return std::nullopt;
  Value memory = copiedAt(turned, AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0, 2}, context));
  if (!isa_and_nonnull<BlockArgument>(memory))
    return std::nullopt;
  PanelLayout layout = PanelLayout::of(type, turnedType.getDimSize(2));
  layout.isEven = true;
  return RightOperand{memory, layout};
}

RightOperand lathe::cpu::rightOperandOf(DotGeneralOp op) {
  if (std::optional<RightOperand> operand = inPanels(op.getRhs()))
    return *operand;
  RightOperand operand{inMemory(op.getRhs()), std::nullopt};
  auto kernel = dyn_cast<KernelOp>(op->getParentOp());
  auto argument = dyn_cast_or_null<BlockArgument>(operand.memory);
  if (int64_t width = kernel && argument ? panelWidthOf(kernel, argument.getArgNumber()) : 0)
    operand.panels = PanelLayout::of(cast<RankedTensorType>(argument.getType()), width);
  return operand;
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
