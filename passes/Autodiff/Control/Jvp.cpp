// Tangents through branches and loops: a copy of the op with a tangent beside each active operand and result.
#include "passes/Autodiff/Jvp.h"
#include "passes/Autodiff/Control/Control.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

namespace {
/// Differentiates one control op.
class ControlJvp {
public:
  ControlJvp(const Rules &rules, Emit &e, const Activity &activity, DualMap &values)
      : rules(rules), e(e), activity(activity), values(values) {}

  LogicalResult branch(IfOp op) {
    Body taken, otherwise;
    Dual arguments;
    SmallVector<Value> consts =
        pass(op.getConsts(), {op.getTaken().getArguments(), op.getOtherwise().getArguments()}, taken, arguments);
    Dual others = sameArguments(arguments, taken, otherwise);
    SmallVector<bool> active = activeOf(op.getResults());
    if (failed(emit(op.getTaken(), taken, arguments, active)) || failed(emit(op.getOtherwise(), otherwise, others, active)))
      return failure();
    IfOp made = makeIf(e, values.primal(op.getPredicate()), consts, taken, otherwise);
    take(op.getResults(), made.getResults(), active);
    return success();
  }

  LogicalResult checkpoint(CheckpointOp op) {
    Body body;
    Dual arguments;
    SmallVector<Value> consts = pass(op.getConsts(), {op.getBody().getArguments()}, body, arguments);
    SmallVector<bool> active = activeOf(op.getResults());
    if (failed(emit(op.getBody(), body, arguments, active)))
      return failure();
    take(op.getResults(), makeCheckpoint(e, consts, body).getResults(), active);
    return success();
  }

  LogicalResult scan(ScanOp op) {
    Body body;
    Dual arguments;
    Operands operands;
    operands.consts = pass(op.getConsts(), {op.getConstArguments()}, body, arguments);
    unsigned numCarries = op.getCarry().size();
    operands.carry = pass(op.getCarry(), {op.getCarryArguments(), op.getResults().take_front(numCarries)}, body, arguments);
    operands.xs = pass(op.getXs(), {op.getSliceArguments()}, body, arguments);
    if (failed(emit(op.getBody(), body, arguments, activeCarries(op), activeOf(op.getStacks()))))
      return failure();
    Value length = op.getLength() ? values.primal(op.getLength()) : Value();
    ScanOp made = makeScan(e, op.getSteps(), length, op.getReverse(), operands, body);
    made.setCheckpointAttr(op.getCheckpointAttr());
    take(op.getResults().take_front(numCarries), made.getResults().take_front(operands.carry.size()), activeCarries(op));
    take(op.getStacks(), made.getStacks(), activeOf(op.getStacks()));
    return success();
  }

  LogicalResult loop(WhileOp op) {
    Body condition, body;
    Dual arguments;
    unsigned numConsts = op.getConsts().size();
    auto inside = op.getBody().getArguments();
    SmallVector<Value> consts = pass(op.getConsts(), {inside.take_front(numConsts)}, body, arguments);
    SmallVector<Value> carry = pass(op.getCarry(), {inside.drop_front(numConsts), op.getResults()}, body, arguments);
    Dual asked = sameArguments(arguments, body, condition);
    Emit e2 = e.inside(condition);
    condition.yields = copyRegion(e2, op.getCondition(), asked.primals);
    if (failed(emit(op.getBody(), body, arguments, activeCarries(op), {})))
      return failure();
    take(op.getResults(), makeWhile(e, op, consts, carry, condition, body).getResults(), activeCarries(op));
    return success();
  }

private:
  SmallVector<bool> activeOf(ValueRange of) {
    return llvm::map_to_vector(of, [&](Value value) { return activity.isActive(value); });
  }

  /// A carry has a tangent if its value in a step or its final value is active.
  template <typename Loop>
  SmallVector<bool> activeCarries(Loop op) {
    return activeAny({op.getBody().getArguments().slice(op.getConsts().size(), op.getCarry().size()),
                      op->getResults().take_front(op.getCarry().size())});
  }

  /// Returns for each position if a value of one of the lists is active.
  SmallVector<bool> activeAny(ArrayRef<ValueRange> lists) {
    SmallVector<bool> active(lists.front().size());
    for (ValueRange list : lists)
      for (auto [i, value] : llvm::enumerate(list))
        active[i] = active[i] || activity.isActive(value);
    return active;
  }

  /// Adds the arguments of `body` for one group of operands: primals, then tangents where a value in `places` is active.
  /// Appends the arguments to `arguments` and returns the operands.
  SmallVector<Value> pass(ValueRange operands, ArrayRef<ValueRange> places, Body &body, Dual &arguments) {
    ValueRange inside = places.front();
    SmallVector<Value> passed = values.lookup(operands).primals;
    llvm::append_range(arguments.primals, addLike(body, inside));
    for (auto [operand, argument, active] : llvm::zip_equal(operands, inside, activeAny(places))) {
      arguments.tangents.push_back(active ? Value(body.add(argument)) : Value());
      if (active)
        passed.push_back(tangentOrZero(operand));
    }
    return passed;
  }

  Value tangentOrZero(Value value) {
    Value tangent = values.tangent(value);
    return tangent ? tangent : e.zeros(values.primal(value).getType());
  }

  /// Adds the same arguments to another region of the same op.
  static Dual sameArguments(const Dual &arguments, Body &from, Body &to) {
    SmallVector<Value> made = addLike(to, from.block.getArguments());
    auto inOther = [&](Value value) { return value ? made[cast<BlockArgument>(value).getArgNumber()] : Value(); };
    return {llvm::map_to_vector(arguments.primals, inOther), llvm::map_to_vector(arguments.tangents, inOther)};
  }

  /// Emits the ops of a region for these arguments. The body yields two groups, of which `second` covers the remaining yields
  /// of the region: primals, then the active tangents.
  LogicalResult emit(Region &region, Body &body, const Dual &arguments, ArrayRef<bool> active, ArrayRef<bool> second = {}) {
    Emit inner = e.inside(body);
    FailureOr<Dual> yields = jvp(rules, inner, Piece::of(region), activity, arguments);
    if (failed(yields))
      return failure();
    unsigned start = 0;
    for (ArrayRef<bool> group : {active, second}) {
      auto primals = ArrayRef<Value>(yields->primals).slice(start, group.size());
      auto tangents = ArrayRef<Value>(yields->tangents).slice(start, group.size());
      start += group.size();
      llvm::append_range(body.yields, primals);
      for (auto [primal, tangent, isActive] : llvm::zip_equal(primals, tangents, group))
        if (isActive)
          body.yields.push_back(tangent ? tangent : inner.zeros(primal.getType()));
    }
    return success();
  }

  /// Maps a group of results: primals, then tangents.
  void take(ValueRange results, ValueRange made, ArrayRef<bool> active) {
    unsigned next = results.size();
    for (auto [i, result] : llvm::enumerate(results))
      values.map(result, made[i], active[i] ? made[next++] : Value());
  }

  const Rules &rules;
  Emit &e;
  const Activity &activity;
  DualMap &values;
};
} // namespace

LogicalResult autodiff::jvpControl(const Rules &rules, Emit &e, Operation *op, const Activity &activity, DualMap &values) {
  ControlJvp control(rules, e, activity, values);
  return visitControl(control, op);
}
