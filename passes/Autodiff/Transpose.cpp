#include "passes/Autodiff/Transpose.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Autodiff/Flow.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

namespace {
class Transposer {
public:
  Transposer(const Rules &rules, Emit &e) : rules(rules), e(e) {}

  FailureOr<SmallVector<Value>> run(const Piece &linear, Values given, Values cotangents) {
    SmallVector<Value> seeds;
    for (auto [argument, value] : llvm::zip_equal(linear.arguments(), given)) {
      if (value)
        available.map(argument, value);
      else
        seeds.push_back(argument);
    }
    moving = dependents(seeds);

    for (auto [value, cotangent] : llvm::zip_equal(linear.yields, cotangents))
      give(value, cotangent);
    for (Operation &op : llvm::reverse(*linear.block))
      if (!op.hasTrait<OpTrait::IsTerminator>() && failed(transposeOp(op)))
        return failure();
    return llvm::map_to_vector(seeds, [&](Value seed) { return arrived.lookup(seed); });
  }

private:
  LogicalResult transposeOp(Operation &op) {
    auto given = llvm::map_to_vector(op.getResults(), [&](Value result) { return arrived.lookup(result); });
    if (llvm::none_of(given, [](Value cotangent) { return bool(cotangent); }))
      return success();
    SmallVector<Value> arguments, cotangents(op.getNumOperands());
    for (Value operand : op.getOperands())
      arguments.push_back(moving.contains(operand) ? Value() : known(operand));
    e.at(op.getLoc());
    if (failed(transposeByRule(op, arguments, given, cotangents)))
      return failure();
    for (auto [operand, given] : llvm::zip_equal(op.getOperands(), cotangents))
      give(operand, given);
    return success();
  }

  LogicalResult transposeByRule(Operation &op, Values arguments, Values given, MutableArrayRef<Value> cotangents) {
    if (isControl(&op))
      return transposeControl(rules, e, &op, arguments, given, cotangents);
    const Rule &rule = *rules.find(&op);
    if (rule.transposes)
      rule.transposes(e, &op, arguments, given, cotangents);
    else
      rule.transpose(e, &op, arguments, given.front(), cotangents);
    return success(!e.hasFailed());
  }

  void give(Value value, Value cotangent) {
    if (!cotangent || !moving.contains(value))
      return;
    Value &sum = arrived[value];
    sum = e.plus(sum, cotangent);
  }

  /// Returns a known value: a residual, or one computed from residuals here, just before its first use.
  Value known(Value value) {
    if (Value there = available.lookupOrNull(value))
      return there;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      known(operand);
    e.getBuilder().clone(*op, available);
    return available.lookup(value);
  }

  const Rules &rules;
  Emit &e;
  IRMapping available;
  DenseSet<Value> moving;
  DenseMap<Value, Value> arrived;
};
} // namespace

FailureOr<SmallVector<Value>> autodiff::transpose(const Rules &rules, Emit &e, const Piece &linear, Values arguments,
                                                  Values cotangents) {
  return Transposer(rules, e).run(linear, arguments, cotangents);
}

FailureOr<SmallVector<Value>> autodiff::transpose(const Rules &rules, Emit &e, LinearPart &linear, Values residuals,
                                                  Values cotangents) {
  SmallVector<Value> arguments(residuals);
  arguments.resize(arguments.size() + linear.numUnknown);
  return transpose(rules, e, Piece::of(linear.body), arguments, cotangents);
}
