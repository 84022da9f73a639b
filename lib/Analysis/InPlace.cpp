#include "lib/Analysis/InPlace.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Analysis/ReductionLevels.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace lathe;

/// True if the pass that stores the result is the last one: no later pass reduces or stores.
static bool isOfLastPass(KernelOp kernel, Value stored) {
  DenseMap<Value, unsigned> levels = reductionLevels(kernel);
  unsigned level = levels.lookup(stored);
  Block &body = kernel.getBody().front();
  return llvm::all_of(body.getTerminator()->getOperands(), [&](Value other) { return levels.lookup(other) <= level; }) &&
         llvm::all_of(
             body, [&](Operation &op) { return !isa<ReductionOpInterface>(op) || levels.lookup(op.getOperand(0)) <= level; });
}

/// True if strips read an input only where they write a result, in the kernel that does so.
static bool stripsReadInPlace(StripsOp strips, unsigned input, unsigned result) {
  Dims extents = dimsOf(strips.getExtents());
  Value part = strips.getBody().getArgument(input);
  auto stored = cast<OpResult>(strips.getBody().front().getTerminator()->getOperand(result));
  if (strips.getPlacesOf(input).size() != extents.size() || !part.hasOneUse())
    return false;
  OpOperand &use = *part.use_begin();
  return use.getOwner() == stored.getOwner() &&
         lathe::readsInPlace(cast<KernelOp>(stored.getOwner()), use.getOperandNumber(), stored.getResultNumber());
}

bool lathe::readsInPlace(KernelOp kernel, unsigned input, unsigned result) {
  if (auto strips = dyn_cast<StripsOp>(kernel.getBody().front().front())) {
    auto stored = dyn_cast<OpResult>(kernel.getBody().front().getTerminator()->getOperand(result));
    Value argument = kernel.getBody().getArgument(input);
    if (!stored || stored.getOwner() != strips || !argument.hasOneUse() || argument.use_begin()->getOwner() != strips)
      return false;
    return stripsReadInPlace(strips, argument.use_begin()->getOperandNumber(), stored.getResultNumber());
  }
  Value stored = kernel.getBody().front().getTerminator()->getOperand(result);
  bool overRows = kernel->hasAttr(kRowsAttr);
  if (overRows && !isOfLastPass(kernel, stored))
    return false;
  auto shape = dimsOf(stored);
  SmallVector<Value> work{kernel.getBody().getArgument(input)};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (dimsOf(value) != shape)
      return false;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (overRows && isa<ReductionOpInterface>(user))
        continue;
      // These write the elements that they do not replace to where they read them.
      bool replacesParts = user->hasTrait<ReplacesPartsTrait>() && use.getOperandNumber() == 0;
      if (!replacesParts && !isa<YieldOp>(user) && !user->hasTrait<ElementwiseTrait>())
        return false;
      if (isa<YieldOp>(user) || !seen.insert(user).second)
        continue;
      work.push_back(user->getResult(0));
    }
  }
  return true;
}

bool lathe::isReadOnly(Value memory) {
  auto argument = dyn_cast<BlockArgument>(memory);
  if (!argument)
    return memory.getDefiningOp<ConstantOp>() != nullptr;
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto function = dyn_cast<FunctionOpInterface>(parent))
    return !function.getArgAttr(argument.getArgNumber(), kStateAttr);
  unsigned consts = constsOf(parent).size(), number = argument.getArgNumber();
  return number < consts || number >= consts + carriesOf(parent).size();
}

Value lathe::originOf(Value value, const Positions &positions) {
  while (Operation *maker = value.getDefiningOp()) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    if (index >= carriesOf(maker).size() || !updatesInPlace(maker, index, positions))
      break;
    value = carriesOf(maker)[index];
  }
  return value;
}

bool lathe::updatesInPlace(Operation *loop, unsigned index, const Positions &positions) {
  BlockArgument carry = cast<ControlOpInterface>(loop).getCarryArguments()[index];
  Value next = carry.getOwner()->getTerminator()->getOperand(index);
  if (next == carry)
    return true;
  next = originOf(next, positions);
  if (next == carry) // an inner loop, which is the last to read it
    return true;
  Operation *maker = next.getDefiningOp();
  if (!maker)
    return false;
  auto kernel = dyn_cast<KernelOp>(maker);
  if (!kernel) // a branch or a stack: written in several steps
    return positions.lastUse(carry) < positions.begin(maker);
  if (positions.lastUse(carry) > positions.begin(kernel))
    return false;
  for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
    if (memoryOf(input) == carry && (input != Value(carry) || !readsInPlace(kernel, i, cast<OpResult>(next).getResultNumber())))
      return false;
  return true;
}
