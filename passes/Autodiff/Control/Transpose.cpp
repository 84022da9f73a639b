// Runs linear branches and loops backwards: a loop from its last step to its first, with the cotangents of its carries as
// carries, and a sum for each moving const.
#include "passes/Autodiff/Transpose.h"
#include "passes/Autodiff/Control/Control.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

namespace {
/// Transposes one op; out[i] is the cotangent of operand i.
class ControlTranspose {
public:
  ControlTranspose(const Rules &rules, Emit &e, Operation *op, Values arguments, Values cotangents, MutableArrayRef<Value> out)
      : rules(rules), e(e), op(op), arguments(arguments), cotangents(cotangents), out(out) {}

  LogicalResult scan(ScanOp scan);
  LogicalResult branch(IfOp branch);
  LogicalResult checkpoint(CheckpointOp checkpoint);
  LogicalResult bySplit();

private:
  /// Returns the operand values of one group, null for those that move.
  Values take(size_t size) {
    Values group = arguments.slice(next, size);
    next += size;
    return group;
  }

  SmallVector<Value> movingOperands() const {
    SmallVector<Value> values;
    for (auto [operand, argument] : llvm::zip_equal(op->getOperands(), arguments))
      if (!argument)
        values.push_back(operand);
    return values;
  }

  /// Adds arguments to `body` for the operands of a group that do not move, and adds these to `operands`; moving ones get null.
  static void addKnown(Values group, ValueRange inside, Body &body, SmallVector<Value> &operands, SmallVector<Value> &places) {
    for (auto [value, argument] : llvm::zip_equal(group, inside)) {
      places.push_back(value ? Value(body.add(argument)) : Value());
      if (value)
        operands.push_back(value);
    }
  }

  /// Returns the type of a sum over steps: f32 for halves.
  static RankedTensorType sumType(Value like) {
    RankedTensorType type = typeOf(like);
    Type element = type.getElementType();
    return element.getIntOrFloatBitWidth() < 32 ? tensorOf(dimsOf(type), Float32Type::get(type.getContext())) : type;
  }

  const Rules &rules;
  Emit &e;
  Operation *op;
  Values arguments, cotangents;
  MutableArrayRef<Value> out;
  unsigned next = 0;
};
} // namespace

LogicalResult ControlTranspose::scan(ScanOp scan) {
  Value length = scan.getLength() ? take(1).front() : Value();
  unsigned firstOut = next;
  Values consts = take(scan.getConsts().size()), carries = take(scan.getCarry().size()), xs = take(scan.getXs().size());
  // A carry that starts from a known zero may become a tangent in later steps; a carry that never changes is not a tangent.
  DenseSet<Value> moving = dependents(movingOperands());
  if (llvm::any_of(scan.getCarryArguments(), [&](Value carry) { return !moving.contains(carry); }))
    return bySplit();

  Operands operands;
  Body body;
  SmallVector<Value> places, yielded, sums;
  addKnown(consts, scan.getConstArguments(), body, operands.consts, places);
  for (auto [known, argument] : llvm::zip_equal(consts, scan.getConstArguments()))
    if (!known)
      sums.push_back(body.add(operands.carry.emplace_back(e.zeros(sumType(argument)))));
  for (auto [i, argument] : llvm::enumerate(scan.getCarryArguments())) {
    places.push_back({});
    Value given = cotangents[i] ? cotangents[i] : e.zeros(argument.getType());
    yielded.push_back(body.add(operands.carry.emplace_back(given)));
  }
  addKnown(xs, scan.getSliceArguments(), body, operands.xs, places);
  Piece piece = Piece::of(scan.getBody());
  for (auto [value, given] :
       llvm::zip_equal(ValueRange(piece.yields).drop_front(carries.size()), cotangents.drop_front(carries.size()))) {
    yielded.push_back(given ? Value(body.add(value)) : Value());
    if (given)
      operands.xs.push_back(given);
  }

  Emit inner = e.inside(body);
  FailureOr<SmallVector<Value>> pulled = transpose(rules, inner, piece, places, yielded);
  if (failed(pulled))
    return failure();
  auto nextPulled = pulled->begin();
  for (Value sum : sums) {
    Value arrived = *nextPulled++;
    body.yields.push_back(arrived ? inner.add(sum, inner.convert(arrived, typeOf(sum).getElementType())) : sum);
  }
  for (Value argument : scan.getCarryArguments()) {
    Value arrived = *nextPulled++;
    body.yields.push_back(arrived ? arrived : inner.zeros(argument.getType()));
  }
  SmallVector<Value> slices(nextPulled, pulled->end());
  llvm::copy_if(slices, std::back_inserter(body.yields), [](Value slice) { return bool(slice); });
  ScanOp made = makeScan(e, scan.getSteps(), length, !scan.getReverse(), operands, body);

  auto result = made.getResults().begin();
  for (auto [i, known] : llvm::enumerate(consts))
    if (!known)
      out[firstOut + i] = e.convert(*result++, typeOf(scan.getConsts()[i]).getElementType());
  for (unsigned i = 0; i < carries.size(); ++i)
    out[firstOut + consts.size() + i] = *result++;
  auto slice = slices.begin();
  for (auto [i, known] : llvm::enumerate(xs))
    if (!known && *slice++)
      out[firstOut + consts.size() + carries.size() + i] = *result++;
  return success();
}

