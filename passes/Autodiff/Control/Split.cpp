// Splits branches and loops into a known op, which also returns the residuals for the linear one. The residuals of a loop are
// stacks with a slice for each step, except for loop-invariant values and for slices of existing stacks.
#include "passes/Autodiff/Split.h"
#include "passes/Autodiff/Control/Control.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

namespace {
/// The two parts of one region.
struct RegionParts {
  Body known;
  LinearPart linear;

  /// Returns the known operands of one group and adds arguments for them to the known body; unknown ones get null arguments.
  SmallVector<Value> addKnown(Split &split, ValueRange operands, ValueRange inside) {
    SmallVector<Value> given;
    for (auto [operand, argument] : llvm::zip_equal(operands, inside)) {
      bool isUnknown = split.isUnknown(argument);
      arguments.push_back(isUnknown ? Value() : Value(known.add(argument)));
      if (isUnknown)
        continue;
      given.push_back(split.inKnown(operand));
      originals.push_back(operand);
    }
    return given;
  }

  /// Fills both parts from the region.
  LogicalResult run(Split &split, Region &region, ArrayRef<bool> isLinear) {
    Emit inner = split.getKnown().inside(known);
    FailureOr<SmallVector<Value>> yields = linearise(split.getRules(), Piece::of(region), arguments, isLinear, inner, linear);
    if (failed(yields))
      return failure();
    known.yields = *yields;
    return success();
  }

  /// Returns the operand that a residual equals, or null if the region computes it.
  Value forwarded(Value residual) const {
    auto argument = dyn_cast<BlockArgument>(residual);
    return argument ? originals[argument.getArgNumber()] : Value();
  }

  SmallVector<Value> arguments;
  SmallVector<Value> originals; // for each argument of the known body, the operand in the original piece
};

/// Builds the linear loop. Its arguments are in groups; each replaces one of the linear part's arguments.
class LinearLoop {
public:
  LinearLoop(Split &split, LinearPart &part) : split(split), part(part), places(part.body.block.getNumArguments()) {}

  void addResidual(unsigned index, Value slot, SmallVector<Value> &group) {
    places[index] = body.add(part.body.block.getArgument(index));
    group.push_back(slot);
  }
  /// Adds the next unknown arguments, in order.
  void addUnknown(ValueRange operands, ValueRange inside, SmallVector<Value> &group) {
    for (auto [operand, argument] : llvm::zip_equal(operands, inside))
      if (split.isUnknown(argument))
        addResidual(part.residuals.size() + nextUnknown++, split.inLinear(operand), group);
  }

  Body &finish() {
    moveOps(part.body, body, places);
    return body;
  }

  Operands operands;

private:
  Split &split;
  LinearPart &part;
  Body body;
  SmallVector<Value> places;
  unsigned nextUnknown = 0;
};

/// Maps results: the known and the unknown ones, each in order.
void take(Split &split, ValueRange results, ValueRange known, ValueRange linear) {
  auto nextKnown = known.begin(), nextLinear = linear.begin();
  for (Value result : results) {
    if (split.isUnknown(result))
      split.setLinear(result, *nextLinear++);
    else
      split.setKnown(result, *nextKnown++);
  }
}

SmallVector<bool> unknownOf(Split &split, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return split.isUnknown(value); });
}
} // namespace

