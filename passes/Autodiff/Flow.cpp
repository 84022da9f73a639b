#include "passes/Autodiff/Flow.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Returns the value that a region yields at an index.
static Value yielded(Region &region, unsigned index) { return region.front().getTerminator()->getOperand(index); }

/// Returns the regions whose ends yield results of the op; the others end in a condition.
static auto yieldingRegions(ControlOpInterface op) {
  return llvm::make_filter_range(op->getRegions(), [](Region &region) { return isa<YieldOp>(region.front().getTerminator()); });
}

/// Returns the values that become result `index`: those that regions yield, and the first value of a carry.
static SmallVector<Value> sourcesOfResult(ControlOpInterface op, unsigned index) {
  SmallVector<Value> sources;
  if (OperandRange carries = op.getCarry(); index < carries.size())
    sources.push_back(carries[index]);
  for (Region &region : yieldingRegions(op))
    sources.push_back(yielded(region, index));
  return sources;
}

static SmallVector<Value> sourcesOfArgument(BlockArgument argument) {
  auto op = dyn_cast_or_null<ControlOpInterface>(argument.getOwner()->getParentOp());
  if (!op) // of a body
    return {};
  unsigned numConsts = op.getConsts().size(), index = argument.getArgNumber();
  if (index < numConsts || index - numConsts >= op.getCarry().size())
    return {operandOf(argument)};
  return sourcesOfResult(op, index - numConsts);
}

/// Returns the values that the operand at `index` of a region's terminator becomes.
static SmallVector<Value> targetsOfYield(ControlOpInterface op, unsigned index) {
  SmallVector<Value> targets{op->getResult(index)};
  if (index < op.getCarry().size())
    for (Region &region : op->getRegions())
      targets.push_back(region.getArgument(op.getConsts().size() + index));
  return targets;
}

static SmallVector<Value> targetsOfOperand(OpOperand &use) {
  auto op = cast<ControlOpInterface>(use.getOwner());
  unsigned first = op.getNumLeadingOperands();
  if (use.getOperandNumber() < first)
    return {};
  unsigned index = use.getOperandNumber() - first;
  SmallVector<Value> targets;
  for (Region &region : op->getRegions())
    targets.push_back(region.getArgument(index));
  unsigned numConsts = op.getConsts().size();
  if (index >= numConsts && index < numConsts + op.getCarry().size()) // the loop may end before its first step
    targets.push_back(op->getResult(index - numConsts));
  return targets;
}

SmallVector<Value> autodiff::directSources(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return sourcesOfArgument(cast<BlockArgument>(value));
  if (auto control = dyn_cast<ControlOpInterface>(op))
    return sourcesOfResult(control, cast<OpResult>(value).getResultNumber());
  return SmallVector<Value>(op->getOperands());
}

SmallVector<Value> autodiff::directTargets(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isControl(op))
    return targetsOfOperand(use);
  if (!op->hasTrait<OpTrait::IsTerminator>())
    return SmallVector<Value>(op->getResults());
  auto parent = dyn_cast_or_null<ControlOpInterface>(op->getParentOp());
  return parent && isa<YieldOp>(op) ? targetsOfYield(parent, use.getOperandNumber()) : SmallVector<Value>();
}

/// Returns the op that computes a value from others; for a region's argument, the op around the region.
static Operation *makerOf(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? op : cast<BlockArgument>(value).getOwner()->getParentOp();
}

DenseSet<Value> autodiff::dependents(ValueRange seeds, Step counts) {
  DenseSet<Value> reached(seeds.begin(), seeds.end());
  SmallVector<Value> pending(seeds);
  while (!pending.empty()) {
    Value from = pending.pop_back_val();
    for (OpOperand &use : from.getUses())
      for (Value to : directTargets(use))
        if (!reached.contains(to) && counts(makerOf(to), from, to)) {
          reached.insert(to);
          pending.push_back(to);
        }
  }
  return reached;
}

DenseSet<Value> autodiff::dependencies(ValueRange seeds, Step counts) {
  DenseSet<Value> reached(seeds.begin(), seeds.end());
  SmallVector<Value> pending(seeds);
  while (!pending.empty()) {
    Value to = pending.pop_back_val();
    for (Value from : directSources(to))
      if (!reached.contains(from) && counts(makerOf(to), from, to)) {
        reached.insert(from);
        pending.push_back(from);
      }
  }
  return reached;
}
