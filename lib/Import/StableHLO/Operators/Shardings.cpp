// Ops of Shardy. An annotation says where a compiler for several devices should keep a value, and changes no value: it is
// removed. A manual computation is a program for each device of a mesh, as shard_map writes it: it is inlined as what each rank
// computes. Around it each rank has whole values, of which it takes its block and to which it gathers the blocks of all, but
// for those that only manual computations read and make (findBlocks).
#include "lib/Import/StableHLO/Operators/Ranks.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

static void annotation(HloNode &node) { node.set(node.operandRange(0, node.results())); }

/// Returns the divisions that an attribute gives so many values; refuses the op if it does not.
static SmallVector<Division> readDivisions(HloNode &node, StringRef attribute, unsigned count) {
  std::optional<SmallVector<Division>> found = divisionsOf(node.op, attribute, node.program.mesh);
  if (!found)
    node.refuse("'" + attribute +
                "' must be a list of shardings by whole axes of a mesh of the program, such as "
                "[<@mesh, [{\"x\"}, {}]>]");
  else if (found->size() != count)
    node.refuse("'" + attribute + "' has " + Twine(found->size()) + " shardings, expected " + Twine(count));
  return node.failed() ? SmallVector<Division>(count) : *found;
}

/// True if the value has the type of a block already: it is one, or nothing divides it.
static bool isBlock(Value value, Value argument) {
  return cast<ShapedType>(value.getType()).getShape() == cast<ShapedType>(argument.getType()).getShape();
}

static void manualComputation(HloNode &node) {
  const Mesh &mesh = node.program.mesh;
  if (!mesh.problem.empty())
    return node.refuse(mesh.problem);
  SmallVector<Division> in = readDivisions(node, "in_shardings", node.operands()),
                        out = readDivisions(node, "out_shardings", node.results());
  Region &body = node.op->getRegion(0);
  if (!node.failed() && (!body.hasOneBlock() || body.getNumArguments() != node.operands()))
    node.refuse("a region must have one block with " + Twine(node.operands()) + " arguments");
  if (node.failed())
    return;
  SmallVector<Value> arguments = node.operandRange(0, node.operands());
  for (auto [value, argument, division] : llvm::zip(arguments, body.getArguments(), in))
    if (!isBlock(value, argument))
      for (auto [dim, axes] : llvm::enumerate(division))
        value = partAlong(node, value, dim, axes);
  SmallVector<Value> results = node.inlineRegion(body, arguments);
  if (node.failed())
    return;
  for (auto [i, result] : llvm::enumerate(node.op->getResults()))
    if (i < results.size() && !node.program.blocks.contains(result))
      for (auto [dim, axes] : llvm::enumerate(out[i]))
        results[i] = gatherAlong(node, results[i], dim, axes);
  node.set(results);
}

void hloimport::addShardings(Converters &converters) {
  for (StringRef name : {"sdy.sharding_constraint", "sdy.reshard", "sdy.propagation_barrier", "sdy.sharding_group"})
    converters[name] = annotation;
  converters["sdy.manual_computation"] = manualComputation;
  converters["sdy.return"] = annotation; // its operands are the region's results
}