LogicalResult ControlTranspose::branch(IfOp branch) {
  Value predicate = take(1).front();
  Values consts = take(branch.getConsts().size());
  Body bodies[2];
  FailureOr<SmallVector<Value>> pulled[2];
  SmallVector<Value> operands;
  for (unsigned i : {0, 1}) {
    Region &region = branch->getRegion(i);
    SmallVector<Value> places, yielded;
    operands.clear();
    addKnown(consts, region.getArguments(), bodies[i], operands, places);
    for (Value given : cotangents) {
      yielded.push_back(given ? Value(bodies[i].add(given)) : Value());
      if (given)
        operands.push_back(given);
    }
    Emit inner = e.inside(bodies[i]);
    pulled[i] = transpose(rules, inner, Piece::of(region), places, yielded);
    if (failed(pulled[i]))
      return failure();
  }

  SmallVector<unsigned> arrived; // operands that get a cotangent from a branch
  unsigned place = 0;
  for (auto [i, known] : llvm::enumerate(consts)) {
    if (known)
      continue;
    if ((*pulled[0])[place] || (*pulled[1])[place]) {
      arrived.push_back(1 + i);
      for (unsigned each : {0, 1}) {
        Value given = (*pulled[each])[place];
        bodies[each].yields.push_back(given ? given : e.inside(bodies[each]).zeros(branch.getConsts()[i].getType()));
      }
    }
    ++place;
  }
  IfOp made = makeIf(e, predicate, operands, bodies[0], bodies[1]);
  for (auto [operand, result] : llvm::zip_equal(arrived, made.getResults()))
    out[operand] = result;
  return success();
}

/// Emits the region again: it recomputes what its ops need of the first run, then runs backwards through them.
LogicalResult ControlTranspose::checkpoint(CheckpointOp checkpoint) {
  Body body;
  SmallVector<Value> operands, places, yielded;
  addKnown(arguments, checkpoint.getBody().getArguments(), body, operands, places);
  for (Value given : cotangents) {
    yielded.push_back(given ? Value(body.add(given)) : Value());
    if (given)
      operands.push_back(given);
  }
  Emit inner = e.inside(body);
  LinearPart linear;
  SmallVector<bool> isLinear(cotangents.size(), true);
  if (failed(linearise(rules, Piece::of(checkpoint.getBody()), places, isLinear, inner, linear)))
    return failure();
  FailureOr<SmallVector<Value>> pulled = transpose(rules, inner, linear, linear.residuals, yielded);
  if (failed(pulled))
    return failure();
  llvm::copy_if(*pulled, std::back_inserter(body.yields), [](Value value) { return bool(value); });
  CheckpointOp made = makeCheckpoint(e, operands, body);
  auto nextPulled = pulled->begin();
  auto result = made.getResults().begin();
  for (auto [argument, cotangent] : llvm::zip_equal(arguments, out))
    if (!argument && *nextPulled++)
      cotangent = *result++;
  return success();
}

/// Splits an op that also computes values that do not move.
LogicalResult ControlTranspose::bySplit() {
  LinearPart linear;
  FailureOr<SmallVector<bool>> isLinear = linearise(rules, op, arguments, e, linear);
  if (failed(isLinear))
    return failure();
  SmallVector<Value> given;
  for (auto [cotangent, moves] : llvm::zip_equal(cotangents, *isLinear))
    if (moves)
      given.push_back(cotangent);
  FailureOr<SmallVector<Value>> pulled = transpose(rules, e, linear, linear.residuals, given);
  if (failed(pulled))
    return failure();
  auto nextPulled = pulled->begin();
  for (auto [argument, cotangent] : llvm::zip_equal(arguments, out))
    if (!argument)
      cotangent = *nextPulled++;
  return success();
}

LogicalResult autodiff::transposeControl(const Rules &rules, Emit &e, Operation *op, Values arguments, Values cotangents,
                                         MutableArrayRef<Value> out) {
  ControlTranspose control(rules, e, op, arguments, cotangents, out);
  if (auto branch = dyn_cast<IfOp>(op))
    return control.branch(branch);
  if (auto scan = dyn_cast<ScanOp>(op))
    return control.scan(scan);
  if (auto checkpoint = dyn_cast<CheckpointOp>(op))
    return control.checkpoint(checkpoint);
  return control.bySplit();
}
