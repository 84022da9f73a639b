#include "passes/Autodiff/Linearise.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

namespace {
class Split {
public:
  Split(const Rules &rules, Body &both, OpBuilder &knownBuilder, LinearPart &part)
      : rules(rules), both(both), knownBuilder(knownBuilder), part(part),
        linearBuilder(part.body.end(knownBuilder.getContext())) {}

  FailureOr<SmallVector<Value>> run(ValueRange knownArguments, unsigned numKnown) {
    auto arguments = both.block.getArguments();
    known.map(arguments.take_front(knownArguments.size()), knownArguments);
    for (BlockArgument argument : arguments.drop_front(knownArguments.size())) {
      unknown.insert(argument);
      linear.map(argument, part.body.add(argument));
    }
    part.numUnknown = unknown.size();
    findNeeded(ArrayRef<Value>(both.yields).take_front(numKnown));
    for (Operation &op : both.block)
      if (failed(split(op)))
        return failure();

    SmallVector<Value> results;
    for (Value value : ArrayRef<Value>(both.yields).take_front(numKnown)) {
      if (unknown.contains(value))
        return emitError(value.getLoc(), "internal error: a primal result depends on a tangent"), failure();
      results.push_back(known.lookup(value));
    }
    for (Value value : ArrayRef<Value>(both.yields).drop_front(numKnown))
      part.body.yields.push_back(inLinear(value));
    return results;
  }

private:
  /// What primal results need is computed in the known part; the rest waits for the linear part.
  void findNeeded(ArrayRef<Value> results) {
    DenseSet<Value> live(results.begin(), results.end());
    for (Operation &op : llvm::reverse(both.block))
      if (!isMemoryEffectFree(&op) || llvm::any_of(op.getResults(), [&](Value result) { return live.contains(result); })) {
        needed.insert(&op);
        live.insert_range(op.getOperands());
      }
  }

  LogicalResult split(Operation &op) {
    SmallVector<unsigned> unknownOperands;
    for (auto [i, operand] : llvm::enumerate(op.getOperands()))
      if (unknown.contains(operand))
        unknownOperands.push_back(i);
    if (unknownOperands.empty() && needed.contains(&op)) {
      knownBuilder.clone(op, known);
      return success();
    }
    if (!unknownOperands.empty()) {
      const Rule *rule = rules.find(&op);
      if (!rule || !rule->isLinearIn(unknownOperands))
        return op.emitError("internal error: '") << op.getName() << "' is not linear in the tangents that it uses";
      unknown.insert_range(op.getResults());
    }
    for (Value operand : op.getOperands())
      inLinear(operand);
    linearBuilder.clone(op, linear);
    return success();
  }

  /// A value as the linear part sees it. A known one becomes a residual, once; whether it is cheaper to compute it again is for
  /// the plan to decide, which knows sizes and lifetimes. (A loop, where a residual is a stack, has to decide here.)
  Value inLinear(Value value) {
    if (Value there = linear.lookupOrNull(value))
      return there;
    Value residual = known.lookup(value);
    Value slot = part.body.block.insertArgument(unsigned(part.residuals.size()), residual.getType(), residual.getLoc());
    part.residuals.push_back(residual);
    linear.map(value, slot);
    return slot;
  }

  const Rules &rules;
  Body &both;
  OpBuilder &knownBuilder;
  LinearPart &part;
  OpBuilder linearBuilder;
  IRMapping known, linear;
  DenseSet<Value> unknown;
  DenseSet<Operation *> needed;
};
} // namespace

FailureOr<SmallVector<Value>> autodiff::linearise(const Rules &rules, Body &both, ValueRange knownArguments, unsigned numKnown,
                                                  OpBuilder &builder, LinearPart &linear) {
  return Split(rules, both, builder, linear).run(knownArguments, numKnown);
}
