#include "passes/Fusion/Clusters.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Analysis/Planes.h"
#include "lib/Analysis/Recomputation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Fusion/RowForm.h"
#include "passes/Fusion/Tuning.h"

using namespace mlir;
using namespace lathe;

/// True for a transpose that changes the contiguous dimension of enough elements. Its own kernel uses tiles.
static bool changesContiguous(Operation *op) {
  auto transpose = dyn_cast<TransposeOp>(op);
  Operation *producer = transpose ? transpose.getOperand().getDefiningOp() : nullptr;
  if (!transpose || (producer && isRecomputed(producer)))
    return false;
  Dims extents; // of the operand, without those of 1
  SmallVector<int64_t> number, order;
  for (const Dim &extent : dimsOf(transpose.getOperand())) {
    number.push_back(extents.size());
    if (!extent.isStatic(1))
      extents.push_back(extent);
  }
  for (int64_t source : transpose.getPermutation())
    if (!dimsOf(transpose.getOperand())[source].isStatic(1))
      order.push_back(number[source]);
  if (order.empty() || order.back() == int64_t(order.size()) - 1)
    return false;
  auto isShort = [&](size_t last) { // the elements that are contiguous in both tensors and end with a dimension of the result
    Dim side = extents[order[last]];
    for (; last > 0 && order[last - 1] + 1 == order[last]; --last)
      side = side * extents[order[last - 1]];
    return side.isStatic() && side.constant() < tuning::kLeastTransposedSide;
  };
  Dim all = productOf(extents);
  size_t operandLast = llvm::find(order, int64_t(order.size()) - 1) - order.begin();
  return !isShort(operandLast) && !isShort(order.size() - 1) && (!all.isStatic() || all.constant() >= tuning::kLeastTransposed);
}

/// True if `op` computes nothing: each element of its result is an element of its operand, or a zero, at a position that other
/// operands give.
static bool picks(Operation *op) { return isa<GatherOp, SliceOp, DynamicSliceOp>(op); }

/// Returns the extents of a value without those that are 1 in every version of the function.
static Dims withoutUnits(Value value) {
  DenseI64ArrayAttr sized = sizedUnitsOf(value);
  Dims dims;
  for (auto [i, extent] : llvm::enumerate(dimsOf(value)))
    if (!extent.isStatic(1) || (sized && llvm::is_contained(sized.asArrayRef(), int64_t(i))))
      dims.push_back(extent);
  return dims;
}

/// True if `op` only removes dimensions of extent 1 from the result of a picking op that has no other user. One kernel does
/// both at the reshape's positions. As a view of memory, the reshape would keep the picking op out of the kernels that read it.
static bool dropsUnits(Operation *op) {
  auto reshape = dyn_cast<ReshapeOp>(op);
  Operation *producer = reshape && !reshape.getChecked() ? reshape.getOperand().getDefiningOp() : nullptr;
  return producer && picks(producer) && producer->hasOneUse() &&
         dimsOf(reshape.getResult()).size() < dimsOf(reshape.getOperand()).size() &&
         withoutUnits(reshape.getResult()) == withoutUnits(reshape.getOperand());
}

/// True if the terms of `count` show that it is 0 or more for all sizes.
static bool isSurelyNatural(const Dim &count) {
  return llvm::all_of(count.getTerms(), [](auto &term) { return term.second >= 0; });
}

/// True if fusing the producer of an operand computes nothing twice.
static bool readsOnce(Operation *op) { return op->hasTrait<ReadsOnceTrait>() || !Clusters::isHero(op); }

/// True if the op must keep its order among others of its kind.
static bool isOrdered(Operation *op) { return (isReport(op) || isControl(op)) && !isMemoryEffectFree(op); }

Clusters::Clusters(Block &block) : block(block) {
  Operation *lastOrdered = nullptr;
  for (Operation &op : block.without_terminator()) {
    position[&op] = position.size();
    if (isOrdered(&op)) {
      orderedBefore[&op] = lastOrdered;
      lastOrdered = &op;
    }
    if (isView(&op) || (isa<ConstantOp>(op) && !isRecomputed(&op)))
      continue;
    if (isRecomputed(&op) && llvm::none_of(op.getUsers(), needsMemory))
      continue;
    add(&op);
  }
}