static LogicalResult splitScan(Split &split, ScanOp op) {
  RegionParts parts;
  Operands operands;
  operands.consts = parts.addKnown(split, op.getConsts(), op.getConstArguments());
  operands.carry = parts.addKnown(split, op.getCarry(), op.getCarryArguments());
  operands.xs = parts.addKnown(split, op.getXs(), op.getSliceArguments());
  if (failed(parts.run(split, op.getBody(), unknownOf(split, op.getResults()))))
    return failure();

  // A residual that a step computes becomes one more stack, unless the loop already collects it.
  unsigned numConsts = operands.consts.size(), numCarries = operands.carry.size();
  SmallVector<unsigned> stackOf(parts.linear.residuals.size());
  auto isForwarded = [&](Value residual) {
    auto argument = dyn_cast<BlockArgument>(residual);
    return argument && (argument.getArgNumber() < numConsts || argument.getArgNumber() >= numConsts + numCarries);
  };
  unsigned numKnown = parts.known.yields.size();
  for (auto [i, residual] : llvm::enumerate(parts.linear.residuals)) {
    if (isForwarded(residual))
      continue;
    auto collected = llvm::find(llvm::drop_begin(parts.known.yields, numCarries), residual);
    stackOf[i] = collected - parts.known.yields.begin();
    if (collected == parts.known.yields.end())
      parts.known.yields.push_back(residual);
  }
  Value length = op.getLength() ? split.inKnown(op.getLength()) : Value();
  SmallVector<Value> residuals = parts.linear.residuals; // values of the body, before it is moved
  SmallVector<bool> forwarded = llvm::map_to_vector(residuals, isForwarded);
  ScanOp known = makeScan(split.getKnown(), op.getSteps(), length, op.getReverse(), operands, parts.known);

  LinearLoop linear(split, parts.linear);
  Operands &given = linear.operands;
  auto addResiduals = [&](bool consts, SmallVector<Value> &group) {
    for (auto [i, residual] : llvm::enumerate(residuals)) {
      Value original = forwarded[i] ? parts.forwarded(residual) : Value();
      bool isConst = original && cast<BlockArgument>(residual).getArgNumber() < numConsts;
      if (isConst == consts)
        linear.addResidual(i, original ? split.inLinear(original) : split.residual(known.getResult(stackOf[i])), group);
    }
  };
  addResiduals(true, given.consts);
  linear.addUnknown(op.getConsts(), op.getConstArguments(), given.consts);
  linear.addUnknown(op.getCarry(), op.getCarryArguments(), given.carry);
  addResiduals(false, given.xs);
  linear.addUnknown(op.getXs(), op.getSliceArguments(), given.xs);
  Value linearLength = op.getLength() ? split.inLinear(op.getLength()) : Value();
  ScanOp made = makeScan(split.getLinear(), op.getSteps(), linearLength, op.getReverse(), given, linear.finish());
  take(split, op.getResults(), known.getResults().take_front(numKnown), made.getResults());
  return success();
}

namespace {
/// Builds the known loop of a while. It counts its steps, and stores residuals in stacks with a slot for each step of its
/// bound.
class StackingLoop {
public:
  StackingLoop(Split &split, WhileOp op) : split(split), op(op), steps(int64_t(*op.getBound())) {}

  LogicalResult run() {
    auto inside = op.getBody().getArguments();
    unsigned numConsts = op.getConsts().size();
    consts = parts.addKnown(split, op.getConsts(), inside.take_front(numConsts));
    carry = parts.addKnown(split, op.getCarry(), inside.drop_front(numConsts));
    if (failed(parts.run(split, op.getBody(), unknownOf(split, op.getResults()))))
      return failure();
    numKnown = carry.size();
    addCounter();
    for (auto [i, residual] : llvm::enumerate(parts.linear.residuals))
      if (!isForwarded(residual))
        addStack(residual);
    Body condition;
    makeCondition(condition);
    known = makeWhile(split.getKnown(), op, consts, carry, condition, parts.known);
    makeLinear();
    return success();
  }

private:
  bool isForwarded(Value residual) const {
    auto argument = dyn_cast<BlockArgument>(residual);
    return argument && argument.getArgNumber() < consts.size();
  }

  Value number(Emit &e, int64_t value) { return e.integer(counterOf(e, steps), value); }

  void addCounter() {
    counter = parts.known.add(carry.emplace_back(number(split.getKnown(), 0)));
    Emit inner = split.getKnown().inside(parts.known);
    parts.known.yields.push_back(inner.add(counter, number(inner, 1)));
  }

