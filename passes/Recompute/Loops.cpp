#include "passes/Recompute/Loops.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "dialects/Lathe/IR/ShrinkScan.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Recompute/KernelSlice.h"

using namespace mlir;
using namespace lathe;

static bool mayRepeat(Operation *op) { return !mayFail(op) && isMemoryEffectFree(op); }

static Operation *endOf(ScanOp loop) { return loop.getBody().front().getTerminator(); }

// ---- Search

/// Returns the loop over the same steps that is the only reader of a stack, or null.
static ScanOp onlyReaderOf(ScanOp collector, Value stack) {
  ScanOp reader;
  for (OpOperand &use : stack.getUses()) {
    auto loop = dyn_cast<ScanOp>(use.getOwner());
    if (!loop || (reader && loop != reader) || loop.getLength() != collector.getLength() || loop.getDim() != 0 ||
        use.getOperandNumber() < loop.getNumOperands() - loop.getXs().size())
      return {};
    reader = loop;
  }
  return reader;
}

/// Adds the candidates of two loops. `stacks` are grouped by the op that makes their slices.
static void addCandidates(ScanOp collector, ScanOp reader, const llvm::MapVector<Operation *, SmallVector<unsigned>> &stacks,
                          std::vector<LoopCandidate> &found) {
  SmallVector<unsigned> all;
  for (auto [levels, slices] : {std::pair(0u, false), {2u, true}, {2u, false}}) {
    all.clear();
    for (auto &[maker, ofMaker] : stacks) {
      found.push_back({collector, reader, ofMaker, false, levels, slices});
      for (unsigned stack : ofMaker)
        if (isa<KernelOp>(maker))
          found.push_back({collector, reader, {stack}, true, levels, slices});
      llvm::append_range(all, ofMaker);
    }
    if (stacks.size() > 1)
      found.push_back({collector, reader, all, false, levels, slices});
  }
}

std::vector<LoopCandidate> lathe::findLoopCandidates(Block &block, Operation *peak) {
  std::vector<LoopCandidate> found;
  block.getParentOp()->walk([&](ScanOp collector) {
    llvm::MapVector<Operation *, llvm::MapVector<Operation *, SmallVector<unsigned>>> readers;
    for (Value stack : collector.getStacks()) {
      unsigned number = cast<OpResult>(stack).getResultNumber();
      Operation *maker = memoryOf(endOf(collector)->getOperand(number)).getDefiningOp();
      ScanOp reader = onlyReaderOf(collector, stack);
      if (maker && reader && collector.getDim() == 0 && mayRepeat(maker))
        readers[reader][maker].push_back(number);
    }
    for (auto &[reader, stacks] : readers) {
      Operation *first = block.findAncestorOpInBlock(*collector), *last = block.findAncestorOpInBlock(*reader);
      if (!peak->isBeforeInBlock(first) && !last->isBeforeInBlock(peak))
        addCandidates(collector, cast<ScanOp>(reader), stacks, found);
    }
  });
  return found;
}

// ---- Replacement

/// Returns the estimated nanoseconds of an op between kernels.
static double timeOf(Operation *op, const Sizes &sizes, const MachineModel &machine) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return costOf(kernel, sizes).nanoseconds(machine);
  double sum = 0;
  for (Region &region : op->getRegions())
    for (Operation &inside : region.front())
      sum += timeOf(&inside, sizes, machine);
  auto scan = dyn_cast<ScanOp>(op);
  return sum * (scan ? double(std::max<int64_t>(evaluate(scan.getSteps(), sizes).value_or(1), 0)) : 1);
}

/// Returns how often a loop's body runs for each run of the function, by the loops of known length around it.
static double runsOf(Operation *loop, const Sizes &sizes) {
  double runs = 1;
  for (Operation *op = loop; op; op = op->getParentOp())
    if (auto scan = dyn_cast<ScanOp>(op))
      runs *= double(std::max<int64_t>(evaluate(scan.getSteps(), sizes).value_or(1), 0));
  return runs;
}

/// True if an op that runs later than the loop `before` still finds a variable as it is there: no op up to `reader` updates it.
static bool staysUntil(Value value, Operation *reader) {
  auto argument = dyn_cast<BlockArgument>(memoryOf(value));
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  Attribute variable = function ? function.getArgAttr(argument.getArgNumber(), kStateAttr) : Attribute();
  if (!variable)
    return true;
  for (auto [i, next] : llvm::enumerate(argument.getOwner()->getTerminator()->getOperands()))
    if (Operation *writer = next.getDefiningOp();
        writer && function.getResultAttr(i, kStateAttr) == variable && writer->isBeforeInBlock(reader))
      return false;
  return true;
}

