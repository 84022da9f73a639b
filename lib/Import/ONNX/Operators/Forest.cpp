// Walks all trees at once, in as many steps as the deepest leaf needs. A tree's entries have a word of bits and a number each.
// A step reads both entries, compares a feature of the row with the number, and adds to the entry's index:
//
//   word:    | distance to the left child | feature | a NaN goes left | is a branch |
//   number:  the threshold of a branch; the weight of a leaf, or the row of its weights
//   step:    at += distance + (isBranch and not (x[feature] <= number or a NaN goes left))
//
// The right child follows the left one. A leaf has the distance 0, so that shallow trees wait for deep ones. Every mode of
// comparison becomes <= with the children exchanged, the next smaller threshold, or two branches.
#include "lib/Import/ONNX/Operators/Forest.h"
#include "llvm/ADT/bit.h"
#include <cmath>
#include <deque>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Each step becomes some ten ops.
static constexpr int64_t kMostSteps = 256;

namespace {
struct Slot {
  double number = 0;
  int64_t feature = 0, distance = 0;
  bool nanIsLeft = false, isBranch = false;
};

/// A slot of the tables that is still to be filled, and its content.
struct Pending {
  enum Kind { Subtree, Jump, Member } kind;
  int64_t slot;
  int64_t steps;       // from the root to the slot, at most
  int64_t child = 0;   // of a Subtree; the target of a Jump; the branch of a Member
  size_t member = 0;   // the member that a Member tests
  int64_t onTrue = -1; // the slot of its true side, if there is one
};

class Tables {
public:
  Tables(const Forest &forest, bool isDouble, bool hasRows) : forest(forest), isDouble(isDouble), hasRows(hasRows) {
    for (int64_t root : forest.roots) {
      int64_t before = std::exchange(steps, 0);
      roots.push_back(slots.size());
      slots.emplace_back();
      add({Pending::Subtree, roots.back(), 0, root});
      for (; !pending.empty() && steps <= kMostSteps; pending.pop_front())
        place(pending.front());
      depths.push_back(steps);
      steps = std::max(steps, before);
    }
  }

  std::vector<Slot> slots;
  Integers roots, depths; // of each tree
  int64_t steps = 0;      // the largest depth

private:
  void add(Pending item) {
    steps = std::max(steps, item.steps);
    pending.push_back(item);
  }

  /// Makes a slot the test x <= number. Returns the slot of the left child.
  int64_t branch(int64_t slot, int64_t feature, double number, bool nanIsLeft) {
    int64_t left = slots.size();
    slots.resize(slots.size() + 2);
    slots[slot] = {number, feature, left - slot, nanIsLeft, true};
    return left;
  }

  /// Returns the largest number below; x < number is x <= below(number). No x is below -inf, as none is <= NaN.
  double below(double number) const {
    if (number == -INFINITY)
      return NAN;
    return isDouble ? std::nextafter(number, -INFINITY) : double(std::nextafterf(float(number), -INFINITY));
  }

  void place(const Pending &item) {
    if (item.kind == Pending::Jump)
      slots[item.slot].distance = item.child - item.slot;
    else if (item.kind == Pending::Member)
      placeMember(item);
    else if (item.child < 0)
      slots[item.slot].number = hasRows || forest.leaves[~item.child].empty() ? (hasRows ? double(~item.child) : 0)
                                                                              : forest.leaves[~item.child][0].second;
    else if (const Branch &branch = forest.branches[item.child]; branch.mode <= BranchMode::Gt)
      placeOrder(item, branch);
    else
      placeMember({Pending::Member, item.slot, item.steps, item.child});
  }

  void placeOrder(const Pending &item, const Branch &from) {
    bool isExchanged = from.mode == BranchMode::Gt || from.mode == BranchMode::Gte;
    bool isBelow = from.mode == BranchMode::Lt || from.mode == BranchMode::Gte;
    int64_t left = branch(item.slot, from.feature, isBelow ? below(from.value) : from.value, from.missingIsTrue != isExchanged);
    add({Pending::Subtree, left, item.steps + 1, isExchanged ? from.onFalse : from.onTrue});
    add({Pending::Subtree, left + 1, item.steps + 1, isExchanged ? from.onTrue : from.onFalse});
  }

  /// Tests for equality with a member: x <= m and not x <= below(m). Otherwise the next member is tested.
  void placeMember(const Pending &item) {
    const Branch &from = forest.branches[item.child];
    ArrayRef<double> members = from.mode == BranchMode::Member ? ArrayRef(from.members) : ArrayRef(from.value);
    int64_t onTrue = from.onTrue, onFalse = from.onFalse, left = int64_t(members.size() - item.member);
    if (from.mode == BranchMode::Neq)
      std::swap(onTrue, onFalse);
    if (members.empty())
      return place({Pending::Subtree, item.slot, item.steps, onFalse});
    bool nanIsMember = from.missingIsTrue && from.mode != BranchMode::Neq;
    int64_t first = branch(item.slot, from.feature, members[item.member], nanIsMember);
    int64_t second = branch(first, from.feature, below(members[item.member]), false);
    add({Pending::Jump, second, item.steps + 3, first + 1});
    int64_t isMember = item.member == 0 ? second + 1 : item.onTrue;
    if (item.member == 0) // reached from the last member, too
      add({Pending::Subtree, isMember, item.steps + 3 * left, onTrue});
    else
      add({Pending::Jump, second + 1, item.steps + 3, isMember});
    if (left > 1)
      add({Pending::Member, first + 1, item.steps + 3, item.child, item.member + 1, isMember});
    else
      add({Pending::Subtree, first + 1, item.steps + 3, onFalse});
  }

