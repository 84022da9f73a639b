// Ensembles of decision trees: TreeEnsembleRegressor and TreeEnsembleClassifier, whose nodes are named by a tree and a number,
// and TreeEnsemble, whose nodes are named by their position. Forest.cpp turns both into ops.
#include "lib/Import/ONNX/Operators/Forest.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

// ---- Attributes

/// Returns numbers that are floats in one attribute or doubles in another.
static SmallVector<double> numbersOf(Node &node, StringRef name) {
  Type element;
  SmallVector<double> exact = tensorNumbers(node, (name + "_as_tensor").str(), element);
  return exact.empty() ? node.reals(name) : exact;
}

/// Returns a list of integers with one element for each of the `count` nodes or weights.
static Integers listOf(Node &node, StringRef name, int64_t count, StringRef of) {
  Integers values = node.integers(name);
  expectCount(node, name, values.size(), count, "the number of " + of);
  values.resize(count);
  return values;
}

template <typename T>
static T choiceOf(Node &node, StringRef name, ArrayRef<StringRef> words, T otherwise) {
  std::string given = node.text(name, words[int(otherwise)]);
  auto found = llvm::find(words, given);
  if (found == words.end())
    node.refuse("attribute '" + name + "' is '" + given + "', expected " + llvm::join(words, ", "));
  return found == words.end() ? otherwise : T(found - words.begin());
}

// ---- Trees whose nodes have a name

namespace {
/// Finds nodes by the tree and the number that name them.
class NamedNodes {
public:
  NamedNodes(Node &node, int64_t features) : node(node), features(features) {
    trees = node.integers("nodes_treeids");
    int64_t count = trees.size();
    if (!count)
      node.refuse("attribute 'nodes_treeids' is missing, expected the tree of each node");
    numbers = listOf(node, "nodes_nodeids", count, "nodes");
    const onnx::AttributeProto *attribute = node.find("nodes_modes");
    expectCount(node, "nodes_modes", attribute ? attribute->strings_size() : 0, count, "the number of nodes");
    for (int64_t i = 0; i < count && !node.failed(); ++i) {
      modes.push_back(attribute->strings(i));
      if (!places.try_emplace({trees[i], numbers[i]}, i).second)
        node.refuse("nodes_nodeids: tree " + Twine(trees[i]) + " has two nodes " + Twine(numbers[i]));
    }
  }

  std::string name(int64_t place) const {
    return "node " + std::to_string(numbers[place]) + " of tree " + std::to_string(trees[place]);
  }

  /// Adds the branches and the roots, and a leaf without weights for each leaf.
  void read(Forest &forest) {
    int64_t count = trees.size();
    Integers onTrue = listOf(node, "nodes_truenodeids", count, "nodes"),
             onFalse = listOf(node, "nodes_falsenodeids", count, "nodes");
    Integers feature = listOf(node, "nodes_featureids", count, "nodes"), missing(count, 0);
    if (node.hasAttribute("nodes_missing_value_tracks_true") && !node.integers("nodes_missing_value_tracks_true").empty())
      missing = listOf(node, "nodes_missing_value_tracks_true", count, "nodes");
    SmallVector<double> value = numbersOf(node, "nodes_values");
    expectCount(node, "nodes_values", value.size(), count, "the number of nodes");
    for (int64_t i = 0; i < count && !node.failed(); ++i) {
      children.push_back(modes[i] == "LEAF" ? ~int64_t(forest.leaves.size()) : int64_t(forest.branches.size()));
      if (modes[i] == "LEAF")
        forest.leaves.emplace_back();
      else
        forest.branches.push_back({modeOf(i), feature[i], value[i], missing[i] != 0, onTrue[i], onFalse[i]});
      if (modes[i] != "LEAF" && (feature[i] < 0 || feature[i] >= features))
        node.refuse("nodes_featureids: " + name(i) + " reads feature " + Twine(feature[i]) + ", expected 0 to " +
                    Twine(features - 1) + ", as the input has " + Twine(features) + " features");
    }
    link(forest);
  }

  /// Returns the number of the leaf that a weight belongs to; -1 after a refusal.
  int64_t leafOf(StringRef attribute, int64_t tree, int64_t number) {
    auto found = places.find({tree, number});
    if (found != places.end() && children[found->second] < 0)
      return ~children[found->second];
    node.refuse(attribute + ": there is no leaf " + Twine(number) + " in tree " + Twine(tree));
    return -1;
  }

private:
  BranchMode modeOf(int64_t place) {
    constexpr StringRef kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"};
    auto found = llvm::find(kModes, modes[place]);
    if (found == std::end(kModes))
      node.refuse("nodes_modes: " + name(place) + " has the mode '" + modes[place] + "', expected LEAF, " +
                  llvm::join(ArrayRef(kModes), ", "));
    return BranchMode(found == std::end(kModes) ? 0 : found - kModes);
  }

