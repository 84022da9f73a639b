// Ops of Shardy. An annotation says where a compiler for several devices should keep a value, and changes no value: it is
// removed. A manual computation is a program for each device of a mesh, as shard_map writes it. On a mesh of one device it is
// inlined, and a collective op whose groups have one device each returns its operands.
#include "dialects/StableHLO/Shardy.h"
#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

static void annotation(HloNode &node) { node.set(node.operandRange(0, node.results())); }

/// Returns the axes of the mesh that shardings name, such as `'x' of 4`, without those of one device; nullopt if there is no
/// such mesh.
static std::optional<SmallVector<std::string>> wideAxes(HloNode &node, StringRef shardings) {
  StringRef name = shardings.split('@').second;
  name = name.take_until([](char letter) { return letter == ',' || letter == '>'; }).trim(" \"");
  Operation *mesh = node.program.symbols.lookup(name);
  if (!mesh || mesh->getName().getStringRef() != "sdy.mesh")
    return std::nullopt;
  SmallVector<std::string> wide;
  for (auto &[axis, size] : sdy::axesOf(mesh))
    if (size != 1)
      wide.push_back("'" + axis + "' of " + std::to_string(size));
  return wide;
}

static void manualComputation(HloNode &node) {
  std::string shardings = sdy::textOf(node.op, "in_shardings") + sdy::textOf(node.op, "out_shardings");
  std::optional<SmallVector<std::string>> wide = wideAxes(node, shardings);
  if (!wide)
    return node.refuse("its shardings name no mesh of the program");
  if (!wide->empty())
    return node.refuse("the program is written for each device of a mesh with the axes " + llvm::join(*wide, ", ") +
                       ", as shard_map writes it; write it without shard_map, and divide it with --shard or --shard-variable "
                       "(docs/ranks.md)");
  node.set(node.inlineRegion(node.op->getRegion(0), node.operandRange(0, node.operands())));
}

static void refuseDevices(HloNode &node) {
  node.refuse("collectives of several devices are not supported; write the program for one device, and divide it with --shard "
              "or --shard-variable (docs/ranks.md)");
}

/// Converts a collective op among groups of one device.
static void collective(HloNode &node) {
  auto groups = node.op->getAttrOfType<DenseIntElementsAttr>("replica_groups");
  if (!groups || groups.getType().getRank() != 2 || groups.getType().getDimSize(1) != 1)
    return refuseDevices(node);
  node.set(node.operandRange(0, node.operands()));
}

/// Converts the exchange of values that a device sends to itself.
static void collectivePermute(HloNode &node) {
  auto pairs = node.op->getAttrOfType<DenseIntElementsAttr>("source_target_pairs");
  if (!pairs || pairs.getNumElements() != 2 || *pairs.value_begin<APInt>() != *std::next(pairs.value_begin<APInt>()))
    return refuseDevices(node);
  node.set(node.operandRange(0, node.operands()));
}

/// Converts the number of a device to 0 if the program is for one device.
static void deviceNumber(HloNode &node) {
  StringRef name = node.op->getName().getStringRef() == "stablehlo.partition_id" ? "mhlo.num_partitions" : "mhlo.num_replicas";
  auto count = node.op->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(name);
  if (count && count.getInt() != 1)
    return refuseDevices(node);
  node.set(0, node.constantInt(0, node.resultElement()));
}

void hloimport::addShardings(Converters &converters) {
  for (StringRef name : {"sdy.sharding_constraint", "sdy.reshard", "sdy.propagation_barrier", "sdy.sharding_group"})
    converters[name] = annotation;
  converters["sdy.manual_computation"] = manualComputation;
  converters["sdy.return"] = annotation; // its operands are the region's results
  for (StringRef name : {"stablehlo.all_gather", "stablehlo.all_reduce", "stablehlo.all_to_all", "stablehlo.reduce_scatter"})
    converters[name] = collective;
  converters["stablehlo.collective_permute"] = collectivePermute;
  converters["stablehlo.partition_id"] = converters["stablehlo.replica_id"] = deviceNumber;
}