  const Forest &forest;
  bool isDouble, hasRows;
  std::deque<Pending> pending;
};

/// The entries' words, and how they are taken apart.
struct Words {
  Integers values;
  int64_t featureBits = 0, distanceShift = 0;
  bool hasNans = false, isWide = false; // i64 rather than i32
};
} // namespace

static Words pack(const std::vector<Slot> &slots) {
  Words words;
  int64_t features = 1, farthest = 1;
  for (const Slot &slot : slots) {
    features = std::max(features, slot.feature + 1);
    farthest = std::max(farthest, std::abs(slot.distance));
    words.hasNans |= slot.nanIsLeft;
  }
  while (int64_t(1) << words.featureBits < features)
    ++words.featureBits;
  words.distanceShift = 2 + words.featureBits;
  words.isWide = int64_t(slots.size()) > INT32_MAX / 2 || farthest > (INT32_MAX >> words.distanceShift);
  for (const Slot &slot : slots)
    words.values.push_back(slot.distance * (int64_t(1) << words.distanceShift) + slot.feature * 4 + slot.nanIsLeft * 2 +
                           slot.isBranch);
  return words;
}

namespace {
/// The tables as constants: words and f32 numbers in one table of i64, so that a step reads them at once, or in two tables.
class Entries {
public:
  Entries(Node &node, const Tables &tables, Type element) : node(node), packed(pack(tables.slots)) {
    MLIRContext *context = node.i64().getContext();
    index = packed.isWide ? node.i64() : IntegerType::get(context, 32);
    isJoined = element.isF32() && !packed.isWide;
    int64_t count = tables.slots.size();
    SmallVector<double> reals;
    for (auto [i, slot] : llvm::enumerate(tables.slots)) {
      reals.push_back(slot.number);
      if (isJoined)
        packed.values[i] = int64_t(uint64_t(llvm::bit_cast<uint32_t>(float(slot.number))) << 32 | uint32_t(packed.values[i]));
    }
    words = node.constants(packed.values, count, isJoined ? node.i64() : index);
    numbers = isJoined ? Value() : node.realConstants(reals, count, element);
  }

  /// Returns the words and the numbers of entries.
  std::pair<Value, Value> read(Value at) {
    Value entry = node.gather(words, at, 0);
    if (!isJoined)
      return {entry, node.gather(numbers, at, 0)};
    Value high = node.convert(node.emit<ShiftRightOp>({entry, node.constantInt(32, node.i64())}), index);
    return {node.convert(entry, index), node.emit<BitcastOp>(high, node.type("to", Float32Type::get(index.getContext())))};
  }

  /// Returns the entries after a step from `at`, [N, T]; the first step starts with [T].
  Value next(Value at, Value x, bool isFirst) {
    Value two = node.constantInt(2, index), mask = node.constantInt((int64_t(1) << packed.featureBits) - 1, index);
    auto [word, number] = read(at);
    Value feature = node.emit<AndOp>({node.emit<ShiftRightOp>({word, two}), mask});
    Value own = node.gather(x, feature, 1, /*batch=*/isFirst ? 0 : 1); // all rows start at the roots
    Value isRight = node.emit<NotOp>(node.compare(CompareKind::LE, own, number));
    if (packed.hasNans) {
      Value nanIsLeft = node.convert(node.emit<AndOp>({word, two}), node.i1());
      Value isMissing = node.emit<AndOp>({node.emit<IsNanOp>(own), nanIsLeft});
      isRight = node.emit<AndOp>({isRight, node.emit<NotOp>(isMissing)});
    }
    Value distance = node.emit<ShiftRightArithmeticOp>({word, node.constantInt(packed.distanceShift, index)});
    Value right = node.emit<AndOp>({node.convert(isRight, index), word}); // the lowest bit says that it is a branch
    return node.emit<AddOp>({node.emit<AddOp>({at, distance}), right});
  }

  Type index;

private:
  Node &node;
  Words packed;
  bool isJoined;
  Value words, numbers;
};
} // namespace

