#include "passes/Plan/Ends.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Analysis/InPlace.h"
#include "lib/Support/Explain.h"
#include "lib/Support/SourcePlace.h"

using namespace mlir;
using namespace lathe;

/// Returns a value's location, or the function's for a value that folding made.
static Location locationOf(Value value, func::FuncOp function) {
  return sourcePlace(value.getLoc()).line ? value.getLoc() : function.getLoc();
}

void lathe::setCopy(OpOperand &operand, func::FuncOp function, Positions &positions) {
  Value value = operand.get();
  Location location = locationOf(value, function);
  OpBuilder builder(operand.getOwner());
  Operation *wanting = operand.getOwner();
  if (isa<YieldOp>(wanting))
    wanting = wanting->getParentOp();
  KernelOp kernel = createCopy(builder, location, value, wanting->getName().getStringRef());
  operand.set(kernel.getResult(0));
  positions.insert(kernel, operand.getOwner());
}

/// Returns carry `index` of a loop, as its body sees it; null for another op.
static BlockArgument carryOf(Operation *op, unsigned index) {
  auto loop = dyn_cast<ControlOpInterface>(op);
  return loop && index < loop.getCarry().size() ? loop.getCarryArguments()[index] : BlockArgument();
}

/// Returns the variable whose old value an argument of a function is, or whose new value an operand of its return is; null for
/// others.
static Attribute variableOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  return function ? function.getArgAttr(argument.getArgNumber(), kStateAttr) : Attribute();
}
static Attribute variableOf(OpOperand &end) {
  auto function = dyn_cast<func::FuncOp>(end.getOwner()->getParentOp());
  return function ? function.getResultAttr(end.getOperandNumber(), kStateAttr) : Attribute();
}

/// True if the op that makes the value for the end of its block can write it to any buffer. Double-buffered carries keep
/// theirs.
static bool canBePlaced(OpOperand &end, const Positions &positions) {
  Value origin = originOf(end.get(), positions);
  if (isa<BlockArgument>(origin)) { // passed on by a loop
    if (Attribute variable = variableOf(origin))
      return end.get().getDefiningOp() && variable == variableOf(end);
    return end.get().getDefiningOp() && origin == carryOf(end.getOwner()->getParentOp(), end.getOperandNumber());
  }
  Operation *maker = origin.getDefiningOp();
  if (auto scan = dyn_cast<ScanOp>(maker))
    return cast<OpResult>(origin).getResultNumber() >= scan.getCarry().size();
  return isa<KernelOp, IfOp>(maker);
}

/// True if a carry is passed on unchanged.
static bool isUnchanged(OpOperand &operand) {
  auto argument = dyn_cast<BlockArgument>(operand.get());
  return argument && argument == carryOf(operand.getOwner()->getParentOp(), operand.getOperandNumber());
}

/// Duplicates the kernel's result, to be stored elsewhere in the same pass. Returns null if its op writes whole buffers.
static Value madeTwice(Value value, Positions &positions) {
  auto kernel = value.getDefiningOp<KernelOp>();
  if (!kernel)
    return {};
  unsigned index = cast<OpResult>(value).getResultNumber();
  Value inside = kernel.getBody().front().getTerminator()->getOperand(index);
  if (!inside.getDefiningOp() || !inside.getDefiningOp()->hasTrait<ElementwiseTrait>())
    return {};
  SmallVector<Type> types(kernel.getResultTypes());
  types.push_back(value.getType());
  OpBuilder builder(kernel);
  auto made = KernelOp::create(builder, kernel.getLoc(), types, kernel.getInputs());
  made->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  if (auto units = kernel->getAttrOfType<ArrayAttr>(kSizedUnitsAttr)) {
    SmallVector<Attribute> more(units.begin(), units.end());
    more.push_back(units[kernel.getNumOperands() + index]);
    made->setAttr(kSizedUnitsAttr, builder.getArrayAttr(more));
  }
  made.getBody().takeBody(kernel.getBody());
  Operation *end = made.getBody().front().getTerminator();
  builder.setInsertionPoint(end);
  Value again = StopGradientOp::create(builder, kernel.getLoc(), inside); // an identity
  end->insertOperands(end->getNumOperands(), again);
  kernel.replaceAllUsesWith(made.getResults().drop_back());
  positions.replace(kernel, made);
  kernel.erase();
  return made.getResults().back();
}