  /// Resolves the children of each branch. A root is a node without a parent.
  void link(Forest &forest) {
    std::vector<bool> isChild(trees.size());
    for (size_t i = 0; i < trees.size() && !node.failed(); ++i) {
      if (children[i] < 0)
        continue;
      Branch &branch = forest.branches[children[i]];
      for (auto [child, attribute] :
           {std::pair(&branch.onTrue, "nodes_truenodeids"), {&branch.onFalse, "nodes_falsenodeids"}}) {
        auto found = places.find({trees[i], *child});
        if (found == places.end())
          return node.refuse(Twine(attribute) + ": " + name(i) + " has the child " + Twine(*child) +
                             ", expected a node of its tree");
        if (isChild[found->second])
          return node.refuse(Twine(attribute) + ": " + name(found->second) + " is the child of two branches");
        isChild[found->second] = true;
        *child = children[found->second];
      }
    }
    std::map<int64_t, int64_t> roots; // by tree
    for (size_t i = 0; i < trees.size() && !node.failed(); ++i)
      if (!isChild[i] && !roots.try_emplace(trees[i], i).second)
        node.refuse("nodes_treeids: tree " + Twine(trees[i]) + " has two roots, " + name(roots[trees[i]]) + " and " + name(i));
    for (size_t i = 0; i < trees.size() && !node.failed(); ++i)
      if (!roots.count(trees[i]))
        node.refuse("nodes_truenodeids, nodes_falsenodeids: tree " + Twine(trees[i]) + " is a cycle without a root");
    for (auto [tree, place] : roots)
      forest.roots.push_back(node.failed() ? -1 : children[place]);
  }

  Node &node;
  int64_t features;
  Integers trees, numbers;
  std::vector<std::string> modes;
  std::map<std::pair<int64_t, int64_t>, int64_t> places;
  Integers children; // of each node its branch or leaf
};
} // namespace

/// Refuses branches that no root leads to: they are a cycle, since every node is the child of at most one branch.
static void refuseCycles(Node &node, const Forest &forest) {
  SmallVector<int64_t> open(forest.roots.begin(), forest.roots.end());
  size_t reached = 0;
  for (; !open.empty() && !node.failed();) {
    int64_t child = open.pop_back_val();
    if (child < 0)
      continue;
    ++reached;
    open.append({forest.branches[child].onTrue, forest.branches[child].onFalse});
  }
  if (!node.failed() && reached != forest.branches.size())
    node.refuse("nodes_truenodeids, nodes_falsenodeids: " + Twine(forest.branches.size() - reached) +
                " branches are a cycle, expected each one below a root");
}

static void addWeight(Leaf &leaf, int64_t target, double weight) {
  for (auto &[known, sum] : leaf)
    if (known == target)
      return void(sum += weight);
  leaf.emplace_back(target, weight);
}

/// Reads a forest whose weights are in the attributes `of`_ids, `of`_nodeids, `of`_treeids and `of`_weights. Sets `ids` to the
/// targets that have weights.
static Forest readNamed(Node &node, StringRef of, int64_t targets, int64_t features, std::set<int64_t> *ids = nullptr) {
  Forest forest;
  forest.targets = targets;
  if (node.failed())
    return forest;
  NamedNodes nodes(node, features);
  if (!node.failed())
    nodes.read(forest);
  refuseCycles(node, forest);
  auto attribute = [&](StringRef what) { return (of + "_" + what).str(); };
  SmallVector<double> weights = numbersOf(node, attribute("weights"));
  int64_t count = weights.size();
  Integers target = listOf(node, attribute("ids"), count, "weights"),
           number = listOf(node, attribute("nodeids"), count, "weights"),
           tree = listOf(node, attribute("treeids"), count, "weights");
  for (int64_t i = 0; i < count && !node.failed(); ++i) {
    if (target[i] < 0 || target[i] >= targets)
      node.refuse(attribute("ids") + " has the element " + Twine(target[i]) + ", expected 0 to " + Twine(targets - 1));
    else if (int64_t leaf = nodes.leafOf(attribute("nodeids"), tree[i], number[i]); leaf >= 0)
      addWeight(forest.leaves[leaf], target[i], weights[i]);
    if (ids)
      ids->insert(target[i]);
  }
  return forest;
}

// ---- Operators

