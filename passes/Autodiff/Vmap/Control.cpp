// Branches and loops of a batch: one op for all elements as long as they agree. If elements diverge, both branches run and each
// element selects its own; a loop runs until the last element stops, and elements that have stopped keep their values.
#include "passes/Autodiff/Control/Control.h"
#include "passes/Autodiff/Vmap/Vmap.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Adds the values that are batched because a predicate, a length or a condition is.
static void addDecided(Operation *op, const DenseSet<Value> &batched, SmallVector<Value> &seeds) {
  auto addLoop = [&](auto loop) {
    llvm::append_range(seeds, loop->getResults());
    for (Region &region : loop->getRegions())
      llvm::append_range(seeds, region.getArguments().slice(loop.getConsts().size(), loop.getCarry().size()));
  };
  auto addMasked = [&] { op->walk([&](WhileOp loop) { addLoop(loop); }); }; // the mask is part of its condition
  if (auto scan = dyn_cast<ScanOp>(op); scan && scan.getLength() && batched.contains(scan.getLength())) {
    addLoop(scan);
    addMasked();
  }
  if (auto loop = dyn_cast<WhileOp>(op); loop && batched.contains(loop.getCondition().front().getTerminator()->getOperand(0))) {
    addLoop(loop);
    addMasked();
  }
  auto branch = dyn_cast<IfOp>(op);
  if (!branch || !batched.contains(branch.getPredicate()))
    return;
  llvm::append_range(seeds, branch.getResults());
  addMasked();
}

DenseSet<Value> autodiff::batchedValues(const Piece &body, ValueRange seeds) {
  SmallVector<Value> all(seeds);
  for (size_t before = 0;;) {
    DenseSet<Value> batched = dependents(all);
    if (batched.size() == before)
      return batched;
    before = batched.size();
    body.block->walk([&](Operation *op) { addDecided(op, batched, all); });
  }
}

/// Selects between a and b by a mask [batch] of i1, repeated over the other dimensions.
static Value selectElements(Emit &e, Value mask, Value a, Value b) { return e.select(e.broadcast(mask, {0}, dimsOf(a)), a, b); }

/// Stops the gradient of elements outside `mask`. They are computed but not used. Their derivatives need not be finite, such as
/// that of sqrt at 0, and a cotangent of 0 times such a derivative is not 0. Without derivatives this folds away.
static SmallVector<Lifted> guarded(Emit &e, Value mask, Lifteds values) {
  return llvm::map_to_vector(values, [&](const Lifted &value) -> Lifted {
    if (!value.batched || !isFloat(value.value))
      return value;
    return {selectElements(e, mask, value.value, e.make<StopGradientOp>(value.value)), true};
  });
}

namespace {
/// Builds a region.
class LiftedRegion {
public:
  explicit LiftedRegion(Batch &outer) : emit(outer.e.inside(body)), outer(outer) {}

  /// Adds an argument for each value.
  void add(Lifteds values) {
    for (const Lifted &value : values)
      arguments.push_back({body.add(value.value), value.batched});
  }
  /// Adds arguments that are slices of the stacks along dimension 0.
  void addSlices(Lifteds stacks) {
    for (const Lifted &stack : stacks)
      arguments.push_back({body.block.addArgument(stackSlice(stack.value), stack.value.getLoc()), stack.batched});
  }
  /// Adds an argument that the piece does not see.
  Value addHidden(Value value) { return body.add(value); }

  /// Batches the region for the elements in `mask`. If `chosen` is given, the region runs for fewer elements than its
  /// surroundings, those in `chosen`.
  FailureOr<SmallVector<Lifted>> run(const BatchRules &rules, const DenseSet<Value> &batched, Region &region, Value mask,
                                     Value chosen = {}) {
    Batch inner(emit, outer, mask);
    return lift(rules, inner, Piece::of(region), batched, chosen ? guarded(emit, chosen, arguments) : arguments);
  }
  /// Returns a value with the batch as dimension 0.
  Value whole(const Lifted &value) { return Batch(emit, outer, {}).whole(value); }

  Body body;
  Emit emit;
  SmallVector<Lifted> arguments;

private:
  static Type stackSlice(Value stack) { return sliceOf(typeOf(stack), 0); }

  Batch &outer;
};

/// Batches one op.
class ControlLift {
public:
  ControlLift(const BatchRules &rules, Batch &b, const DenseSet<Value> &batched, Lifteds operands)
      : rules(rules), b(b), batched(batched), operands(operands) {}

  using Results = FailureOr<SmallVector<Lifted>>;
  Results branch(IfOp op) { return operands.front().batched ? bothBranches(op) : oneBranch(op); }
  Results checkpoint(CheckpointOp op);
  Results scan(ScanOp op);
  Results loop(WhileOp op);

private:
  Results oneBranch(IfOp op);
  Results bothBranches(IfOp op);

