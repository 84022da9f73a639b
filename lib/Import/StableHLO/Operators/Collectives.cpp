// Collective ops among the devices of a program, which become Lathe's among ranks. StableHLO lists the devices of each group;
// Lathe names an axis, so that groups must be the devices that differ along some axes of the program's mesh.
#include "lib/Import/StableHLO/Operators/Bodies.h"
#include "lib/Import/StableHLO/Operators/Ranks.h"
#include "lib/Support/TypeText.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

// ---- Exchanges along several axes

int64_t hloimport::sizeOf(Axes axes) {
  int64_t size = 1;
  for (const MeshAxis *axis : axes)
    size *= axis->size;
  return size;
}

Value hloimport::numberAlong(HloNode &node, Axes axes) {
  Value number;
  for (const MeshAxis *axis : axes) {
    Value index = emitAlong<AxisIndexOp>(node, *axis, {});
    if (number)
      index = node.emit<AddOp>({node.emit<MulOp>({number, node.constantInt(axis->size, node.i64())}), index});
    number = index;
  }
  return number ? number : node.constantInt(0, node.i64());
}

Value hloimport::gatherAlong(HloNode &node, Value value, int64_t dim, Axes axes) {
  for (const MeshAxis *axis : llvm::reverse(axes))
    value = emitAlong<AllGatherOp>(node, *axis, value, node.number("dim", dim));
  return value;
}

Value hloimport::partAlong(HloNode &node, Value value, int64_t dim, Axes axes) {
  int64_t parts = sizeOf(axes);
  if (axes.empty() || node.failed())
    return value;
  Dims sizes = dimsOfValue(value);
  std::optional<Dim> part = dim < int64_t(sizes.size()) ? sizes[dim].dividedBy(parts) : std::nullopt;
  if (!part || !part->isStatic()) {
    node.refuse(Twine(parts) + " ranks do not divide dimension " + Twine(dim) + " of " + typeText(value.getType()));
    return {};
  }
  sizes[dim] = *part;
  SmallVector<Value> operands{value};
  for (int64_t i = 0; i < int64_t(sizes.size()); ++i)
    operands.push_back(node.constantInt(0, node.i64()));
  operands[1 + dim] = node.emit<MulOp>({numberAlong(node, axes), node.constantInt(part->constant(), node.i64())});
  return node.emit<DynamicSliceOp>(operands, node.shape("sizes", sizes));
}

// ---- Groups of devices

/// Returns pointers to all axes of the mesh.
static SmallVector<const MeshAxis *> allAxes(const Mesh &mesh) {
  return llvm::map_to_vector(mesh.axes, [](const MeshAxis &axis) { return &axis; });
}

/// Returns a device's index along an axis.
static int64_t indexOf(int64_t device, const MeshAxis &axis) { return device / axis.stride % axis.size; }

namespace {
/// The groups of devices of a collective.
struct Groups {
  SmallVector<const MeshAxis *> axes; // along which the devices of a group differ, the one that counts slowest first
  SmallVector<Integers> lists;
};
} // namespace

/// Returns the axes along which the devices of a group differ, by how soon they do.
static SmallVector<const MeshAxis *> axesOf(ArrayRef<int64_t> group, const Mesh &mesh) {
  SmallVector<const MeshAxis *> axes;
  for (int64_t device : group.drop_front())
    for (const MeshAxis &axis : llvm::reverse(mesh.axes))
      if (indexOf(device, axis) != indexOf(group[0], axis) && !llvm::is_contained(axes, &axis))
        axes.insert(axes.begin(), &axis);
  return axes;
}

/// True if the group has the devices that differ along the axes, in the order in which these count.
static bool isAlong(ArrayRef<int64_t> group, Axes axes) {
  if (int64_t(group.size()) != sizeOf(axes))
    return false;
  for (auto [place, device] : llvm::enumerate(group)) {
    int64_t expected = group[0], rest = place;
    for (const MeshAxis *axis : llvm::reverse(axes)) {
      expected += (rest % axis->size - indexOf(group[0], *axis)) * axis->stride;
      rest /= axis->size;
    }
    if (device != expected)
      return false;
  }
  return true;
}

