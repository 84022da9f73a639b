// Branches and loops.
#include "dialects/Lathe/IR/Control.h"
#include "lib/Import/StableHLO/Operators/Bodies.h"
#include "lib/Import/StableHLO/Operators/Loops.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

/// Emits a branch between regions without arguments.
static SmallVector<Value> emitIf(HloNode &node, Value predicate, function_ref<SmallVector<Value>()> taken,
                                 function_ref<SmallVector<Value>()> otherwise) {
  OpBuilder &builder = node.getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  OpBuilder::InsertPoint here = builder.saveInsertionPoint();
  Block blocks[2]; // outside of the op, whose result types are those of the branches
  SmallVector<Value> ends[2];
  for (int i : {0, 1}) {
    builder.setInsertionPointToEnd(&blocks[i]);
    ends[i] = i ? otherwise() : taken();
  }
  if (!node.failed() && ValueRange(ends[0]).getTypes() != ValueRange(ends[1]).getTypes())
    node.refuse("the branches return different types");
  if (node.failed() || llvm::is_contained(ends[0], Value()))
    return {};
  builder.restoreInsertionPoint(here);
  auto op = IfOp::create(builder, node.op->getLoc(), ValueRange(ends[0]).getTypes(), predicate, ValueRange());
  moveInto(blocks[0], op.getTaken().front(), ends[0]);
  moveInto(blocks[1], op.getOtherwise().front(), ends[1]);
  closeRegions(op);
  return SmallVector<Value>(op.getResults());
}

static void branch(HloNode &node) {
  MutableArrayRef<Region> regions = node.op->getRegions();
  auto take = [&](int i) { return node.inlineRegion(regions[i], {}); };
  Value predicate = node.operand(0);
  if (rankOf(predicate) != 0 || !elementOfValue(predicate).isInteger(1))
    return node.refuse("the predicate must be a tensor<i1>");
  if (std::optional<int64_t> known = integerOf(predicate))
    return node.set(take(*known ? 0 : 1));
  node.set(emitIf(node, predicate, [&] { return take(0); }, [&] { return take(1); }));
}

/// Selects among the branches from `first` on; an index out of range selects the last one.
static SmallVector<Value> select(HloNode &node, Value index, unsigned first) {
  MutableArrayRef<Region> regions = node.op->getRegions();
  if (first + 1 == regions.size())
    return node.inlineRegion(regions[first], {});
  Value isFirst = node.compare(CompareKind::EQ, index, node.constantInt(first, elementOfValue(index)));
  return emitIf(
      node, isFirst, [&] { return node.inlineRegion(regions[first], {}); }, [&] { return select(node, index, first + 1); });
}

static void branchByIndex(HloNode &node) {
  int64_t branches = node.op->getNumRegions();
  Value index = node.operand(0);
  if (rankOf(index) != 0 || branches == 0)
    return node.refuse("expected a scalar index and a branch");
  if (std::optional<int64_t> known = integerOf(index))
    return node.set(node.inlineRegion(node.op->getRegion(*known >= 0 && *known < branches ? *known : branches - 1), {}));
  node.set(select(node, index, 0));
}

/// Emits a loop whose condition is data.
static void loop(HloNode &node) {
  OpBuilder &builder = node.getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> first = node.operandRange(0, node.operands());
  if (first.empty())
    return node.refuse("a loop needs a value that its steps change");
  auto op = WhileOp::create(builder, node.op->getLoc(), ValueRange(), first);
  Block &condition = op.getCondition().front(), &body = op.getBody().front();
  builder.setInsertionPointToEnd(&condition);
  SmallVector<Value> go = node.inlineRegion(node.op->getRegion(0), condition.getArguments());
  if (node.failed() || go.size() != 1)
    return node.refuse("the condition must return one value");
  ConditionOp::create(builder, node.op->getLoc(), go[0]);
  builder.setInsertionPointToEnd(&body);
  SmallVector<Value> next = node.inlineRegion(node.op->getRegion(1), body.getArguments());
  if (!node.failed() && ValueRange(next).getTypes() != ValueRange(first).getTypes())
    node.refuse("the values after a step must have the types of those before it");
  if (node.failed())
    return;
  YieldOp::create(builder, node.op->getLoc(), next);
  closeRegions(op);
  node.set(op.getResults());
}

static void whileLoop(HloNode &node) {
  if (std::optional<Count> count = countOf(node))
    return convertCounted(node, *count);
  if (!node.failed())
    loop(node);
}

void hloimport::addControl(Converters &converters) {
  converters["stablehlo.if"] = branch;
  converters["stablehlo.case"] = branchByIndex;
  converters["stablehlo.while"] = whileLoop;
  converters["chlo.scan"] = convertScan;
}
