#include "passes/Autodiff/Jvp.h"
#include "passes/Autodiff/Flow.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Returns the tangent of an op that is linear in groups of operands: the sum of copies of the op, each with one group replaced
/// by its tangents.
static Value tangentByGroups(Emit &e, const Rule &rule, Operation *op, Values tangents) {
  SmallVector<Rule::Group, 2> groups = rule.linear;
  if (rule.jointly)
    groups.push_back(llvm::to_vector<2>(llvm::seq<unsigned>(0, op->getNumOperands())));
  Value total;
  for (const Rule::Group &group : groups) {
    if (llvm::none_of(group, [&](unsigned i) { return bool(tangents[i]); }))
      continue;
    SmallVector<Value> operands(op->getOperands());
    for (unsigned i : group)
      operands[i] = tangents[i] ? tangents[i] : e.zeros(operands[i].getType());
    Operation *part = e.getBuilder().clone(*op);
    part->setOperands(operands);
    total = e.plus(total, part->getResult(0));
  }
  return total;
}

/// Returns the operand to which an op folds. The tangent passes through, as if the op had been folded already. The op's rule
/// may give another tangent if the value is a NaN, and derivatives must not depend on earlier simplification. Returns nullopt
/// if one value is several operands with different tangents, as arguments of a call may be.
static std::optional<unsigned> sameOperand(Operation *op, Values tangents) {
  SmallVector<OpFoldResult> folded;
  Operation *copy = op->clone(); // folds may change an op in place, for example swap operands
  bool isFolded = succeeded(copy->fold(folded)) && folded.size() == 1;
  copy->destroy();
  if (!isFolded)
    return std::nullopt;
  auto value = dyn_cast<Value>(folded[0]);
  std::optional<unsigned> same;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (operand != value || operand.getType() != op->getResult(0).getType())
      continue;
    if (same && tangents[*same] != tangents[i])
      return std::nullopt;
    same = same.value_or(i);
  }
  return same;
}

void DualMap::map(Value value, Value primal, Value tangent) {
  primals.map(value, primal);
  if (tangent)
    tangents[value] = tangent;
}

void DualMap::map(ValueRange values, const Dual &become) {
  for (auto [value, primal, tangent] : llvm::zip_equal(values, become.primals, become.tangents))
    map(value, primal, tangent);
}

Dual DualMap::lookup(ValueRange values) const {
  Dual found;
  for (Value value : values) {
    found.primals.push_back(primal(value));
    found.tangents.push_back(tangent(value));
  }
  return found;
}

/// Returns the tangents of an op's results, by its rule.
static SmallVector<Value> tangentsOf(Emit &e, const Rule &rule, Operation *made, Values tangents) {
  if (std::optional<unsigned> same = sameOperand(made, tangents))
    return {tangents[*same] ? tangents[*same] : e.zeros(made->getResult(0).getType())};
  if (rule.tangents)
    return rule.tangents(e, made, tangents);
  return {rule.tangent ? rule.tangent(e, made, tangents) : tangentByGroups(e, rule, made, tangents)};
}

FailureOr<Dual> autodiff::jvp(const Rules &rules, Emit &e, const Piece &piece, const Activity &activity,
                              const Dual &arguments) {
  DualMap values;
  values.map(piece.arguments(), arguments);
  for (Operation &op : piece.ops()) {
    e.at(op.getLoc());
    if (isControl(&op) && activity.isActive(&op)) {
      if (failed(jvpControl(rules, e, &op, activity, values)))
        return failure();
      continue;
    }
    if (auto call = dyn_cast<func::CallOp>(op); call && activity.isActive(&op)) {
      if (failed(jvpCall(rules, e, call, activity, values)))
        return failure();
      continue;
    }
    Operation *made = e.getBuilder().clone(op, values.getPrimals());
    if (!activity.isActive(&op))
      continue;
    SmallVector<Value> tangents = tangentsOf(e, *rules.find(&op), made, values.lookup(op.getOperands()).tangents);
    if (e.hasFailed())
      return failure();
    for (auto [result, tangent] : llvm::zip_equal(op.getResults(), tangents))
      values.map(result, values.primal(result), tangent);
  }
  return values.lookup(piece.yields);
}