  void addStack(Value residual) {
    RankedTensorType type = stackOf(typeOf(residual), 0, steps);
    Value stack = parts.known.add(carry.emplace_back(split.getKnown().zeros(type)));
    Emit inner = split.getKnown().inside(parts.known);
    Dims slot = dimsOf(residual);
    slot.insert(slot.begin(), Dim(1));
    SmallVector<Value> starts(type.getRank(), number(inner, 0));
    starts[0] = counter;
    parts.known.yields.push_back(inner.make<DynamicUpdateSliceOp>(stack, inner.reshape(residual, slot), starts));
  }

  void makeCondition(Body &condition) {
    SmallVector<Value> made = addLike(condition, parts.known.block.getArguments());
    SmallVector<Value> asked;
    for (Value argument : parts.arguments)
      asked.push_back(argument ? made[cast<BlockArgument>(argument).getArgNumber()] : Value());
    Emit inner = split.getKnown().inside(condition);
    condition.yields = copyRegion(inner, op.getCondition(), asked);
  }

  /// Builds a scan over the slots, up to the step at which the loop ended.
  void makeLinear() {
    LinearLoop linear(split, parts.linear);
    Operands &given = linear.operands;
    auto inside = op.getBody().getArguments();
    unsigned numConsts = op.getConsts().size();
    for (auto [i, residual] : llvm::enumerate(parts.linear.residuals))
      if (isForwarded(residual))
        linear.addResidual(i, split.inLinear(parts.forwarded(residual)), given.consts);
    linear.addUnknown(op.getConsts(), inside.take_front(numConsts), given.consts);
    linear.addUnknown(op.getCarry(), inside.drop_front(numConsts), given.carry);
    unsigned next = numKnown;
    Value trips = known.getResult(next++);
    for (auto [i, residual] : llvm::enumerate(parts.linear.residuals))
      if (!isForwarded(residual))
        linear.addResidual(i, split.residual(known.getResult(next++)), given.xs);
    ScanOp made = makeScan(split.getLinear(), steps, split.residual(trips), /*reverse=*/false, given, linear.finish());
    take(split, op.getResults(), known.getResults().take_front(numKnown), made.getResults());
  }

  Split &split;
  WhileOp op, known;
  Dim steps;
  RegionParts parts;
  SmallVector<Value> consts, carry; // of the known loop
  Value counter;
  unsigned numKnown = 0;
};

/// Splits an if. Residuals of one type share a slot; each branch fills its own.
class BranchSplit {
public:
  BranchSplit(Split &split, IfOp op) : split(split), op(op) {}

  LogicalResult run() {
    SmallVector<bool> isLinear = unknownOf(split, op.getResults());
    SmallVector<Value> consts;
    for (unsigned i : {0, 1}) {
      consts = parts[i].addKnown(split, op.getConsts(), op->getRegion(i).getArguments());
      if (failed(parts[i].run(split, op->getRegion(i), isLinear)))
        return failure();
    }
    numKnown = parts[0].known.yields.size();
    for (unsigned i : {0, 1})
      findSlots(i);
    for (unsigned i : {0, 1})
      fillSlots(i);
    IfOp known = makeIf(split.getKnown(), split.inKnown(op.getPredicate()), consts, parts[0].known, parts[1].known);
    makeLinear(known);
    return success();
  }

private:
  /// Assigns each residual of a branch a slot of its type that the branch does not use yet.
  void findSlots(unsigned branch) {
    SmallVector<bool> isUsed(slots.size());
    for (Value residual : parts[branch].linear.residuals) {
      if (Value original = parts[branch].forwarded(residual)) {
        forwarded.insert(original);
        slotOf[branch].push_back(-1);
        continue;
      }
      unsigned slot = 0;
      while (slot < slots.size() && (isUsed[slot] || slots[slot] != residual.getType()))
        ++slot;
      if (slot == slots.size()) {
        slots.push_back(residual.getType());
        isUsed.push_back(false);
      }
      isUsed[slot] = true;
      slotOf[branch].push_back(slot);
    }
  }

