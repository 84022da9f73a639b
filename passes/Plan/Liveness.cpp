#include "passes/Plan/Liveness.h"
#include "dialects/Lathe/IR/KernelAttributes.h"

using namespace mlir;
using namespace lathe;

void Positions::number(Block &block) {
  begins.clear();
  ends.clear();
  between.clear();
  latest.clear();
  count = 1; // leaves room before the first op
  numberBlock(block);
}

void Positions::insert(Operation *kernel, Operation *next) {
  uint64_t position = latest.try_emplace(next, begin(next) - kGap).first->second += 1;
  between[kernel] = position;
}

void Positions::replace(Operation *old, Operation *by) {
  between[by] = begin(old); // a kernel begins and ends at once
  between.erase(old);
  begins.erase(old);
  ends.erase(old);
}

uint64_t Positions::at(Operation *op, const DenseMap<Operation *, uint64_t> &numbers) const {
  auto it = between.find(op);
  return it == between.end() ? numbers.lookup(op) * kGap : it->second;
}

void Positions::numberBlock(Block &block) {
  for (Operation &op : block) {
    begins[&op] = count++;
    if (isControl(&op))
      for (Region &region : op.getRegions())
        numberBlock(region.front());
    ends[&op] = isControl(&op) ? count++ : begins[&op];
  }
}

uint64_t Positions::lastUse(Value value) const {
  Operation *maker = value.getDefiningOp();
  uint64_t last = maker ? end(maker) : 0;
  for (Operation *user : value.getUsers())
    last = std::max(last, isa<ReshapeOp>(user) ? lastUse(user->getResult(0)) : end(user));
  return last;
}

static bool reduces(Operation *op) { return isa<ReductionOpInterface>(op); }

/// Returns for each value of a row kernel the number of nested reductions that it depends on.
static DenseMap<Value, unsigned> levelsOf(KernelOp kernel) {
  DenseMap<Value, unsigned> levels;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    unsigned level = 0;
    for (Value operand : op.getOperands())
      level = std::max(level, levels.lookup(operand));
    for (Value result : op.getResults())
      levels[result] = level + reduces(&op);
  }
  return levels;
}

/// True if the pass that stores the result is the last one: no later pass reduces or stores.
static bool isOfLastPass(KernelOp kernel, Value stored) {
  DenseMap<Value, unsigned> levels = levelsOf(kernel);
  unsigned level = levels.lookup(stored);
  Block &body = kernel.getBody().front();
  return llvm::all_of(body.getTerminator()->getOperands(), [&](Value other) { return levels.lookup(other) <= level; }) &&
         llvm::all_of(body, [&](Operation &op) { return !reduces(&op) || levels.lookup(op.getOperand(0)) <= level; });
}

bool lathe::readsInPlace(KernelOp kernel, unsigned input, unsigned result) {
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
      if (overRows && reduces(user))
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
