#include "passes/Fusion/ItemForm.h"
#include "lib/Analysis/Recomputation.h"
#include "passes/Fusion/Tuning.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

/// Returns the leading dimension of a value with few elements for each of many items; nullopt for other values.
static std::optional<Dim> itemsOfValue(Value value, int64_t leastItems) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Dims dims = type ? dimsOf(type) : Dims();
  if (dims.empty() || (dims[0].isStatic() && dims[0].constant() < leastItems))
    return std::nullopt;
  std::optional<Dim> size = numElements(ArrayRef<Dim>(dims).drop_front());
  if (!size || !size->isStatic() || size->constant() < 1 || size->constant() > tuning::kMostElementsOfItem)
    return std::nullopt;
  return dims[0];
}

/// True if a slice keeps all items.
static bool keepsItems(SliceOp op) {
  const Dims starts = dimsOf(op.getStarts()), operand = dimsOf(op.getOperand()), result = dimsOf(op.getResult());
  auto isStatic = [](const Dim &dim) { return dim.isStatic(); };
  return starts[0].isStatic(0) && op.getSteps()[0] == 1 && operand[0] == result[0] && llvm::all_of(starts, isStatic);
}

static bool keepsItems(ReshapeOp op) {
  const Dims operand = dimsOf(op.getOperand());
  return !op.getChecked() && !operand.empty() && operand[0] == dimsOf(op.getResult())[0];
}

std::optional<SmallVector<int64_t>> lathe::indicesWithinItems(GatherOp gather) {
  auto constant = gather.getIndices().getDefiningOp<ConstantOp>();
  auto values = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValue()) : DenseIntElementsAttr();
  if (!values || gather.getBatch() != 0 || gather.getAxis() == 0 || dimsOf(gather.getIndices()).size() != 1)
    return std::nullopt;
  const Dims table = dimsOf(gather.getTable());
  const Dim extent = table[gather.getAxis()];
  SmallVector<int64_t> indices;
  for (const APInt &value : values)
    indices.push_back(value.getSExtValue());
  auto isInside = [&](int64_t index) { return extent.isStatic() && index >= 0 && index < extent.constant(); };
  if (indices.empty() || !llvm::all_of(indices, isInside))
    return std::nullopt;
  return indices;
}

/// True for a gather of rows of a table by an index for each item. A table of as many rows may be computed item by item: it has
/// to be in memory.
static bool gathersItems(GatherOp gather) {
  const Dims table = dimsOf(gather.getTable()), indices = dimsOf(gather.getIndices());
  if (gather.getAxis() != 0 || gather.getBatch() != 0 || indices.size() != 1)
    return false;
  Operation *producer = gather.getTable().getDefiningOp();
  return !producer || isa<ConstantOp>(producer) || (!isRecomputed(producer) && table[0] != indices[0]);
}

bool lathe::movesWithinItems(Operation *op) {
  if (auto gather = dyn_cast<GatherOp>(op))
    return indicesWithinItems(gather).has_value();
  return isa<SliceOp, ConcatenateOp>(op);
}

/// True if an operand has values of items only where the op reads those of its own item. Broadcasts and other ops that are
/// recomputed are read through; a view that is not within items is memory, unless it is one of such values.
static bool readsOwnItems(Value operand, const Dim &items) {
  Operation *producer = operand.getDefiningOp();
  if (!producer || isa<ConstantOp>(producer))
    return true;
  if (auto reshape = dyn_cast<ReshapeOp>(producer); reshape && !keepsItems(reshape)) {
    Operation *before = reshape.getOperand().getDefiningOp();
    return !before || isa<ConstantOp>(before);
  }
  if (!isRecomputed(producer))
    return true;
  if (auto broadcast = dyn_cast<BroadcastOp>(producer)) {
    const Dims read = dimsOf(broadcast.getOperand());
    bool isOfItems = !read.empty() && llvm::is_contained(read, items);
    bool keepsFirst = isOfItems && read[0] == items && broadcast.getDims()[0] == 0;
    return (!isOfItems || keepsFirst) && readsOwnItems(broadcast.getOperand(), items);
  }
  if (producer->getNumOperands() && !producer->hasTrait<ElementwiseTrait>())
    return false;
  return llvm::all_of(producer->getOperands(), [&](Value before) { return readsOwnItems(before, items); });
}

std::optional<Dim> lathe::itemsOf(Operation *op, int64_t leastItems) {
  std::optional<Dim> items = op->getNumResults() == 1 ? itemsOfValue(op->getResult(0), leastItems) : std::nullopt;
  if (!items)
    return std::nullopt;
  auto isOfItems = [&](Value operand) { return itemsOfValue(operand, leastItems).has_value(); };
  bool isLocal =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([&](ReduceOp reduce) { return isOfItems(reduce.getOperand()) && !llvm::is_contained(reduce.getDims(), 0); })
          .Case([&](SliceOp slice) { return isOfItems(slice.getOperand()) && keepsItems(slice); })
          .Case([&](ReshapeOp reshape) { return isOfItems(reshape.getOperand()) && keepsItems(reshape); })
          .Case([&](ConcatenateOp concatenate) { return concatenate.getDim() != 0; })
          .Case([&](GatherOp gather) { return gathersItems(gather) || indicesWithinItems(gather).has_value(); })
          .Default([&](Operation *other) { return other->hasTrait<ElementwiseTrait>(); });
  auto reads = [&](Value operand) { return readsOwnItems(operand, *items); };
  if (!isLocal || !llvm::all_of(op->getOperands(), reads))
    return std::nullopt;
  return items;
}

/// Returns the extents, within an item, of what the op computes or reduces.
static Dims extentsOf(Operation *op) {
  const Dims dims = dimsOf(isa<ReduceOp>(op) ? op->getOperand(0) : op->getResult(0));
  return Dims(dims.begin() + 1, dims.end());
}

int64_t lathe::elementsPerItem(Operation *op) { return numElements(extentsOf(op))->constant(); }

int64_t lathe::lineOfItem(Operation *op) {
  const Dims extents = extentsOf(op);
  return extents.empty() ? 1 : extents.back().constant();
}
