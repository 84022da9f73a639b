#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Autodiff/Flow.h"
#include "passes/Autodiff/Split.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

Split::Split(const Rules &rules, const Piece &both, Emit &known, LinearPart &part)
    : rules(rules), both(both), knownEmit(known), part(part), linearEmit(known.inside(part.body)) {}

FailureOr<SmallVector<Value>> Split::run(Values knownArguments, ArrayRef<bool> isLinear) {
  SmallVector<Value> seeds;
  for (auto [argument, given] : llvm::zip_equal(both.arguments(), knownArguments)) {
    if (given) {
      known.map(argument, given);
      continue;
    }
    seeds.push_back(argument);
    linear.map(argument, part.body.add(argument));
  }
  part.numUnknown = seeds.size();
  unknown = dependents(seeds);
  findNeeded(isLinear);
  slopes.emplace(both, unknown, needed);
  for (Operation &op : both.ops())
    if (failed(split(op)))
      return failure();

  SmallVector<Value> results;
  for (auto [value, toLinear] : llvm::zip_equal(both.yields, isLinear)) {
    if (toLinear) {
      part.body.yields.push_back(inLinear(value));
      continue;
    }
    if (isUnknown(value))
      return emitError(value.getLoc(), "internal error: a primal result depends on a tangent"), failure();
    results.push_back(known.lookup(value));
  }
  return results;
}

/// Finds the ops of the known part: those that primal results or a split control op need. All others go into the linear part.
void Split::findNeeded(ArrayRef<bool> isLinear) {
  DenseSet<Value> live;
  for (auto [value, toLinear] : llvm::zip_equal(both.yields, isLinear))
    if (!toLinear)
      live.insert(value);
  auto isUnknownValue = [&](Value value) { return isUnknown(value); };
  for (Operation &op : llvm::reverse(*both.block)) {
    bool isSplit = isControl(&op) && llvm::any_of(op.getOperands(), isUnknownValue);
    bool isLive = llvm::any_of(op.getResults(), [&](Value result) { return live.contains(result); });
    if (!isSplit && !isLive && isMemoryEffectFree(&op))
      continue;
    needed.insert(&op);
    live.insert_range(op.getOperands());
  }
}

LogicalResult Split::split(Operation &op) {
  knownEmit.at(op.getLoc());
  linearEmit.at(op.getLoc());
  bool isAnyUnknown = llvm::any_of(op.getOperands(), [&](Value operand) { return isUnknown(operand); });
  if (isAnyUnknown && isControl(&op))
    return splitControl(*this, &op);
  if (slopes->isMerged(&op))
    return splitMerged(op), success();
  if (slopes->isFactor(&op)) // emitted with the slopes that need it
    return success();
  if (!isAnyUnknown && needed.contains(&op)) {
    if (op.getNumResults() == 1 && known.contains(op.getResult(0))) // an equal op came first
      return success();
    knownEmit.getBuilder().clone(op, known);
    return success();
  }
  return splitPlain(op);
}

void Split::splitMerged(Operation &link) {
  if (!slopes->isEnd(&link))
    return;
  Value slope = slopes->emit(&link, rules, knownEmit, known), tangent = link.getResult(0);
  linear.map(tangent, linearEmit.mul(inLinear(slopes->sourceOf(tangent)), residual(slope)));
}

Operation *Split::equalInKnown(Operation &op) {
  if (!both.block->getParentOp() || op.getNumOperands() == 0 || op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
    return nullptr;
  for (Operation *other : op.getOperand(0).getUsers())
    if (other != &op && other->getNumResults() == 1 && needed.contains(other) &&
        OperationEquivalence::isEquivalentTo(&op, other, OperationEquivalence::IgnoreLocations)) {
      if (!known.contains(other->getResult(0)))
        knownEmit.getBuilder().clone(*other, known);
      return other;
    }
  return nullptr;
}

/// Moves an op to the linear part.
LogicalResult Split::splitPlain(Operation &op) {
  bool isKnown = llvm::none_of(op.getOperands(), [&](Value operand) { return isUnknown(operand); });
  if (Operation *other = isKnown ? equalInKnown(op) : nullptr) {
    linear.map(op.getResult(0), inLinear(other->getResult(0)));
    return success();
  }
  SmallVector<unsigned> unknownOperands;
  for (auto [i, operand] : llvm::enumerate(op.getOperands()))
    if (isUnknown(operand))
      unknownOperands.push_back(i);
  const Rule *rule = unknownOperands.empty() ? nullptr : rules.find(&op);
  if (!unknownOperands.empty() && (!rule || !rule->isLinearIn(&op, unknownOperands)))
    return op.emitError("internal error: '") << op.getName() << "' is not linear in the tangents that it uses";
  for (Value operand : op.getOperands())
    inLinear(operand);
  linearEmit.getBuilder().clone(op, linear);
  return success();
}

/// True for constants and ops that repeat one.
bool Split::isRemade(Operation *op) const {
  return op && both.block->getParentOp() && op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() &&
         isa<ConstantOp, IotaOp, BroadcastOp, ConvertOp>(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return isRemade(operand.getDefiningOp()); });
}

/// True if the op repeats or widens a smaller value, which a stack stores instead.
bool Split::isSpread(Operation *op) const {
  if (!op || !both.block->getParentOp())
    return false;
  auto bitsOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getElementTypeBitWidth(); };
  return isa<BroadcastOp>(op) || (isa<ConvertOp>(op) && bitsOf(op->getOperand(0)) < bitsOf(op->getResult(0)));
}

Value Split::inLinear(Value value) {
  if (Value there = linear.lookupOrNull(value))
    return there;
  if (Operation *op = value.getDefiningOp(); isRemade(op) || isSpread(op)) {
    for (Value operand : op->getOperands())
      inLinear(operand);
    linearEmit.getBuilder().clone(*op, linear);
    return linear.lookup(value);
  }
  Value slot = residual(known.lookup(value));
  linear.map(value, slot);
  return slot;
}

Value Split::residual(Value knownValue) {
  Value &slot = slots[knownValue];
  if (!slot) {
    slot = part.body.block.insertArgument(unsigned(part.residuals.size()), knownValue.getType(), knownValue.getLoc());
    part.residuals.push_back(knownValue);
  }
  return slot;
}

FailureOr<SmallVector<Value>> autodiff::linearise(const Rules &rules, const Piece &both, Values knownArguments,
                                                  ArrayRef<bool> isLinear, Emit &e, LinearPart &linear) {
  return Split(rules, both, e, linear).run(knownArguments, isLinear);
}

FailureOr<SmallVector<bool>> autodiff::linearise(const Rules &rules, Operation *op, Values knownOperands, Emit &e,
                                                 LinearPart &linear) {
  Body single;
  SmallVector<Value> operands, unknown;
  for (auto [operand, given] : llvm::zip_equal(op->getOperands(), knownOperands)) {
    operands.push_back(single.add(operand));
    if (!given)
      unknown.push_back(operands.back());
  }
  Operation *copy = single.end(op->getContext()).clone(*op);
  copy->setOperands(operands);
  llvm::append_range(single.yields, copy->getResults());
  DenseSet<Value> moving = dependents(unknown);
  SmallVector<bool> isLinear;
  for (Value result : copy->getResults())
    isLinear.push_back(moving.contains(result));
  if (failed(linearise(rules, Piece::of(single), knownOperands, isLinear, e, linear)))
    return failure();
  return isLinear;
}