LoopRewrite::LoopRewrite(const LoopCandidate &candidate, const Sizes &sizes, const MachineModel &machine)
    : sizes(sizes), machine(machine), collector{candidate.collector, {}}, reader{candidate.reader, {}},
      levels(candidate.levels), slices(candidate.slices),
      location(memoryOf(endOf(candidate.collector)->getOperand(candidate.stacks.front())).getLoc()) {
  for (unsigned stack : candidate.stacks) {
    dropped.insert(stack);
    freed += evaluate(byteSize(candidate.collector->getResult(stack)), sizes).value_or(0);
  }
  for (Operation *old : {collector.op, reader.op})
    for (OpOperand &use : old->getUses())
      if (use.getOwner() != reader.op)
        uses.push_back({&use, use.get()});
  OpBuilder builder(collector.op);
  IRMapping map;
  newCollector = cast<ScanOp>(builder.clone(*collector.op, map));
  builder.setInsertionPoint(reader.op);
  newReader = cast<ScanOp>(builder.clone(*reader.op, map));
  for (auto [use, value] : uses)
    use->set(map.lookup(value));
  detach(reader);
  detach(collector);
  // Without kernels that run again for values from outside, it would be the same as another candidate.
  auto isNew = [&] { return slices ? isSliced : levels == 0 || !repeated.empty(); };
  if (!compute(candidate) || !isNew()) {
    undo();
    return;
  }
  for (Operation *op : llvm::reverse(inserted))
    place(op);
  shrink();
}

LoopRewrite::~LoopRewrite() {
  if (isApplied() && collector.op)
    undo();
}

void LoopRewrite::detach(Detached &each) {
  for (OpOperand &operand : each.op->getOpOperands()) {
    each.operands.push_back(operand.get());
    operand.drop();
  }
  each.op->remove();
}

void LoopRewrite::attach(Detached &each, Operation *before) {
  before->getBlock()->getOperations().insert(Block::iterator(before), each.op);
  for (auto [operand, value] : llvm::zip_equal(each.op->getOpOperands(), each.operands))
    operand.set(value);
}

void LoopRewrite::undo() {
  attach(collector, newCollector);
  attach(reader, newReader);
  for (auto [use, value] : uses)
    use->set(value);
  newReader->erase();
  for (Operation *op : llvm::reverse(outside))
    op->erase();
  newCollector->erase();
  newReader = newCollector = {};
}

void LoopRewrite::commit() {
  reader.op->destroy();
  collector.op->destroy();
  reader.op = collector.op = nullptr;
  if (newCollector->use_empty())
    newCollector->erase();
}

/// Replaces the slices of the dropped stacks in the reader's body.
bool LoopRewrite::compute(const LoopCandidate &candidate) {
  for (unsigned stack : candidate.stacks) {
    Value inside = endOf(newCollector)->getOperand(stack);
    Value made = candidate.isPart ? partOf(inside) : again(inside);
    if (!made)
      return false;
    for (auto [i, value] : llvm::enumerate(newReader.getXs()))
      if (value == newCollector->getResult(stack))
        newReader.getSliceArguments()[i].replaceAllUsesWith(made);
  }
  return true;
}

/// Returns the stack of a value of the first loop's body that both loops may use, if there is one.
std::optional<unsigned> LoopRewrite::stackOf(Value inside) {
  unsigned carries = newCollector.getCarry().size();
  for (auto [i, value] : llvm::enumerate(endOf(newCollector)->getOperands()))
    if (i >= carries && value == inside && !dropped.contains(i))
      return i;
  return std::nullopt;
}

/// Returns what the reader's body has for a value of the other loop's body, or null.
Value LoopRewrite::again(Value inside) {
  if (Value made = known.lookup(inside))
    return made;
  if (std::optional<unsigned> stack = stackOf(inside))
    return known[inside] = sliceOf(newCollector->getResult(*stack));
  if (auto argument = dyn_cast<BlockArgument>(inside))
    return known[inside] = argumentAgain(argument);
  return mayRepeat(inside.getDefiningOp()) ? copyOf(inside.getDefiningOp(), inside) : Value();
}