  bool isBatched(Value value) const { return batched.contains(value); }
  Lifteds take(size_t size) {
    Lifteds group = operands.slice(next, size);
    next += size;
    return group;
  }
  /// Takes the carries, with the batch as dimension 0 if they have it in a step or at the end.
  SmallVector<Lifted> takeCarries(ValueRange arguments) {
    SmallVector<Lifted> carries;
    for (auto [carry, argument] : llvm::zip_equal(take(arguments.size()), arguments))
      carries.push_back(isBatched(argument) ? Lifted{b.whole(carry), true} : carry);
    return carries;
  }
  static SmallVector<Value> valuesOf(Lifteds values) {
    return llvm::map_to_vector(values, [](const Lifted &value) { return value.value; });
  }
  static Value both(Emit &e, Value a, Value b) { return !a ? b : !b ? a : e.make<AndOp>(a, b); }
  static SmallVector<Lifted> resultsOf(ValueRange made, function_ref<bool(unsigned)> isBatched) {
    SmallVector<Lifted> results;
    for (auto [i, result] : llvm::enumerate(made))
      results.push_back({result, isBatched(i)});
    return results;
  }

  const BatchRules &rules;
  Batch &b;
  const DenseSet<Value> &batched;
  Lifteds operands;
  size_t next = 0;
};
} // namespace

/// Batches an if whose predicate is the same for all elements.
ControlLift::Results ControlLift::oneBranch(IfOp op) {
  Lifted predicate = take(1).front();
  Lifteds consts = take(op.getConsts().size());
  SmallVector<Value> given = valuesOf(consts);
  if (b.mask)
    given.push_back(b.mask);
  LiftedRegion taken(b), otherwise(b);
  for (auto [region, made] : {std::pair(&op.getTaken(), &taken), std::pair(&op.getOtherwise(), &otherwise)}) {
    made->add(consts);
    Value mask = b.mask ? made->addHidden(b.mask) : Value();
    Results yields = made->run(rules, batched, *region, mask);
    if (failed(yields))
      return failure();
    for (auto [result, value] : llvm::zip_equal(op.getResults(), *yields))
      made->body.yields.push_back(isBatched(result) ? made->whole(value) : value.value);
  }
  IfOp made = makeIf(b.e, predicate.value, given, taken.body, otherwise.body);
  return resultsOf(made.getResults(), [&](unsigned i) { return isBatched(op.getResult(i)); });
}

ControlLift::Results ControlLift::checkpoint(CheckpointOp op) {
  Lifteds consts = take(op.getConsts().size());
  SmallVector<Value> given = valuesOf(consts);
  LiftedRegion region(b);
  region.add(consts);
  Value mask = b.mask ? region.addHidden(given.emplace_back(b.mask)) : Value();
  Results yields = region.run(rules, batched, op.getBody(), mask);
  if (failed(yields))
    return failure();
  for (const Lifted &value : *yields)
    region.body.yields.push_back(value.value);
  CheckpointOp made = makeCheckpoint(b.e, given, region.body);
  return resultsOf(made.getResults(), [&](unsigned i) { return (*yields)[i].batched; });
}

ControlLift::Results ControlLift::bothBranches(IfOp op) {
  Value predicate = take(1).front().value;
  Lifteds consts = take(op.getConsts().size());
  Value negated = b.e.make<NotOp>(predicate);
  Batch whereTaken(b.e, b, both(b.e, b.mask, predicate));
  Batch whereNot(b.e, b, both(b.e, b.mask, negated));
  Results taken = lift(rules, whereTaken, Piece::of(op.getTaken()), batched, guarded(b.e, predicate, consts));
  Results otherwise = failure();
  if (succeeded(taken))
    otherwise = lift(rules, whereNot, Piece::of(op.getOtherwise()), batched, guarded(b.e, negated, consts));
  if (failed(otherwise))
    return failure();
  SmallVector<Lifted> results;
  for (auto [a, c] : llvm::zip_equal(*taken, *otherwise))
    results.push_back({selectElements(b.e, predicate, b.whole(a), b.whole(c)), true});
  return results;
}

