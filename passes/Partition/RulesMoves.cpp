// Rules of ops that move elements.
#include "passes/Partition/Rule.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::partition;

static Rule ruleOfBroadcast(BroadcastOp op) {
  Rule rule(op);
  Dims from = dimsOf(op.getOperand()), to = dimsOf(op.getResult());
  for (auto [dim, target] : llvm::enumerate(op.getDims()))
    if (from[dim] == to[target])
      rule.share(op, dim, target);
  return rule;
}

static Rule ruleOfTranspose(TransposeOp op) {
  Rule rule(op);
  for (auto [target, dim] : llvm::enumerate(op.getPermutation()))
    rule.share(op, dim, target);
  rule.linear = Rule::Linear::Unary;
  return rule;
}

/// Returns the first dimension of a range that is not 1, or its end.
static size_t firstOf(const Dims &dims, size_t begin, size_t end) {
  while (begin < end && dims[begin] == Dim(1))
    ++begin;
  return begin;
}

/// Gives the outermost dimensions of a group of a reshape one factor: row-major order keeps blocks of them together.
static void shareOutermost(Rule &rule, const Dims &from, size_t fromBegin, size_t fromEnd, const Dims &to, size_t toBegin,
                           size_t toEnd) {
  size_t source = firstOf(from, fromBegin, fromEnd), target = firstOf(to, toBegin, toEnd);
  if (source == fromEnd || target == toEnd || !from[source].isStatic() || !to[target].isStatic())
    return;
  int factor = rule.add(Dim(std::gcd(from[source].constant(), to[target].constant())));
  rule.operands[0][source] = rule.results[0][target] = factor;
}

/// True if `part` divides `whole` for all sizes.
static bool divides(const Dim &part, const Dim &whole) {
  if (part.isUnknown() || whole.isUnknown())
    return false;
  if (part.isStatic())
    return part.constant() != 0 && whole.dividedBy(part.constant());
  return whole.dividedBy(part).second == Dim(0);
}

/// Matches groups of adjacent dimensions with equal numbers of elements.
static Rule ruleOfReshape(ReshapeOp op) {
  Rule rule(op);
  rule.linear = Rule::Linear::Unary;
  Dims from = dimsOf(op.getOperand()), to = dimsOf(op.getResult());
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    size_t fromBegin = i, toBegin = j;
    Dim source = from[i++], target = to[j++];
    while (source != target) {
      if (divides(source, target) && i < from.size())
        source = source * from[i++];
      else if (divides(target, source) && j < to.size())
        target = target * to[j++];
      else
        return rule; // the other dimensions do not come in groups
    }
    shareOutermost(rule, from, fromBegin, i, to, toBegin, j);
  }
  return rule;
}

static Rule ruleOfSlice(SliceOp op) {
  Rule rule(op);
  Dims starts = dimsOf(op.getStarts()), limits = dimsOf(op.getLimits()), from = dimsOf(op.getOperand());
  for (size_t dim = 0; dim < from.size(); ++dim)
    if (starts[dim] == Dim(0) && limits[dim] == from[dim] && op.getSteps()[dim] == 1)
      rule.share(op, dim, dim);
  rule.linear = Rule::Linear::Unary;
  return rule;
}

static Rule ruleOfPad(PadOp op) {
  Rule rule(op);
  Dims low = dimsOf(op.getLow()), high = dimsOf(op.getHigh());
  for (size_t dim = 0; dim < low.size(); ++dim)
    if (low[dim] == Dim(0) && high[dim] == Dim(0) && op.getInterior()[dim] == 0)
      rule.share(op, dim, dim);
  return rule;
}

static Rule ruleOfConcatenation(ConcatenateOp op) {
  Rule rule(op);
  for (auto [dim, extent] : llvm::enumerate(dimsOf(op.getResult()))) {
    if (dim == op.getDim())
      continue;
    int factor = rule.add(extent);
    for (SmallVector<int> &operand : rule.operands)
      operand[dim] = factor;
    rule.results[0][dim] = factor;
  }
  rule.linear = Rule::Linear::All;
  return rule;
}

static Rule ruleOfReverse(ReverseOp op) {
  Rule rule(op);
  for (int64_t dim = 0; dim < int64_t(rule.results[0].size()); ++dim)
    if (!llvm::is_contained(op.getDims(), dim))
      rule.share(op, dim, dim);
  rule.linear = Rule::Linear::Unary;
  return rule;
}

std::optional<Rule> partition::ruleOfMove(Operation *op) {
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return ruleOfBroadcast(broadcast);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return ruleOfTranspose(transpose);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return ruleOfReshape(reshape);
  if (auto slice = dyn_cast<SliceOp>(op))
    return ruleOfSlice(slice);
  if (auto pad = dyn_cast<PadOp>(op))
    return ruleOfPad(pad);
  if (auto concatenate = dyn_cast<ConcatenateOp>(op))
    return ruleOfConcatenation(concatenate);
  if (auto reverse = dyn_cast<ReverseOp>(op))
    return ruleOfReverse(reverse);
  return std::nullopt;
}