Value LoopRewrite::argumentAgain(BlockArgument inside) {
  unsigned consts = newCollector.getConsts().size(), carries = newCollector.getCarry().size();
  if (inside.getArgNumber() >= consts && inside.getArgNumber() < consts + carries) {
    newCollector = withStack(newCollector, inside);
    return sliceOf(newCollector->getResults().back());
  }
  Value outside = operandOf(inside);
  if (!staysUntil(outside, newReader))
    return {};
  bool isConst = inside.getArgNumber() < consts;
  if (Value slice = slices && !isConst ? sliceAgain(outside) : Value())
    return slice;
  outside = outsideAgain(outside, levels);
  return isConst ? bringInto(&newReader.getBody().front(), outside) : sliceOf(outside);
}

/// True if an op from `from` on reads the memory of a value.
static bool isReadFrom(Value value, Operation *from) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return isView(user) ? isReadFrom(user->getResult(0), from) : !user->isBeforeInBlock(from);
  });
}

/// Returns a slice that a step of the second loop computes of a kernel's result, which no op needs so late, or null.
Value LoopRewrite::sliceAgain(Value outside) {
  auto whole = dyn_cast<OpResult>(outside);
  if (!whole || isReadFrom(outside, newReader))
    return {};
  KernelSlice slice(whole);
  if (!slice.isPossible())
    return {};
  SmallVector<Value> operands;
  for (auto [value, isOfSteps] : slice.inputs()) {
    if (!staysUntil(value, newReader))
      return {};
    operands.push_back(isOfSteps ? sliceOf(value) : bringInto(&newReader.getBody().front(), outsideAgain(value, levels)));
  }
  isSliced = true;
  return insert(slice.create(operands))->getResult(0);
}

/// Returns what the second loop reads in place of an outer value. If nothing else needs the value so late, its kernel runs
/// again.
Value LoopRewrite::outsideAgain(Value value, unsigned levels) {
  if (Value made = knownOutside.lookup(value))
    return made;
  Operation *maker = value.getDefiningOp();
  if (levels == 0 || !maker || !isa<KernelOp, ReshapeOp>(maker) || !mayRepeat(maker) ||
      isReadFrom(memoryOf(value), newReader) ||
      !llvm::all_of(maker->getOperands(), [&](Value operand) { return staysUntil(operand, newReader); }))
    return value;
  IRMapping map;
  for (Value operand : maker->getOperands())
    map.map(operand, outsideAgain(operand, levels - isa<KernelOp>(maker)));
  if (isa<ReshapeOp>(maker) && map.lookup(maker->getOperand(0)) == maker->getOperand(0))
    return value;
  Operation *copy = OpBuilder(newReader).clone(*maker, map);
  outside.push_back(copy);
  if (isa<KernelOp>(copy)) {
    repeated.push_back(copy);
    added += timeOf(copy, sizes, machine) * runsOf(copy, sizes);
  }
  for (auto [old, made] : llvm::zip_equal(maker->getResults(), copy->getResults()))
    knownOutside[old] = made;
  return knownOutside.lookup(value);
}

/// Lets a loop collect one more value.
ScanOp LoopRewrite::withStack(ScanOp loop, Value inside) {
  OpBuilder builder(loop);
  SmallVector<Type> collected(endOf(loop)->getOperands().drop_front(loop.getCarry().size()).getTypes());
  collected.push_back(inside.getType());
  auto made = ScanOp::create(builder, loop.getLoc(), loop.getLength(), loop.getConsts(), loop.getCarry(), loop.getXs(),
                             loop.getTripAttr(), collected, loop.getReverse(), loop.getCheckpointAttr());
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  made.getBody().takeBody(loop.getBody());
  endOf(made)->insertOperands(endOf(made)->getNumOperands(), inside);
  loop->replaceAllUsesWith(made->getResults().drop_back());
  loop->erase();
  return made;
}

/// Returns the slice of a stack that the reader's body gets.
Value LoopRewrite::sliceOf(Value stack) {
  for (auto [i, value] : llvm::enumerate(newReader.getXs()))
    if (value == stack)
      return newReader.getSliceArguments()[i];
  newReader.getXsMutable().append(stack);
  return newReader.getBody().addArgument(lathe::sliceOf(cast<RankedTensorType>(stack.getType()), 0), stack.getLoc());
}

/// Copies an op of the first loop's body with what it depends on, and returns the copy of its result.
Value LoopRewrite::copyOf(Operation *op, Value result) {
  IRMapping map;
  for (Value operand : op->getOperands()) {
    Value made = again(operand);
    if (!made)
      return {};
    map.map(operand, made);
  }
  Operation *copy = insert(op->clone(map));
  for (auto [old, made] : llvm::zip_equal(op->getResults(), copy->getResults()))
    known[old] = made;
  return known.lookup(result);
}