/// Reads the groups of devices; all devices if there are none. Refuses other groups than those along axes. With `isAnyOrder`,
/// the devices of a group may come in any order, and `axes` are in the mesh's order.
static Groups readGroups(HloNode &node, bool isAnyOrder = false) {
  const Mesh &mesh = node.program.mesh;
  Groups groups;
  auto refuse = [&](const Twine &reason) {
    node.refuse(reason);
    return Groups();
  };
  auto given = node.op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
  if (!given || given.getType().getRank() != 2)
    return refuse("expected 'replica_groups' as lists of devices");
  int64_t size = given.getType().getDimSize(1);
  if (size == 1)
    return groups; // each device has a group of its own
  if (!mesh.problem.empty())
    return refuse(mesh.problem);
  for (auto [i, number] : llvm::enumerate(given.getValues<APInt>())) {
    int64_t device = number.getSExtValue();
    if (device < 0 || device >= mesh.size())
      return refuse("'replica_groups' has device " + Twine(device) + ", but the program is for " + Twine(mesh.size()) +
                    (mesh.size() == 1 ? " device" : " devices"));
    if (i % size == 0)
      groups.lists.emplace_back();
    groups.lists.back().push_back(device);
  }
  if (groups.lists.empty())
    groups.lists.push_back(range(0, mesh.size()));
  auto sorted = [&](Integers group) {
    if (isAnyOrder)
      llvm::sort(group);
    return group;
  };
  groups.axes = axesOf(sorted(groups.lists[0]), mesh);
  bool isComplete = int64_t(groups.lists.size()) * sizeOf(groups.axes) == mesh.size();
  if (!isComplete || !llvm::all_of(groups.lists, [&](const Integers &group) { return isAlong(sorted(group), groups.axes); }))
    return refuse("'replica_groups' are not the devices that differ along axes of the mesh; expected such groups, in the order "
                  "of their indices");
  return groups;
}

// ---- Ops

static NamedAttribute kindAttr(HloNode &node, CollectiveKind kind) {
  return node.getBuilder().getNamedAttr("kind", CollectiveKindAttr::get(node.getContext(), kind));
}

/// Returns the kind of a collective that combines values by a body; nullopt if Lathe has none.
static std::optional<CollectiveKind> kindOf(Region &body, Type element) {
  if (!element || element.isInteger(1))
    return std::nullopt;
  return llvm::StringSwitch<std::optional<CollectiveKind>>(combinerOf(body))
      .Case("add", CollectiveKind::Sum)
      .Case("maximum", CollectiveKind::Max)
      .Case("minimum", CollectiveKind::Min)
      .Default(std::nullopt);
}

/// Combines the values of all ranks along the axes by any body: gathers and combines them.
static Value combineByBody(HloNode &node, Value value, Region &body, Axes axes) {
  Dims rest = dimsOfValue(value), one{Dim(1)};
  one.append(rest);
  Value all = gatherAlong(node, node.reshape(value, one), 0, axes);
  SmallVector<Value> combined = reduceByTree(node, body, {all}, sizeOf(axes), rest);
  return node.failed() || combined.empty() ? Value() : combined[0];
}

static bool hasBody(HloNode &node) {
  if (node.op->getNumRegions() != 1 || !node.op->getRegion(0).hasOneBlock())
    node.refuse("expected a body that combines two values");
  else if (node.operands() != node.results())
    node.refuse("expected a result for each operand");
  return !node.failed();
}

static void allReduce(HloNode &node) {
  Groups groups = readGroups(node);
  if (node.failed() || !hasBody(node))
    return;
  Region &body = node.op->getRegion(0);
  for (unsigned i = 0; i < node.operands(); ++i) {
    Value value = node.operand(i);
    std::optional<CollectiveKind> kind = kindOf(body, node.element(i));
    if (!kind)
      value = combineByBody(node, value, body, groups.axes);
    else
      for (const MeshAxis *axis : llvm::reverse(groups.axes))
        value = emitAlong<AllReduceOp>(node, *axis, value, kindAttr(node, *kind));
    node.set(i, value);
  }
}

