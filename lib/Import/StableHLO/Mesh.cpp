#include "lib/Import/StableHLO/Mesh.h"
#include "lib/Support/Text.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

/// Returns the axes with their strides, without those of one device.
static SmallVector<MeshAxis> wideAxes(ArrayRef<std::pair<std::string, int64_t>> all) {
  SmallVector<MeshAxis> axes;
  int64_t stride = 1;
  for (const auto &[name, size] : llvm::reverse(all)) {
    if (size != 1)
      axes.push_back({name, size, stride});
    stride *= size;
  }
  std::reverse(axes.begin(), axes.end());
  return axes;
}

/// Returns a number of replicas or partitions; 1 if the program does not say.
static int64_t countOf(ModuleOp source, StringRef name) {
  auto count = source->getAttrOfType<IntegerAttr>(name);
  return count ? count.getInt() : 1;
}

Mesh::Mesh(ModuleOp source) {
  auto fails = [&](const Twine &text) { problem = problem.empty() ? text.str() : problem; };
  for (Operation &op : *source.getBody()) {
    if (op.getName().getStringRef() != "sdy.mesh")
      continue;
    SmallVector<MeshAxis> wide = wideAxes(sdy::axesOf(&op));
    if (wide.empty())
      continue;
    auto isSame = [](const MeshAxis &a, const MeshAxis &b) { return a.name == b.name && a.size == b.size; };
    if (!axes.empty() && !llvm::equal(axes, wide, isSame))
      fails("the program has several meshes of devices; expected one");
    if (StringRef(sdy::textOf(&op, "mesh")).contains("device_ids"))
      fails("the mesh has an order of devices of its own; expected device_ids in ascending order, as JAX leaves them out");
    axes = wide;
  }
  int64_t replicas = countOf(source, "mhlo.num_replicas"), partitions = countOf(source, "mhlo.num_partitions");
  bool isNamed = !axes.empty();
  if (replicas != 1 && (isNamed || partitions != 1))
    fails("the program has " + Twine(replicas) + " replicas of " + Twine(isNamed ? size() : partitions) +
          " partitions; expected replicas or partitions");
  if (isNamed && source->hasAttr("mhlo.num_partitions") && partitions != size())
    fails("the mesh has " + Twine(size()) + " devices, but the program is for " + Twine(partitions));
  if (!isNamed && replicas * partitions != 1) {
    isReplicas = partitions == 1;
    axes = {{isReplicas ? "replica" : "partition", isReplicas ? replicas : partitions, 1}};
  }
  for (const MeshAxis &axis : axes)
    if (axis.name.empty() || toCIdentifier(axis.name) != axis.name)
      fails("the axis '" + axis.name + "' of the mesh has no name that C allows; expected letters, digits and '_'");
}

const MeshAxis *Mesh::find(StringRef name) const {
  auto found = llvm::find_if(axes, [&](const MeshAxis &axis) { return axis.name == name; });
  return found == axes.end() ? nullptr : found;
}

int64_t Mesh::size() const {
  int64_t count = 1;
  for (const MeshAxis &axis : axes)
    count *= axis.size;
  return count;
}

// ---- Divisions

std::optional<SmallVector<Division>> hloimport::divisionsOf(Operation *manual, StringRef attribute, const Mesh &mesh) {
  std::optional<SmallVector<sdy::Sharding>> shardings = sdy::shardingsOf(manual, attribute);
  if (!shardings)
    return std::nullopt;
  auto module = manual->getParentOfType<ModuleOp>();
  SmallVector<std::string> axes = sdy::axisNames(manual, "manual_axes");
  SmallVector<Division> divisions;
  for (const sdy::Sharding &sharding : *shardings) {
    Operation *found = SymbolTable::lookupSymbolIn(module, sharding.mesh);
    if (!found || found->getName().getStringRef() != "sdy.mesh")
      return std::nullopt;
    Division &division = divisions.emplace_back();
    for (ArrayRef<std::string> names : sharding.dims) {
      auto &dim = division.emplace_back();
      for (const std::string &name : names)
        if (const MeshAxis *axis = mesh.find(name); axis && llvm::is_contained(axes, name))
          dim.push_back(axis);
    }
  }
  return divisions;
}

bool hloimport::isDivided(const Division &division) {
  return llvm::any_of(division, [](const auto &axes) { return !axes.empty(); });
}