int Clusters::of(Operation *op) const {
  auto it = cluster.find(op);
  return it == cluster.end() ? -1 : it->second;
}

bool Clusters::hasHero(int index) const { return llvm::any_of(members[index], isHero); }

Operation *Clusters::mainOp(int index) const {
  auto hero = llvm::find_if(members[index], isHero);
  return hero == members[index].end() ? members[index].back() : *hero;
}

bool Clusters::usesOutside(Value value, int index, int joining) const {
  SmallVector<Operation *> users(value.getUsers());
  llvm::SmallPtrSet<Operation *, 8> remade;
  while (!users.empty()) {
    Operation *user = users.pop_back_val();
    int where = of(user);
    if (where < 0 && !isView(user) && isRecomputed(user)) { // its copies are in the clusters of its users
      if (remade.insert(user).second)
        llvm::append_range(users, user->getUsers());
      continue;
    }
    if (where < 0 || (where != index && where != joining))
      return true;
  }
  return false;
}

SmallVector<Value> Clusters::outputs(int index) const {
  SmallVector<Value> values;
  for (Operation *op : members[index])
    if (isa<ExternOp>(op) || isControl(op)) // it writes all of its results
      llvm::append_range(values, op->getResults());
    else
      llvm::copy_if(op->getResults(), std::back_inserter(values),
                    [&](Value value) { return usesOutside(value, index, index); });
  return values;
}

void Clusters::sources(Operation *op, SmallVectorImpl<int> &found) const {
  llvm::SmallPtrSet<Operation *, 8> seen; // there may be very many paths through recomputed ops
  SmallVector<Operation *> open{op};
  while (!open.empty()) {
    Operation *at = open.pop_back_val();
    if (int index = of(at); at != op && index >= 0) {
      found.push_back(index);
      continue;
    }
    if (!seen.insert(at).second)
      continue;
    if (Operation *before = orderedBefore.lookup(at))
      found.push_back(of(before));
    for (Value operand : llvm::reverse(at->getOperands()))
      if (Operation *producer = operand.getDefiningOp())
        open.push_back(producer);
  }
}

/// True if the merged cluster would need a value that depends on itself.
bool Clusters::wouldCycle(int index, int joining) const {
  llvm::SmallDenseSet<int> seen;
  SmallVector<int> work;
  auto follow = [&](int from) {
    for (Operation *op : members[from]) {
      SmallVector<int> found;
      sources(op, found);
      for (int source : found)
        if (!(source == index || source == joining) || !(from == index || from == joining))
          if (seen.insert(source).second)
            work.push_back(source);
    }
  };
  follow(index);
  follow(joining);
  seen.erase(index);
  seen.erase(joining);
  // Searches the dependencies of the two clusters, except each other: does one of these depend on either? A cluster that ends
  // before both begin can do so only through a cluster that spans that point.
  auto begin = [&](int cluster) { return position.lookup(members[cluster].front()); };
  auto end = [&](int cluster) { return position.lookup(members[cluster].back()); };
  unsigned first = std::min(begin(index), begin(joining));
  bool isCrossed = llvm::any_of(
      grown, [&](int each) { return each != index && each != joining && begin(each) < first && first < end(each); });
  auto mayNeed = [&](int each) { return isCrossed || end(each) > first; };
  SmallVector<int> todo(llvm::make_filter_range(seen, mayNeed));
  llvm::SmallDenseSet<int> reached;
  while (!todo.empty()) {
    int at = todo.pop_back_val();
    if (at == index || at == joining)
      return true;
    if (!mayNeed(at) || !reached.insert(at).second)
      continue;
    for (Operation *op : members[at])
      sources(op, todo);
  }
  return false;
}

/// True if a member of one cluster reads a value of the other at other indices, through a recomputed op: a reduction's value is
/// not available there, and any other would be computed once for each index. Also true for a read through a view, which belongs
/// to no kernel: the merged kernel would depend on itself.
bool Clusters::readsThroughRemade(int reader, int source) const {
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (Operation *op : members[reader]) {
    SmallVector<Operation *> work;
    auto follow = [&](Operation *user) {
      for (Value operand : user->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && of(producer) < 0 && (isRecomputed(producer) || isView(producer)) && seen.insert(producer).second)
          work.push_back(producer);
    };
    follow(op);
    while (!work.empty()) {
      Operation *remade = work.pop_back_val();
      for (Value operand : remade->getOperands())
        if (Operation *producer = operand.getDefiningOp(); producer && of(producer) == source)
          return true;
      follow(remade);
    }
  }
  return false;
}