static void reduceScatter(HloNode &node) {
  Groups groups = readGroups(node);
  if (node.failed() || !hasBody(node))
    return;
  Region &body = node.op->getRegion(0);
  int64_t dim = node.integer("scatter_dimension");
  for (unsigned i = 0; i < node.operands(); ++i) {
    Value value = node.operand(i);
    std::optional<CollectiveKind> kind = kindOf(body, node.element(i));
    if (!kind)
      value = partAlong(node, combineByBody(node, value, body, groups.axes), dim, groups.axes);
    else
      for (const MeshAxis *axis : groups.axes)
        value = emitAlong<ReduceScatterOp>(node, *axis, value, {kindAttr(node, *kind), node.number("dim", dim)});
    node.set(i, value);
  }
}

static void allGather(HloNode &node) {
  Groups groups = readGroups(node);
  for (unsigned i = 0; i < node.operands() && !node.failed(); ++i)
    node.set(i, gatherAlong(node, node.operand(i), node.integer("all_gather_dim"), groups.axes));
}

/// Exchanges parts along several axes: the parts become dimensions of their own, each of which is exchanged along its axis.
static Value exchangeParts(HloNode &node, Value value, int64_t split, int64_t concat, Axes axes) {
  if (axes.size() == 1)
    return emitAlong<AllToAllOp>(node, *axes[0], value, {node.number("split", split), node.number("concat", concat)});
  Dims dims = dimsOfValue(value), cut(dims);
  std::optional<Dim> part = dims[split].dividedBy(sizeOf(axes));
  if (!part) {
    node.refuse(Twine(sizeOf(axes)) + " ranks do not divide dimension " + Twine(split) + " of " + typeText(value.getType()));
    return {};
  }
  int64_t count = axes.size();
  cut[split] = *part;
  for (const MeshAxis *axis : llvm::reverse(axes))
    cut.insert(cut.begin() + split, Dim(axis->size));
  value = node.reshape(value, cut);
  for (auto [i, axis] : llvm::enumerate(axes))
    value = emitAlong<AllToAllOp>(node, *axis, value, {node.number("split", split + i), node.number("concat", split + i)});
  // Now these dimensions count the senders, whose parts follow one another along `concat`.
  Integers order;
  for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim) {
    if (dim == concat)
      for (int64_t i = 0; i < count; ++i)
        order.push_back(split + i);
    order.push_back(dim < split ? dim : dim + count);
  }
  dims[split] = *part;
  dims[concat] = dims[concat] * Dim(sizeOf(axes));
  return node.reshape(node.transpose(value, order), dims);
}

static void allToAll(HloNode &node) {
  Groups groups = readGroups(node);
  int64_t split = node.integer("split_dimension"), concat = node.integer("concat_dimension");
  for (unsigned i = 0; i < node.operands() && !node.failed(); ++i) {
    if (split < 0 || concat < 0 || split >= node.rank(i) || concat >= node.rank(i))
      return node.refuse("'split_dimension' and 'concat_dimension' must be dimensions of " +
                         typeText(node.operand(i).getType()));
    node.set(i, groups.axes.empty() ? node.operand(i) : exchangeParts(node, node.operand(i), split, concat, groups.axes));
  }
}

static void collectiveBroadcast(HloNode &node) {
  Groups groups = readGroups(node, /*isAnyOrder=*/true);
  Value value = node.operand(0);
  for (const MeshAxis *axis : groups.axes) {
    int64_t root = indexOf(groups.lists[0][0], *axis); // the first device of a group has the value
    if (llvm::any_of(groups.lists, [&](const Integers &group) { return indexOf(group[0], *axis) != root; }))
      return node.refuse("the first devices of 'replica_groups' differ along '" + axis->name + "'; expected the same index");
    value = emitAlong<CollectiveBroadcastOp>(node, *axis, value, node.number("root", root));
  }
  node.set(0, value);
}

// ---- Permutations