  void fillSlots(unsigned branch) {
    SmallVector<Value> filled(slots.size());
    for (auto [residual, slot] : llvm::zip_equal(parts[branch].linear.residuals, slotOf[branch]))
      if (slot >= 0)
        filled[slot] = residual;
    Emit inner = split.getKnown().inside(parts[branch].known);
    for (auto [value, type] : llvm::zip_equal(filled, slots)) // the other branch does not read it
      parts[branch].known.yields.push_back(value ? value : inner.zeros(type));
  }

  void makeLinear(IfOp known) {
    SmallVector<Value> consts;
    llvm::DenseMap<Value, unsigned> placeOf;
    for (Value original : forwarded) {
      placeOf[original] = consts.size();
      consts.push_back(split.inLinear(original));
    }
    unsigned firstSlot = consts.size();
    for (Value result : known.getResults().drop_front(numKnown))
      consts.push_back(split.residual(result));
    unsigned firstUnknown = consts.size();
    for (auto [operand, argument] : llvm::zip_equal(op.getConsts(), op.getTaken().getArguments()))
      if (split.isUnknown(argument))
        consts.push_back(split.inLinear(operand));

    Body bodies[2];
    for (unsigned i : {0, 1}) {
      SmallVector<Value> inside = addLike(bodies[i], consts), places;
      for (auto [residual, slot] : llvm::zip_equal(parts[i].linear.residuals, slotOf[i]))
        places.push_back(inside[slot >= 0 ? firstSlot + slot : placeOf[parts[i].forwarded(residual)]]);
      llvm::append_range(places, llvm::drop_begin(inside, firstUnknown));
      moveOps(parts[i].linear.body, bodies[i], places);
    }
    IfOp made = makeIf(split.getLinear(), split.inLinear(op.getPredicate()), consts, bodies[0], bodies[1]);
    take(split, op.getResults(), known.getResults().take_front(numKnown), made.getResults());
  }

  Split &split;
  IfOp op;
  RegionParts parts[2];
  SmallVector<Type> slots;
  SmallVector<int> slotOf[2]; // of each residual, -1 for an operand
  llvm::SetVector<Value> forwarded;
  unsigned numKnown = 0;
};
} // namespace

/// Erases reports of a second run, which the first run already makes.
static void eraseReports(Block &block) {
  block.walk([](Operation *op) {
    if (isReport(op))
      op->erase();
  });
}

/// Emits the known part now, and all of it again in the linear part, so that only the op's operands are stored.
static LogicalResult splitCheckpoint(Split &split, CheckpointOp op) {
  RegionParts parts; // its linear part is not used: that would read values of the first run
  SmallVector<Value> consts = parts.addKnown(split, op.getConsts(), op.getBody().getArguments());
  if (failed(parts.run(split, op.getBody(), unknownOf(split, op.getResults()))))
    return failure();
  CheckpointOp known = makeCheckpoint(split.getKnown(), consts, parts.known);

  Body again;
  SmallVector<Value> operands;
  for (Value operand : op.getConsts())
    operands.push_back(split.inLinear(operand));
  Emit inner = split.getLinear().inside(again);
  SmallVector<Value> yields = copyRegion(inner, op.getBody(), addLike(again, op.getConsts()));
  eraseReports(again.block);
  for (auto [result, value] : llvm::zip_equal(op.getResults(), yields))
    if (split.isUnknown(result))
      again.yields.push_back(value);
  take(split, op.getResults(), known.getResults(), makeCheckpoint(split.getLinear(), operands, again).getResults());
  return success();
}

LogicalResult autodiff::splitControl(Split &split, Operation *op) {
  if (auto checkpoint = dyn_cast<CheckpointOp>(op))
    return splitCheckpoint(split, checkpoint);
  if (auto branch = dyn_cast<IfOp>(op))
    return BranchSplit(split, branch).run();
  if (auto scan = dyn_cast<ScanOp>(op))
    return splitScan(split, scan);
  auto loop = cast<WhileOp>(op);
  if (!loop.getBound())
    return op->emitOpError("has no bound, but reverse mode must know how many residuals to keep; declare "
                           "an upper bound on its steps, `bound 1000`");
  return StackingLoop(split, loop).run();
}
