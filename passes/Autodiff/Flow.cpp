#include "passes/Autodiff/Flow.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Returns the value that a region yields at an index.
static Value yielded(Region &region, unsigned index) { return region.front().getTerminator()->getOperand(index); }

/// Returns the values that flow into carry `index` of a loop: its initial value and the yielded one. The index counts results
/// and yielded values, and block arguments after the consts.
template <typename Loop>
static SmallVector<Value> sourcesOfCarry(Loop loop, unsigned index) {
  return {loop.getCarry()[index], yielded(loop.getBody(), index)};
}

static SmallVector<Value> sourcesOfResult(OpResult result) {
  unsigned index = result.getResultNumber();
  if (auto checkpoint = dyn_cast<CheckpointOp>(result.getOwner()))
    return {yielded(checkpoint.getBody(), index)};
  if (auto branch = dyn_cast<IfOp>(result.getOwner()))
    return {yielded(branch.getTaken(), index), yielded(branch.getOtherwise(), index)};
  if (auto loop = dyn_cast<WhileOp>(result.getOwner()))
    return sourcesOfCarry(loop, index);
  auto scan = cast<ScanOp>(result.getOwner());
  if (index < scan.getCarry().size())
    return sourcesOfCarry(scan, index);
  return {yielded(scan.getBody(), index)};
}

static SmallVector<Value> sourcesOfArgument(BlockArgument argument) {
  Value operand = operandOf(argument);
  if (!operand) // of a body
    return {};
  Operation *op = argument.getOwner()->getParentOp();
  auto ofLoop = [&](auto loop) -> SmallVector<Value> {
    unsigned numConsts = loop.getConsts().size(), index = argument.getArgNumber();
    if (index < numConsts || index - numConsts >= loop.getCarry().size())
      return {operand};
    return sourcesOfCarry(loop, index - numConsts);
  };
  if (auto scan = dyn_cast<ScanOp>(op))
    return ofLoop(scan);
  auto loop = dyn_cast<WhileOp>(op);
  return loop ? ofLoop(loop) : SmallVector<Value>{operand};
}

/// Returns the values that the operand at `index` of a region's terminator becomes.
static SmallVector<Value> targetsOfYield(Operation *op, Region *region, unsigned index) {
  if (isa<IfOp, CheckpointOp>(op))
    return {op->getResult(index)};
  if (auto loop = dyn_cast<WhileOp>(op)) {
    if (region == &loop.getCondition())
      return {};
    unsigned place = loop.getConsts().size() + index;
    return {op->getResult(index), loop.getCondition().getArgument(place), loop.getBody().getArgument(place)};
  }
  auto scan = cast<ScanOp>(op);
  if (index < scan.getCarry().size())
    return {op->getResult(index), scan.getBody().getArgument(scan.getConsts().size() + index)};
  return {op->getResult(index)};
}

static SmallVector<Value> targetsOfOperand(OpOperand &use) {
  Operation *op = use.getOwner();
  auto branch = dyn_cast<IfOp>(op);
  auto scan = dyn_cast<ScanOp>(op);
  unsigned first = branch ? 1 : scan && scan.getLength() ? 1 : 0; // after the predicate or the length
  if (use.getOperandNumber() < first)
    return {};
  unsigned index = use.getOperandNumber() - first;
  SmallVector<Value> targets;
  for (Region &region : op->getRegions())
    targets.push_back(region.getArgument(index));
  unsigned numConsts = constsOf(op).size();
  auto loop = dyn_cast<WhileOp>(op);
  unsigned numCarries = scan ? scan.getCarry().size() : loop ? loop.getCarry().size() : 0;
  if (index >= numConsts && index < numConsts + numCarries) // the loop may end before its first step
    targets.push_back(op->getResult(index - numConsts));
  return targets;
}

SmallVector<Value> autodiff::directSources(Value value) {
  Operation *op = value.getDefiningOp();
  if (op && !isControl(op))
    return SmallVector<Value>(op->getOperands());
  return op ? sourcesOfResult(cast<OpResult>(value)) : sourcesOfArgument(cast<BlockArgument>(value));
}

SmallVector<Value> autodiff::directTargets(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isControl(op))
    return targetsOfOperand(use);
  if (op->hasTrait<OpTrait::IsTerminator>() && isControl(op->getParentOp()))
    return targetsOfYield(op->getParentOp(), op->getParentRegion(), use.getOperandNumber());
  return SmallVector<Value>(op->getResults());
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
