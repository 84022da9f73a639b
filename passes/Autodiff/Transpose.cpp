#include "passes/Autodiff/Transpose.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

namespace {
class Transposer {
public:
  Transposer(const Rules &rules, Emit &e) : rules(rules), e(e) {}

  FailureOr<SmallVector<Value>> run(LinearPart &linear, Values residuals, Values cotangents) {
    Block &block = linear.body.block;
    available.map(block.getArguments().drop_back(linear.numUnknown), residuals);
    moving.insert_range(linear.unknown());
    for (Operation &op : block)
      if (llvm::any_of(op.getOperands(), [&](Value operand) { return moving.contains(operand); }))
        moving.insert_range(op.getResults());

    for (auto [value, cotangent] : llvm::zip_equal(linear.body.yields, cotangents))
      give(value, cotangent);
    for (Operation &op : llvm::reverse(block))
      if (failed(transposeOp(op)))
        return failure();

    SmallVector<Value> results;
    for (BlockArgument argument : linear.unknown())
      results.push_back(arrived.lookup(argument));
    return results;
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
    const Rule &rule = *rules.find(&op);
    if (rule.transposes)
      rule.transposes(e, &op, arguments, given, cotangents);
    else
      rule.transpose(e, &op, arguments, given.front(), cotangents);
    if (e.hasFailed())
      return failure();
    for (auto [operand, given] : llvm::zip_equal(op.getOperands(), cotangents))
      give(operand, given);
    return success();
  }

  void give(Value value, Value cotangent) {
    if (!cotangent || !moving.contains(value))
      return;
    Value &sum = arrived[value];
    sum = e.plus(sum, cotangent);
  }

  /// A value that does not depend on the unknown: a residual, or computed from residuals here, just before its first use.
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

FailureOr<SmallVector<Value>> autodiff::transpose(const Rules &rules, Emit &e, LinearPart &linear, Values residuals,
                                                  Values cotangents) {
  return Transposer(rules, e).run(linear, residuals, cotangents);
}