static void refuseMissingWeights(Node &node, const Forest &forest, Aggregate aggregate) {
  if (aggregate != Aggregate::Min && aggregate != Aggregate::Max)
    return;
  for (const Leaf &leaf : forest.leaves)
    if (int64_t(leaf.size()) != forest.targets)
      return node.refuse("a leaf has weights for " + Twine(leaf.size()) + " of " + Twine(forest.targets) +
                         " targets, expected all with the aggregate_function MIN or MAX");
}

static Value withBase(Node &node, Value sums, ArrayRef<double> base) {
  if (base.empty() || node.failed())
    return sums;
  expectCount(node, "base_values", base.size(), columnsOf(sums), "one for each target");
  return node.emit<AddOp>({sums, node.realConstants(base, {1, int64_t(base.size())}, elementOfValue(sums))});
}

static void treeRegressor(Node &node) {
  Value x = featuresOf(node);
  int64_t targets = countOf(node, "n_targets", 1, 1);
  PostTransform transform = postTransformOf(node);
  Aggregate aggregate = choiceOf(node, "aggregate_function", {"AVERAGE", "SUM", "MIN", "MAX"}, Aggregate::Sum);
  Forest forest = readNamed(node, "target", targets, columnsOf(x));
  refuseMissingWeights(node, forest, aggregate);
  if (node.failed())
    return;
  Value sums = withBase(node, sumForest(node, forest, x, aggregate), numbersOf(node, "base_values"));
  node.set(0, asFloats(node, transformed(node, transform, sums)));
}

static void treeClassifier(Node &node) {
  Value x = featuresOf(node);
  PostTransform transform = postTransformOf(node);
  Integers labels = classLabels(node, "classlabels_int64s", "classlabels_strings");
  std::set<int64_t> ids;
  Forest forest = readNamed(node, "class", labels.size(), columnsOf(x), &ids);
  SmallVector<double> base = numbersOf(node, "base_values");
  if (node.failed())
    return;
  if (labels.size() != 2 || ids.size() != 1) // the weights are of all classes
    return setClasses(node, labels, withBase(node, sumForest(node, forest, x, Aggregate::Sum), base), transform);
  bool isProbability = true; // of the second class, by the rule of ONNX Runtime
  for (Leaf &leaf : forest.leaves)
    for (auto &[target, weight] : leaf) {
      isProbability &= weight >= 0;
      target = 0;
    }
  forest.targets = 1;
  if (base.size() > 1)
    base = SmallVector<double>{base.back()};
  Value score = withBase(node, sumForest(node, forest, x, Aggregate::Sum), base);
  setTwoClasses(node, labels, score, transform, isProbability);
}

// ---- TreeEnsemble

/// Reads the sets of members, which a NaN separates, into the branches of mode Member.
static void readMembers(Node &node, Forest &forest) {
  Type element;
  SmallVector<double> values = tensorNumbers(node, "membership_values", element);
  const double *at = values.begin();
  for (Branch &branch : forest.branches) {
    if (branch.mode != BranchMode::Member)
      continue;
    if (at == values.end())
      return node.refuse("membership_values has fewer sets than there are nodes of mode 6 (BRANCH_MEMBER)");
    for (; at != values.end() && !std::isnan(*at); ++at)
      branch.members.push_back(*at);
    if (at != values.end())
      ++at;
  }
}

/// Reads one child: a leaf or a branch.
static int64_t positionOf(Node &node, StringRef attribute, int64_t child, bool isLeaf, const Forest &forest,
                          std::vector<bool> &isChild) {
  int64_t count = isLeaf ? forest.leaves.size() : isChild.size();
  if (child < 0 || child >= count)
    return node.refuse(attribute + " has the element " + Twine(child) + ", expected 0 to " + Twine(count - 1) +
                       ", the number of a " + (isLeaf ? "leaf" : "node")),
           -1;
  if (isLeaf)
    return ~child;
  if (isChild[child])
    node.refuse(attribute + ": node " + Twine(child) + " is the child of two branches, or a root");
  isChild[child] = true;
  return child;
}

static void readLeaves(Node &node, Forest &forest, int64_t targets) {
  Type element;
  SmallVector<double> weights = tensorNumbers(node, "leaf_weights", element);
  if (weights.empty())
    node.refuse("attribute 'leaf_weights' is missing, expected the weight of each leaf");
  Integers ids = listOf(node, "leaf_targetids", weights.size(), "leaves");
  for (auto [id, weight] : llvm::zip(ids, weights)) {
    if (id < 0 || id >= targets)
      node.refuse("leaf_targetids has the element " + Twine(id) + ", expected 0 to " + Twine(targets - 1));
    forest.leaves.push_back({{id, weight}});
  }
}