RankedTensorType hloimport::blockOf(RankedTensorType whole, const Division &division) {
  SmallVector<int64_t> shape(whole.getShape());
  for (auto [dim, axes] : llvm::enumerate(division))
    for (const MeshAxis *axis : axes) {
      if (dim >= shape.size() || whole.isDynamicDim(dim) || shape[dim] % axis->size)
        return {};
      shape[dim] /= axis->size;
    }
  return RankedTensorType::get(shape, whole.getElementType());
}

// ---- Blocks

namespace {
/// Joins the values that calls and annotations pass on, and collects how manual computations divide them.
class BlockFinder {
public:
  BlockFinder(const Mesh &mesh, const SymbolTable &symbols) : mesh(mesh), symbols(symbols) {}
  Blocks run(ModuleOp source);

private:
  void join(Value a, Value b) { same.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer()); }
  void join(Operation *op);
  /// Returns the block that a call stands for; null for other ops, and for calls of functions with derivatives of their own.
  Block *calledBlock(Operation *op);
  void collect(Operation *op);
  void divide(ValueRange values, Operation *manual, StringRef attribute);
  void makeWhole(ValueRange values);
  const void *leaderOf(Value value) {
    const void *key = value.getAsOpaquePointer();
    same.insert(key);
    return same.getLeaderValue(key);
  }

  const Mesh &mesh;
  const SymbolTable &symbols;
  llvm::EquivalenceClasses<const void *> same;
  llvm::DenseMap<const void *, Division> divisions; // by the leaders
  llvm::DenseSet<const void *> whole;
};
} // namespace

/// True for an annotation of a value, which has the value as its result.
static bool isAnnotation(Operation *op) {
  return op->getName().getDialectNamespace() == "sdy" && op->getNumOperands() == 1 && op->getNumResults() == 1 &&
         op->getNumRegions() == 0;
}

Block *BlockFinder::calledBlock(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  if (!call || call.getCallee().starts_with("lathe.custom_gradient."))
    return nullptr;
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  return callee && callee.getBody().hasOneBlock() ? &callee.getBody().front() : nullptr;
}

void BlockFinder::join(Operation *op) {
  if (isAnnotation(op))
    return join(op->getOperand(0), op->getResult(0));
  Block *body = calledBlock(op);
  if (!body)
    return;
  for (auto [operand, argument] : llvm::zip(op->getOperands(), body->getArguments()))
    join(operand, argument);
  for (auto [result, returned] : llvm::zip(op->getResults(), body->getTerminator()->getOperands()))
    join(result, returned);
}

void BlockFinder::divide(ValueRange values, Operation *manual, StringRef attribute) {
  std::optional<SmallVector<Division>> found = divisionsOf(manual, attribute, mesh);
  if (!found || found->size() != values.size())
    return makeWhole(values);
  for (auto [value, division] : llvm::zip(values, *found)) {
    auto [place, isNew] = divisions.try_emplace(leaderOf(value), division);
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!isDivided(division) || (!isNew && place->second != division) || !type || !blockOf(type, division))
      makeWhole(value);
  }
}

void BlockFinder::makeWhole(ValueRange values) {
  for (Value value : values)
    whole.insert(leaderOf(value));
}

void BlockFinder::collect(Operation *op) {
  if (op->getName().getStringRef() == "sdy.manual_computation") {
    divide(op->getOperands(), op, "in_shardings");
    divide(op->getResults(), op, "out_shardings");
    for (Region &region : op->getRegions())
      makeWhole(region.getArguments());
  } else if (!isa<func::ReturnOp>(op) && !isAnnotation(op) && !calledBlock(op)) {
    makeWhole(op->getOperands());
    makeWhole(op->getResults());
  }
}

Blocks BlockFinder::run(ModuleOp source) {
  source.walk([&](Operation *op) { join(op); });
  source.walk([&](Operation *op) { collect(op); });
  Blocks blocks;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (auto division = divisions.find(leaderOf(value)); division != divisions.end() && !whole.contains(division->first))
        blocks.try_emplace(value, division->second);
  };
  source.walk([&](Operation *op) {
    add(op->getResults());
    for (Region &region : op->getRegions())
      add(region.getArguments());
  });
  return blocks;
}

Blocks hloimport::findBlocks(ModuleOp source, const Mesh &mesh, const SymbolTable &symbols) {
  return mesh.axes.empty() || !mesh.problem.empty() ? Blocks() : BlockFinder(mesh, symbols).run(source);
}