/// For each device the one whose value it receives; -1 if it receives zeros.
static Integers readSources(HloNode &node) {
  const Mesh &mesh = node.program.mesh;
  Integers sources(mesh.size(), -1);
  auto pairs = node.op->getAttrOfType<DenseIntElementsAttr>("source_target_pairs");
  if (!pairs || pairs.getType().getRank() != 2 || (pairs.getNumElements() && pairs.getType().getDimSize(1) != 2)) {
    node.refuse("expected 'source_target_pairs' as pairs of devices");
    return sources;
  }
  Integers numbers(llvm::map_range(pairs.getValues<APInt>(), [](const APInt &value) { return value.getSExtValue(); }));
  for (size_t i = 0; i < numbers.size(); i += 2) {
    int64_t source = numbers[i], target = numbers[i + 1];
    if (std::min(source, target) < 0 || std::max(source, target) >= mesh.size() || sources[target] >= 0) {
      node.refuse("'source_target_pairs' sends from " + Twine(source) + " to " + Twine(target) + "; expected devices below " +
                  Twine(mesh.size()) + ", and each target once");
      return sources;
    }
    sources[target] = source;
  }
  return sources;
}

/// Returns how far a value travels to its target along each axis.
static Integers shiftsOf(const Mesh &mesh, int64_t source, int64_t target) {
  return Integers(llvm::map_range(mesh.axes, [&](const MeshAxis &axis) {
    return (indexOf(target, axis) - indexOf(source, axis) + axis.size) % axis.size;
  }));
}

/// Moves all values by the same shifts. Each target takes what came by its own ones, or keeps zeros.
static void collectivePermute(HloNode &node) {
  const Mesh &mesh = node.program.mesh;
  if (!mesh.problem.empty())
    return node.refuse(mesh.problem);
  Integers sources = readSources(node);
  if (node.failed())
    return;
  std::map<Integers, Integers, std::less<>> targets; // by shifts: for each device whether it takes what comes by them
  for (auto [target, source] : llvm::enumerate(sources))
    if (source >= 0)
      targets.try_emplace(shiftsOf(mesh, source, target), mesh.size(), 0).first->second[target] = 1;
  Value operand = node.operand(0), result, number;
  Dims shape = node.dims(0);
  for (auto &[shifts, takes] : targets) {
    Value moved = operand;
    for (auto [axis, shift] : llvm::zip(mesh.axes, shifts))
      if (shift)
        moved = emitAlong<CollectivePermuteOp>(node, axis, moved, node.number("shift", shift));
    if (!llvm::is_contained(takes, 0))
      return node.set(0, moved);
    if (!result)
      result = node.broadcast(node.zero(node.element(0)), {}, shape);
    if (!number)
      number = numberAlong(node, allAxes(mesh));
    Value isTaken = node.gather(node.constants(takes, {mesh.size()}, node.i1()), number, 0);
    result = node.emit<SelectOp>({node.broadcast(isTaken, {}, shape), moved, result});
  }
  node.set(0, result ? result : node.broadcast(node.zero(node.element(0)), {}, shape));
}

// ---- Numbers of devices

static void partitionNumber(HloNode &node) {
  const Mesh &mesh = node.program.mesh;
  if (!mesh.problem.empty())
    return node.refuse(mesh.problem);
  bool isNumber = mesh.isReplicas == (node.op->getName().stripDialect() == "replica_id");
  Value number = isNumber ? numberAlong(node, allAxes(mesh)) : node.constantInt(0, node.i64());
  node.set(0, node.convert(number, node.resultElement()));
}

void hloimport::addCollectives(Converters &converters) {
  converters["stablehlo.all_reduce"] = allReduce;
  converters["stablehlo.reduce_scatter"] = reduceScatter;
  converters["stablehlo.all_gather"] = allGather;
  converters["stablehlo.all_to_all"] = allToAll;
  converters["stablehlo.collective_broadcast"] = collectiveBroadcast;
  converters["stablehlo.collective_permute"] = collectivePermute;
  converters["stablehlo.partition_id"] = converters["stablehlo.replica_id"] = partitionNumber;
}
