// Rules of ops whose indices are data.
#include "passes/Partition/Rule.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::partition;

static Rule ruleOfDynamicSlice(DynamicSliceOp op) {
  Rule rule(op);
  Dims from = dimsOf(op.getOperand()), to = dimsOf(op.getResult());
  for (size_t dim = 0; dim < from.size(); ++dim)
    if (from[dim] == to[dim]) // the start is clamped to 0
      rule.share(op, dim, dim);
  return rule;
}

static Rule ruleOfDynamicUpdate(DynamicUpdateSliceOp op) {
  Rule rule(op);
  Dims into = dimsOf(op.getOperand()), update = dimsOf(op.getUpdate());
  for (size_t dim = 0; dim < into.size(); ++dim)
    if (into[dim] == update[dim])
      rule.operands[1][dim] = rule.share(op, dim, dim);
  return rule;
}

/// Builds the rule of a gather or scatter. `slices` are the factors of a gather's result or a scatter's updates.
static void shareSlices(Rule &rule, Value table, int64_t axis, int64_t batch, SmallVectorImpl<int> &slices) {
  Dims shape = dimsOf(table);
  int64_t indexRank = rule.operands[1].size();
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim) {
    if (dim == axis)
      continue;
    int factor = rule.add(shape[dim]);
    rule.operands[0][dim] = factor;
    slices[dim < axis ? dim : dim - 1 + indexRank - batch] = factor;
    if (dim < batch)
      rule.operands[1][dim] = factor;
  }
}

/// An index outside of the table selects zeros: with a part of the table, a gather returns its share of a sum.
static Rule ruleOfGather(GatherOp op) {
  Rule rule(op);
  int64_t axis = op.getAxis(), batch = op.getBatch();
  shareSlices(rule, op.getTable(), axis, batch, rule.results[0]);
  for (auto [dim, extent] : llvm::enumerate(dimsOf(op.getIndices())))
    if (int64_t(dim) >= batch)
      rule.operands[1][dim] = rule.results[0][axis + dim - batch] = rule.add(extent);
  if (op.getType().getElementType().isInteger(1))
    return rule; // i1 has no sum
  rule.operands[0][axis] = rule.indexed = rule.add(dimsOf(op.getTable())[axis]);
  rule.missing = Rule::Missing::Sum;
  return rule;
}

/// An update outside of the tensor is dropped: a part of it takes its own updates.
static Rule ruleOfScatter(ScatterOp op) {
  Rule rule(op);
  int64_t axis = op.getAxis();
  shareSlices(rule, op.getInto(), axis, op.getBatch(), rule.operands[2]);
  rule.operands[0][axis] = rule.indexed = rule.add(dimsOf(op.getInto())[axis]);
  rule.results[0] = rule.operands[0];
  return rule;
}

std::optional<Rule> partition::ruleOfIndexing(Operation *op) {
  if (auto slice = dyn_cast<DynamicSliceOp>(op))
    return ruleOfDynamicSlice(slice);
  if (auto update = dyn_cast<DynamicUpdateSliceOp>(op))
    return ruleOfDynamicUpdate(update);
  if (auto gather = dyn_cast<GatherOp>(op))
    return ruleOfGather(gather);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return ruleOfScatter(scatter);
  return std::nullopt;
}