llvm::StringRef Clusters::obstacle(Operation *op, int index) const {
  int own = of(op);
  if (own < 0 || own == index)
    return "it is not in another kernel";
  if (members[index].size() + members[own].size() > tuning::kMostMembers)
    return "the merged kernel would have too many ops";
  if (isOverItems(index) || isOverItems(own))
    return "a kernel over items takes no other ops";
  auto standsAlone = [](Operation *o) { return o->hasTrait<OwnKernelTrait>() || isControl(o); };
  if (standsAlone(op) || llvm::any_of(members[index], standsAlone))
    return "it always has its own kernel";
  if (isOverRows(index) || isOverRows(own))
    return rowsObstacle(index, own);
  StringRef ofNest = nestObstacle(op, index);
  if (ofNest.empty())
    return "";
  StringRef ofRows = rowsObstacle(index, own);
  bool isAboutRows =
      (hasHero(index) || hasHero(own)) && llvm::all_of(members[index], readsOnce) && llvm::all_of(members[own], readsOnce);
  return ofRows.empty() || isAboutRows ? ofRows : ofNest;
}

llvm::StringRef Clusters::rowsObstacle(int index, int joining) const {
  if (!llvm::all_of(members[index], readsOnce) || !llvm::all_of(members[joining], readsOnce))
    return "it is a product, a convolution or a window reduction";
  llvm::SetVector<Operation *> ops;
  ops.insert(members[index].begin(), members[index].end());
  ops.insert(members[joining].begin(), members[joining].end());
  auto remade = [&](Operation *op) { return of(op) < 0 && isRecomputed(op); };
  RowForm form(ops, remade);
  StringRef obstacle = form.obstacle();
  return obstacle.empty() && wouldCycle(index, joining) ? "the kernels would depend on each other" : obstacle;
}

llvm::StringRef Clusters::nestObstacle(Operation *op, int index) const {
  int own = of(op);
  bool heroes[2] = {hasHero(index), hasHero(own)};
  if (heroes[0] && heroes[1])
    return "both contain a reduction, product or convolution";
  // An epilogue sees its reduction's value only at its own index.
  if (heroes[0] && !op->hasTrait<ElementwiseTrait>())
    return "it reads a reduction's result at other indices";
  // A prologue is an op whose operand is read once; an epilogue is elementwise at the same indices.
  bool isPrologue = heroes[1] && isHero(op) && members[own].size() == 1 && readsOnce(op);
  bool isEpilogue = heroes[1] && !isHero(op) && llvm::all_of(members[index], [&](Operation *member) {
                      return member->hasTrait<ElementwiseTrait>() && dimsOf(member->getResult(0)) == dimsOf(op->getResult(0));
                    });
  if (heroes[1] && !isPrologue && !isEpilogue)
    return isHero(op) && !readsOnce(op) ? "it reads each value several times, so the value would be recomputed"
                                        : "its kernel reduces, multiplies or convolves, and would recompute the value";
  auto reduces = llvm::IsaPred<ReductionOpInterface>; // its loops may run in either order
  if ((changesContiguous(op) && !llvm::all_of(op->getUsers(), reduces)) ||
      (members[index].size() == 1 && changesContiguous(members[index].front()) && !reduces(op)))
    return "a transpose has a tiled kernel of its own";
  Dims shape = dimsOf(op->getResult(0));
  for (Operation *member : members[index]) {
    Value value = member->getResult(0);
    bool escapes = usesOutside(value, index, own);
    if (escapes && dimsOf(value) != shape)
      return "the value is also stored for other kernels, in another shape";
    if (heroes[0] && isHero(member) && dimsOf(value) != shape)
      return "its shape differs from the reduction's result";
    if (isPrologue && escapes)
      return "the value is also stored for other kernels";
    // Gathers and concatenates read some elements several times or not at all; their operands should be in memory.
    if (!op->hasTrait<ReadsOnceTrait>())
      return "it does not read each element exactly once";
  }
  for (Operation *member : members[own])
    if (dimsOf(member->getResult(0)) != shape && usesOutside(member->getResult(0), own, index))
      return "its kernel stores a value of another shape";
  if (readsThroughRemade(own, index) || readsThroughRemade(index, own))
    return "it reads the value through a broadcast";
  return wouldCycle(index, own) ? "the kernels would depend on each other" : "";
}