static void isolateEnd(Block &block, func::FuncOp function, Positions &positions) {
  Operation *end = block.getTerminator();
  if (isa<ConditionOp>(end)) // the condition reads it from any buffer
    return;
  bool ofEntry = isa<func::ReturnOp>(end);
  for (OpOperand &operand : end->getOpOperands()) {
    Value value = operand.get();
    bool isFirst = !llvm::is_contained(end->getOperands().take_front(operand.getOperandNumber()), value);
    if (isUnchanged(operand) || (isFirst && canBePlaced(operand, positions)))
      continue;
    if (Value again = isFirst ? Value() : madeTwice(value, positions)) {
      operand.set(again);
      continue;
    }
    explainNot(locationOf(value, function), "plan",
               "@{}: {} {} is a copy: the {} value is an argument, a view, a constant, a loop's carry or another result",
               function.getSymName().str(), ofEntry ? "result" : "value", operand.getOperandNumber(),
               ofEntry ? "returned" : "yielded");
    setCopy(operand, function, positions);
  }
}

/// True if the loop may reuse the buffer of the carry's initial value.
static bool mayTake(Operation *loop, OpOperand &first, const Positions &positions) {
  unsigned index = first.getOperandNumber() - carriesOf(loop).getBeginOperandIndex();
  if (positions.lastUse(first.get()) != positions.end(loop) || llvm::any_of(loop->getOpOperands(), [&](OpOperand &other) {
        return &other != &first && memoryOf(other.get()) == first.get();
      }))
    return false;
  if (first.get().getDefiningOp())
    return isa<KernelOp>(first.get().getDefiningOp());
  if (!updatesInPlace(loop, index, positions))
    return false;
  Operation *end = loop->getBlock()->getTerminator();
  if (Attribute variable = variableOf(first.get())) { // a failure must leave it unchanged
    bool isNext = llvm::any_of(end->getOpOperands(), [&](OpOperand &next) {
      return next.get() == loop->getResult(index) && variableOf(next) == variable;
    });
    return isNext &&
           llvm::none_of(llvm::make_range(loop->getIterator(), end->getIterator()), [](Operation &op) { return mayFail(&op); });
  }
  // A carry of the enclosing loop, if the result becomes this carry again.
  return llvm::any_of(end->getOpOperands(), [&](OpOperand &next) {
    return next.get() == loop->getResult(index) && first.get() == carryOf(end->getParentOp(), next.getOperandNumber());
  });
}

/// True if the first step may read the carry's initial value where it is, since nothing writes there: the loop has two other
/// buffers for the carry. Loops on a device run in chunks of steps, which begin with the same addresses.
static bool mayBeginElsewhere(Operation *loop, OpOperand &first, func::FuncOp function, const Positions &positions) {
  unsigned index = first.getOperandNumber() - carriesOf(loop).getBeginOperandIndex();
  return !isOnDevice(function) && !updatesInPlace(loop, index, positions) && isReadOnly(memoryOf(first.get()));
}

static void isolateStarts(Operation *loop, func::FuncOp function, Positions &positions) {
  OperandRange carries = carriesOf(loop);
  if (carries.empty())
    return;
  unsigned begin = carries.getBeginOperandIndex();
  for (OpOperand &first : loop->getOpOperands().slice(begin, carries.size())) {
    if (mayTake(loop, first, positions) || mayBeginElsewhere(loop, first, function, positions))
      continue;
    explain(loop->getLoc(), "plan",
            "@{}: carry {} starts as a copy: another op reads the value, or another value has its buffer",
            function.getSymName().str(), first.getOperandNumber() - begin);
    setCopy(first, function, positions);
  }
}

void lathe::isolateBlocks(func::FuncOp function, Positions &positions) {
  SmallVector<Block *> blocks; // inner ones first
  function.getBody().walk([&](Block *block) {
    if (isa<func::FuncOp>(block->getParentOp()) || isControl(block->getParentOp()))
      blocks.push_back(block);
  });
  positions.number(function.getBody().front());
  for (Block *block : blocks) {
    for (Operation &op : *block)
      if (isLoop(&op))
        isolateStarts(&op, function, positions);
    isolateEnd(*block, function, positions);
  }
}
