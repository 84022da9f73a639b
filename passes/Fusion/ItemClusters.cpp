// How clusters over items grow.
#include "passes/Fusion/Clusters.h"
#include "passes/Fusion/ItemForm.h"
#include "passes/Fusion/Tuning.h"

using namespace mlir;
using namespace lathe;

/// Merges the op's cluster with those of the same items that it reads, as far as possible.
void Clusters::joinItemsOf(Operation *op) {
  SmallVector<int> candidates;
  sources(op, candidates);
  for (int index : candidates) {
    int own = of(op);
    auto joined = items.find(index), joining = items.find(own);
    if (index == own || members[index].empty() || joined == items.end() || joined->second.extent != joining->second.extent ||
        joined->second.elements + joining->second.elements > tuning::kMostElementsOfItemKernel ||
        members[index].size() + members[own].size() > tuning::kMostMembers || wouldCycle(index, own))
      continue;
    joined->second.elements += joining->second.elements;
    items.erase(joining);
    merge(index, own, /*asRows=*/false);
  }
}

/// True if other forms would store values between the members that a kernel over items keeps in registers, and would not fill
/// vectors with the elements of one item.
bool Clusters::isWorthItems(int index) const {
  size_t moves = llvm::count_if(members[index], movesWithinItems);
  bool areMany = items.at(index).extent.isStatic();
  auto isShort = [&](Operation *op) {
    return areMany || movesWithinItems(op) || isa<GatherOp>(op) || isView(op) || lineOfItem(op) <= tuning::kLongestLineOfItem;
  };
  return members[index].size() >= tuning::kLeastOpsOfItems && moves >= tuning::kLeastMovesOfItems &&
         llvm::all_of(members[index], isShort);
}

void Clusters::dissolve(int index, const DenseMap<Operation *, int> &first) {
  std::vector<Operation *> ops = std::move(members[index]);
  members[index].clear();
  grown.erase(index);
  for (Operation *op : ops) {
    cluster.erase(op);
    if (isView(op))
      continue;
    cluster[op] = first.lookup(op);
    members[first.lookup(op)] = {op};
  }
}

void Clusters::joinItems(bool any) {
  DenseMap<Operation *, int> first;
  for (Operation &op : block.without_terminator()) {
    std::optional<Dim> extent = of(&op) >= 0 || isView(&op) ? itemsOf(&op, any ? 1 : tuning::kLeastItems) : std::nullopt;
    if (!extent)
      continue;
    if (of(&op) < 0)
      add(&op);
    first[&op] = of(&op);
    items.emplace(of(&op), Items{*extent, elementsPerItem(&op)});
    joinItemsOf(&op);
  }
  SmallVector<int> unworthy;
  for (auto &[index, unused] : items)
    if (members[index].size() == 1 || (!any && !isWorthItems(index)))
      unworthy.push_back(index);
  for (int index : unworthy) {
    items.erase(index);
    dissolve(index, first);
  }
}
