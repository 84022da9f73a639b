#include "passes/Autodiff/Jvp.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// The tangent of an op that is linear in groups of operands: the op again, each group in turn replaced by its tangents.
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

/// The operand that an op is the same as, by its fold. Its tangent goes through, as if it had been folded already: by the op's
/// rule it may be another one where the value is no number, and derivatives must not depend on what was simplified before.
static std::optional<unsigned> sameOperand(Operation *op) {
  SmallVector<OpFoldResult> folded;
  Operation *copy = op->clone(); // folds may change an op in place: swap operands, say
  bool isFolded = succeeded(copy->fold(folded)) && folded.size() == 1;
  copy->destroy();
  if (!isFolded)
    return std::nullopt;
  auto value = dyn_cast<Value>(folded[0]);
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (operand == value && operand.getType() == op->getResult(0).getType())
      return i;
  return std::nullopt;
}

FailureOr<Dual> autodiff::jvp(const Rules &rules, Emit &e, Body &body, const Activity &activity, const Dual &arguments) {
  IRMapping primal;
  primal.map(body.block.getArguments(), arguments.primals);
  DenseMap<Value, Value> tangent;
  for (auto [argument, given] : llvm::zip_equal(body.block.getArguments(), arguments.tangents))
    if (given)
      tangent[argument] = given;

  for (Operation &op : body.block) {
    e.at(op.getLoc());
    Operation *made = e.getBuilder().clone(op, primal);
    if (!activity.isActive(&op))
      continue;
    const Rule &rule = *rules.find(&op);
    SmallVector<Value> tangents;
    for (Value operand : op.getOperands())
      tangents.push_back(tangent.lookup(operand));
    SmallVector<Value> results;
    if (std::optional<unsigned> same = sameOperand(made))
      results = {tangents[*same] ? tangents[*same] : e.zeros(made->getResult(0).getType())};
    else if (rule.tangents)
      results = rule.tangents(e, made, tangents);
    else
      results = {rule.tangent ? rule.tangent(e, made, tangents) : tangentByGroups(e, rule, made, tangents)};
    if (e.hasFailed())
      return failure();
    for (auto [result, made] : llvm::zip_equal(op.getResults(), results))
      if (made)
        tangent[result] = made;
  }

  Dual yields;
  for (Value value : body.yields) {
    yields.primals.push_back(primal.lookup(value));
    yields.tangents.push_back(tangent.lookup(value));
  }
  return yields;
}
