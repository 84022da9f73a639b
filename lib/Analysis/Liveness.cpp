#include "lib/Analysis/Liveness.h"
#include "dialects/Lathe/IR/PlanAttributes.h"

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
    last = std::max(last, isView(user) ? lastUse(user->getResult(0)) : end(user));
  return last;
}