/// Returns the index of the leaf's entry for each row and tree, [N, T]. The trees are in `order`, by falling depth: those that
/// have reached their leaves are left out of further steps if they are a quarter or more.
static Value walk(Node &node, const Tables &tables, Entries &entries, Value x, ArrayRef<int64_t> order) {
  Integers roots;
  for (int64_t tree : order)
    roots.push_back(tables.roots[tree]);
  Value at = node.constants(roots, int64_t(roots.size()), entries.index);
  SmallVector<Value> parts;
  int64_t width = order.size();
  for (int64_t step = 0; step < tables.steps && !node.failed(); ++step) {
    int64_t active = llvm::count_if(order, [&](int64_t tree) { return tables.depths[tree] > step; });
    if (step > 0 && 4 * active <= 3 * width) {
      parts.insert(parts.begin(), node.slice(at, 1, Dim(active), Dim(width)));
      at = node.slice(at, 1, Dim(0), Dim(active));
      width = active;
    }
    at = entries.next(at, x, step == 0);
  }
  if (!node.failed() && rankOf(at) == 1)
    at = node.broadcast(at, 1, {dimsOf(x)[0], Dim(width)});
  parts.insert(parts.begin(), at);
  return node.failed() ? Value() : node.concatenate(parts, 1);
}

/// Returns the weights of the leaves as rows of a matrix.
static Value weightsOf(Node &node, const Forest &forest, Type element) {
  SmallVector<double> weights(forest.leaves.size() * forest.targets, 0.0);
  for (auto [i, leaf] : llvm::enumerate(forest.leaves))
    for (auto [target, weight] : leaf)
      weights[i * forest.targets + target] = weight;
  return node.realConstants(weights, {int64_t(forest.leaves.size()), forest.targets}, element);
}

/// Finds the single target of each tree, and sorts the trees by it. Returns false unless every leaf has one weight, all of a
/// tree for the same target, and all targets have equally many trees.
static bool sortByTarget(Forest &forest) {
  std::vector<int64_t> targets(forest.roots.size(), -1);
  for (auto [tree, root] : llvm::enumerate(forest.roots)) {
    SmallVector<int64_t> open{root};
    while (!open.empty()) {
      int64_t child = open.pop_back_val();
      if (child >= 0) {
        open.append({forest.branches[child].onTrue, forest.branches[child].onFalse});
        continue;
      }
      const Leaf &leaf = forest.leaves[~child];
      if (leaf.size() != 1 || (targets[tree] >= 0 && targets[tree] != leaf[0].first))
        return false;
      targets[tree] = leaf[0].first;
    }
  }
  Integers order = range(0, forest.roots.size());
  llvm::sort(order, [&](int64_t a, int64_t b) { return std::pair(targets[a], a) < std::pair(targets[b], b); });
  std::vector<int64_t> roots;
  for (auto [i, tree] : llvm::enumerate(order)) {
    if (targets[tree] != int64_t(i * forest.targets / order.size()))
      return false;
    roots.push_back(forest.roots[tree]);
  }
  forest.roots = std::move(roots);
  return int64_t(order.size()) % forest.targets == 0;
}

Value onnximport::sumForest(Node &node, const Forest &given, Value x, Aggregate aggregate) {
  Forest forest = given;
  Type element = elementOfValue(x);
  int64_t trees = forest.roots.size(), targets = forest.targets;
  if (columnsOf(x) > INT32_MAX)
    node.refuse("its input has " + Twine(columnsOf(x)) + " features, expected up to 2^31 - 1");
  if (int64_t(forest.leaves.size()) * targets > INT32_MAX)
    node.refuse(Twine(forest.leaves.size()) + " leaves times " + Twine(targets) + " targets are too many weights");
  if (node.failed())
    return {};
  bool hasRows = targets > 1 && !sortByTarget(forest);
  if (node.failed())
    return {};
  Tables tables(forest, element.isF64(), hasRows);
  if (tables.steps > kMostSteps)
    node.refuse("a tree has more than " + Twine(kMostSteps) + " levels; limit the depth of its trees");
  if (hasRows && int64_t(forest.leaves.size()) > int64_t(1) << 24)
    node.refuse("the trees have " + Twine(forest.leaves.size()) + " leaves with several weights, expected up to 2^24");
  if (node.failed())
    return {};
  Dim rows = dimsOf(x)[0];
  Integers order = range(0, trees), places(trees);
  llvm::sort(order, [&](int64_t a, int64_t b) { return std::pair(-tables.depths[a], a) < std::pair(-tables.depths[b], b); });
  for (auto [place, tree] : llvm::enumerate(order))
    places[tree] = place;
  Entries entries(node, tables, element);
  Value at = walk(node, tables, entries, x, order), weights = entries.read(at).second;
  if (targets > 1 && !hasRows && order != range(0, trees)) // each target has the next trees
    weights = node.gather(weights, node.constants(places, trees, node.i64()), 1);
  int64_t dim = hasRows ? 1 : 2;
  if (hasRows)
    weights = node.gather(weightsOf(node, forest, element), node.convert(weights, entries.index), 0);
  else
    weights = node.reshape(weights, {rows, Dim(targets), Dim(trees / targets)});
  ReduceKind kind = aggregate == Aggregate::Min   ? ReduceKind::Min
                    : aggregate == Aggregate::Max ? ReduceKind::Max
                                                  : ReduceKind::Sum;
  Value result = node.reduce(kind, weights, dim, /*keep=*/false);
  return aggregate == Aggregate::Average ? node.emit<DivOp>({result, node.constant(trees, element)}) : result;
}