/// Inserts an op into the reader's body, or erases it and returns an equal one.
Operation *LoopRewrite::insert(Operation *op) {
  Block &body = newReader.getBody().front();
  for (Operation &other : body)
    if (other.getName() == op->getName() &&
        OperationEquivalence::isEquivalentTo(&other, op, OperationEquivalence::IgnoreLocations)) {
      op->destroy();
      return &other;
    }
  body.getOperations().insert(inserted.empty() ? body.begin() : std::next(Block::iterator(inserted.back())), op);
  inserted.push_back(op);
  added += timeOf(op, sizes, machine) * runsOf(newReader, sizes);
  return op;
}

/// Returns a value that a kernel of the first loop's body makes of its other results that are stacked, or of its inputs, by
/// elementwise ops.
Value LoopRewrite::partOf(Value inside) {
  auto kernel = inside.getDefiningOp<KernelOp>();
  if (!kernel)
    return {};
  ValueRange yields = kernel.getBody().front().getTerminator()->getOperands();
  Value root = yields[cast<OpResult>(inside).getResultNumber()];
  llvm::SmallMapVector<Value, unsigned, 4> inputs; // of the part: operands of the kernel, then its results
  llvm::SmallPtrSet<Operation *, 8> ops;
  SmallVector<Value> work{root};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    unsigned result = llvm::find(yields, value) - yields.begin();
    if (value != root && result < yields.size() && stackOf(kernel.getResult(result))) {
      inputs[value] = kernel.getNumOperands() + result;
    } else if (auto argument = dyn_cast<BlockArgument>(value)) {
      inputs[value] = argument.getArgNumber();
    } else {
      Operation *op = value.getDefiningOp();
      if (!isa<BroadcastOp, ConstantOp>(op) && !op->hasTrait<ElementwiseTrait>())
        return {};
      if (ops.insert(op).second)
        llvm::append_range(work, op->getOperands());
    }
  }
  SmallVector<Value> operands;
  SmallVector<Attribute> kept;
  auto units = kernel->getAttrOfType<ArrayAttr>(kSizedUnitsAttr);
  for (auto [value, number] : inputs) {
    unsigned operand = kernel.getNumOperands();
    operands.push_back(again(number < operand ? kernel.getOperand(number) : kernel.getResult(number - operand)));
    if (!operands.back())
      return {};
    if (units)
      kept.push_back(units[number]);
  }
  if (ops.empty())
    return operands.front();
  OpBuilder builder(kernel.getContext());
  auto part = KernelOp::create(builder, kernel.getLoc(), TypeRange(inside.getType()), operands);
  part->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  part->removeAttr(kRowsAttr);
  if (units) {
    kept.push_back(units[kernel.getNumOperands() + cast<OpResult>(inside).getResultNumber()]);
    part->setAttr(kSizedUnitsAttr, builder.getArrayAttr(kept));
  }
  Block &body = part.getBody().emplaceBlock();
  IRMapping map;
  for (auto [value, number] : inputs)
    map.map(value, body.addArgument(value.getType(), value.getLoc()));
  builder.setInsertionPointToEnd(&body);
  for (Operation &op : kernel.getBody().front())
    if (ops.contains(&op))
      builder.clone(op, map);
  YieldOp::create(builder, kernel.getLoc(), map.lookup(root));
  return insert(part)->getResult(0);
}

/// Moves an op of the reader's body to before its first reader, and behind it what it reads.
void LoopRewrite::place(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers())
    if (!first || user->isBeforeInBlock(first))
      first = user;
  if (first)
    op->moveBefore(first);
  bringOperands(op);
}

void LoopRewrite::bringOperands(Operation *op) {
  for (Value operand : op->getOperands())
    if (Operation *maker = operand.getDefiningOp(); maker && op->isBeforeInBlock(maker)) {
      maker->moveBefore(op);
      bringOperands(maker);
    }
}

/// Removes what nobody needs any more, also of loops in the bodies.
void LoopRewrite::shrink() {
  PatternRewriter rewriter(newReader.getContext());
  auto shrunk = [&](ScanOp loop) {
    rewriter.setInsertionPoint(loop);
    FailureOr<ScanOp> smaller = shrinkScan(loop, rewriter);
    return succeeded(smaller) ? *smaller : loop;
  };
  for (ScanOp *loop : {&newReader, &newCollector}) {
    *loop = shrunk(*loop);
    SmallVector<ScanOp> inner;
    loop->getBody().walk<WalkOrder::PreOrder>([&](ScanOp each) { inner.push_back(each); });
    for (ScanOp each : inner)
      shrunk(each);
    if (!inner.empty())
      *loop = shrunk(*loop);
  }
}