ControlLift::Results ControlLift::scan(ScanOp op) {
  Lifted length = op.getLength() ? take(1).front() : Lifted();
  Lifteds consts = take(op.getConsts().size());
  SmallVector<Lifted> carries = takeCarries(op.getCarryArguments()), stacks(take(op.getXs().size()));
  for (Lifted &stack : stacks)
    if (stack.batched) // steps first, then the batch
      stack.value = b.toFront(stack.value, 1);

  LiftedRegion region(b);
  Operands given{valuesOf(consts), valuesOf(carries), valuesOf(stacks)};
  region.add(consts);
  Value lengths, mask, step;
  if (length.batched)
    lengths = region.addHidden(given.consts.emplace_back(length.value));
  if (b.mask)
    mask = region.addHidden(given.consts.emplace_back(b.mask));
  region.add(carries);
  Type count = length.value ? typeOf(length.value).getElementType() : Type();
  if (length.batched) {
    Value first =
        op.getReverse() ? b.e.sub(b.e.convert(b.e.sizeOf(op.getSteps()), count), b.e.scalar(count, 1)) : b.e.scalar(count, 0);
    step = region.addHidden(given.carry.emplace_back(first));
  }
  region.addSlices(stacks);
  Emit &e = region.emit;
  Value runs = length.batched ? e.compare(CompareKind::LT, e.broadcast(step, {}, dimsOf(lengths)), lengths) : Value();
  Results yields = region.run(rules, batched, op.getBody(), both(e, mask, runs), runs);
  if (failed(yields))
    return failure();

  auto &made = region.body.yields;
  auto carried = Lifteds(region.arguments).slice(consts.size(), carries.size());
  for (auto [i, value] : llvm::enumerate(*yields)) {
    Value whole = isBatched(op.getResult(i)) ? region.whole(value) : value.value;
    if (runs)
      whole = selectElements(e, runs, whole, i < carries.size() ? carried[i].value : e.zeros(whole.getType()));
    made.push_back(whole);
  }
  if (runs)
    made.insert(made.begin() + carries.size(), e.add(step, e.scalar(count, op.getReverse() ? -1 : 1)));
  ScanOp scan = makeScan(b.e, op.getSteps(), length.batched ? Value() : length.value, op.getReverse(), given, region.body);

  scan.setCheckpointAttr(op.getCheckpointAttr());
  SmallVector<Value> results(scan.getResults().take_front(carries.size()));
  llvm::append_range(results, scan.getStacks());
  SmallVector<Lifted> lifted = resultsOf(results, [&](unsigned i) { return isBatched(op.getResult(i)); });
  for (Lifted &stack : MutableArrayRef<Lifted>(lifted).drop_front(carries.size()))
    if (stack.batched)
      stack.value = b.toFront(stack.value, 1);
  return lifted;
}

ControlLift::Results ControlLift::loop(WhileOp op) {
  Lifteds consts = take(op.getConsts().size());
  auto inside = op.getBody().getArguments();
  SmallVector<Lifted> carries = takeCarries(inside.drop_front(consts.size()));
  SmallVector<Value> given = valuesOf(consts);
  if (b.mask)
    given.push_back(b.mask);
  bool parts = b.mask || isBatched(op.getCondition().front().getTerminator()->getOperand(0));

  LiftedRegion condition(b), body(b);
  auto goesOn = [&](LiftedRegion &region, Value mask) -> FailureOr<Value> {
    Results go = region.run(rules, batched, op.getCondition(), mask);
    if (failed(go))
      return failure();
    return parts ? both(region.emit, mask, region.whole(go->front())) : go->front().value;
  };
  Value masks[2];
  for (auto [region, mask] : {std::pair(&condition, &masks[0]), std::pair(&body, &masks[1])}) {
    region->add(consts);
    *mask = b.mask ? region->addHidden(b.mask) : Value();
    region->add(carries);
  }
  FailureOr<Value> any = goesOn(condition, masks[0]);
  if (failed(any))
    return failure();
  condition.body.yields = {parts ? condition.emit.make<ReduceOp>(ReduceKind::Or, *any, ArrayRef<int64_t>{0}) : *any};

  FailureOr<Value> runs = Value();
  if (parts)
    runs = goesOn(body, masks[1]);
  Results yields = failure();
  if (succeeded(runs))
    yields = body.run(rules, batched, op.getBody(), parts ? *runs : Value(), parts ? *runs : Value());
  if (failed(yields))
    return failure();
  for (auto [i, value] : llvm::enumerate(*yields)) {
    Value whole = isBatched(op.getResult(i)) ? body.whole(value) : value.value;
    Value before = body.arguments[consts.size() + i].value;
    body.body.yields.push_back(parts ? selectElements(body.emit, *runs, whole, before) : whole);
  }
  WhileOp made = makeWhile(b.e, op, given, valuesOf(carries), condition.body, body.body);
  return resultsOf(made.getResults(), [&](unsigned i) { return isBatched(op.getResult(i)); });
}

FailureOr<SmallVector<Lifted>> autodiff::liftControl(const BatchRules &rules, Batch &batch, Operation *op,
                                                     const DenseSet<Value> &batched, Lifteds operands) {
  ControlLift control(rules, batch, batched, operands);
  return visitControl(control, op);
}