void Clusters::merge(int into, int from, bool asRows) {
  if (asRows || overRows.contains(from))
    overRows.insert(into);
  grown.erase(from);
  grown.insert(into);
  for (Operation *op : members[from])
    cluster[op] = into;
  llvm::append_range(members[into], members[from]);
  members[from].clear();
  llvm::sort(members[into], [&](Operation *a, Operation *b) { return position.lookup(a) < position.lookup(b); });
}

void Clusters::add(Operation *op) {
  cluster[op] = members.size();
  members.push_back({op});
}

void Clusters::joinSources(Operation *op) {
  // Try the reduction's own cluster first: its result is in registers only there.
  SmallVector<int> candidates;
  sources(op, candidates);
  llvm::stable_sort(candidates, [&](int a, int b) { return hasHero(a) > hasHero(b); });
  for (int index : candidates) {
    int own = of(op);
    if (index == own || members[index].empty() || !obstacle(op, index).empty())
      continue;
    bool asRows = isOverRows(index) || isOverRows(own) || !nestObstacle(op, index).empty();
    merge(index, own, asRows);
  }
}

int Clusters::readerOfParts(int index) const {
  int reader = -1;
  for (Value value : outputs(index)) {
    std::optional<Dim> unread = numElements(dimsOf(value));
    for (Operation *user : value.getUsers()) {
      int where = of(user);
      if (where < 0 || (reader >= 0 && where != reader) || !picks(user) || user->getOperand(0) != value)
        return -1;
      std::optional<Dim> read = numElements(dimsOf(user->getResult(0)));
      if (!read || !unread)
        return -1;
      reader = where;
      unread = *unread - *read;
    }
    if (!isSurelyNatural(*unread))
      return -1;
  }
  return reader;
}

void Clusters::joinReaderOfParts(Operation *op) {
  int own = of(op);
  if (own < 0 || members[own].back() != op || !llvm::all_of(members[own], picks))
    return;
  int reader = readerOfParts(own);
  if (reader >= 0 && !isOverRows(reader) && !isOverItems(reader) && !isOverItems(own) && !hasHero(reader) &&
      members[own].size() + members[reader].size() <= tuning::kMostMembers && !wouldCycle(reader, own))
    merge(reader, own, /*asRows=*/false);
}

void Clusters::grow() {
  for (Operation &op : block.without_terminator()) {
    bool mayBeView = of(&op) < 0 && dropsUnits(&op);
    if (mayBeView)
      add(&op);
    if (of(&op) >= 0)
      joinSources(&op);
    if (int own = of(&op); mayBeView && members[own].size() == 1) { // a copy where a view suffices
      members[own].clear();
      cluster.erase(&op);
    }
  }
  for (Operation &op : llvm::reverse(block.without_terminator())) // picking ops come after the ops that read their parts
    joinReaderOfParts(&op);
}

void Clusters::joinPlanes() {
  auto isOwnKernel = [&](Operation *transpose) { return of(transpose) >= 0 && members[of(transpose)].size() == 1; };
  for (ConvOp conv : block.getOps<ConvOp>()) {
    bool isBetween = true;
    SmallVector<Operation *> ops = opsBetweenPlanes(conv);
    if (ops.empty()) {
      isBetween = false;
      ops = opsToPlanes(conv);
    }
    if (ops.empty() || (isBetween && !isOwnKernel(ops.front())) || !isOwnKernel(ops.back()))
      continue;
    int own = of(conv);
    ArrayRef<Operation *> inner = ArrayRef(ops).drop_front(isBetween ? 1 : 0).drop_back();
    if (members[own].size() != inner.size() || !llvm::all_of(inner, [&](Operation *op) { return of(op) == own; }))
      continue;
    if (isBetween)
      merge(own, of(ops.front()), /*asRows=*/false);
    merge(own, of(ops.back()), /*asRows=*/false);
  }
}