static Forest readNumbered(Node &node, int64_t features) {
  Forest forest;
  forest.targets = countOf(node, "n_targets", 1, 1);
  readLeaves(node, forest, forest.targets);
  Type element;
  SmallVector<double> splits = tensorNumbers(node, "nodes_splits", element),
                      modes = tensorNumbers(node, "nodes_modes", element);
  int64_t count = splits.size();
  expectCount(node, "nodes_modes", modes.size(), count, "the number of nodes");
  auto list = [&](StringRef name) { return listOf(node, name, count, "nodes"); };
  Integers feature = list("nodes_featureids"), onTrue = list("nodes_truenodeids"), onFalse = list("nodes_falsenodeids");
  Integers trueIsLeaf = list("nodes_trueleafs"), falseIsLeaf = list("nodes_falseleafs"), missing(count, 0);
  if (node.hasAttribute("nodes_missing_value_tracks_true"))
    missing = list("nodes_missing_value_tracks_true");
  std::vector<bool> isChild(count);
  for (int64_t root : node.integers("tree_roots"))
    forest.roots.push_back(positionOf(node, "tree_roots", root, false, forest, isChild));
  if (forest.roots.empty())
    node.refuse("attribute 'tree_roots' is missing, expected the root of each tree");
  for (int64_t i = 0; i < count && !node.failed(); ++i) {
    if (!(modes[i] >= 0 && modes[i] <= 6))
      node.refuse("nodes_modes has the element " + Twine(int64_t(modes[i])) + ", expected 0 to 6");
    if (feature[i] < 0 || feature[i] >= features)
      node.refuse("nodes_featureids has the element " + Twine(feature[i]) + ", expected 0 to " + Twine(features - 1));
    forest.branches.push_back({BranchMode(int(modes[i])), feature[i], splits[i], missing[i] != 0,
                               positionOf(node, "nodes_truenodeids", onTrue[i], trueIsLeaf[i], forest, isChild),
                               // A tree that is a leaf is a branch whose sides are that leaf.
                               positionOf(node, "nodes_falsenodeids", onFalse[i], falseIsLeaf[i], forest, isChild)});
  }
  if (!node.failed())
    readMembers(node, forest);
  refuseCycles(node, forest);
  return forest;
}

static void treeEnsemble(Node &node) {
  Value x = featuresOf(node);
  int64_t aggregate = node.integer("aggregate_function", 1), transform = node.integer("post_transform", 0);
  if (aggregate < 0 || aggregate > 3)
    node.refuse("aggregate_function is " + Twine(aggregate) + ", expected 0 (average), 1 (sum), 2 (min) or 3 (max)");
  if (transform < 0 || transform > 4)
    node.refuse("post_transform is " + Twine(transform) +
                ", expected 0 (none), 1 (softmax), 2 (logistic), 3 (softmax_zero) or 4 (probit)");
  if (node.failed())
    return;
  Forest forest = readNumbered(node, columnsOf(x));
  refuseMissingWeights(node, forest, Aggregate(aggregate));
  if (node.failed())
    return;
  Value sums = sumForest(node, forest, x, Aggregate(aggregate));
  node.set(0, node.convert(transformed(node, PostTransform(transform), sums), node.element(0)));
}

void onnximport::addTrees(Converters &converters) {
  std::string nodes =
      "nodes_falsenodeids,nodes_featureids,nodes_hitrates,nodes_hitrates_as_tensor,nodes_missing_value_tracks_true,"
      "nodes_modes,nodes_nodeids,nodes_treeids,nodes_truenodeids,nodes_values,nodes_values_as_tensor,"
      "base_values,base_values_as_tensor,post_transform,";
  static const std::string kRegressor = nodes +
                                        "aggregate_function,n_targets,target_ids,target_nodeids,target_treeids,target_weights,"
                                        "target_weights_as_tensor";
  static const std::string kClassifier = nodes + "class_ids,class_nodeids,class_treeids,class_weights,class_weights_as_tensor,"
                                                 "classlabels_int64s,classlabels_strings";
  addLearner(converters, "TreeEnsembleRegressor", {treeRegressor, 1, 1, kRegressor});
  addLearner(converters, "TreeEnsembleClassifier", {treeClassifier, 1, 1, kClassifier});
  addLearner(converters, "TreeEnsemble",
             {treeEnsemble, 1, 1,
              "aggregate_function,leaf_targetids,leaf_weights,membership_values,n_targets,nodes_falseleafs,nodes_falsenodeids,"
              "nodes_featureids,nodes_hitrates,nodes_missing_value_tracks_true,nodes_modes,nodes_splits,nodes_trueleafs,"
              "nodes_truenodeids,post_transform,tree_roots"});
}
