// Calls of functions that declare their derivative: the declared functions replace the derivative of the body.
// || A user's tangent function must be linear in the tangents, or reverse derivatives would differ from forward ones; so this
// is checked, not assumed.
#include "dialects/Lathe/IR/DerivativeRules.h"
#include "mlir/IR/Matchers.h"
#include "passes/Autodiff/Flow.h"
#include "passes/Autodiff/Jvp.h"
#include "passes/Autodiff/Transpose.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

// ---- Linearity of a function in some of its arguments

/// True for a zero of any shape. Zeros of named dimensions are a scalar and its broadcast.
static bool isZero(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<BroadcastOp, ReshapeOp, ConvertOp>(op))
    return isZero(op->getOperand(0));
  return matchPattern(value, m_AnyZeroFloat());
}

namespace {
class LinearCheck {
public:
  /// `moving` are arguments of the body, which is that of `function`; messages call them `noun`.
  LinearCheck(const Rules &rules, func::FuncOp function, Body &body, ValueRange moving, StringRef noun)
      : rules(rules), function(function), body(body), noun(noun), moved(dependents(moving)) {}

  /// Checks the body. The first `numFixed` yields must not depend on moving values.
  LogicalResult run(size_t numFixed) {
    WalkResult walked = body.block.walk([&](Operation *op) {
      return WalkResult(op->hasTrait<OpTrait::IsTerminator>() ? success() : isControl(op) ? checkControl(op) : checkPlain(op));
    });
    if (walked.wasInterrupted())
      return failure();
    for (auto [i, value] : llvm::enumerate(body.yields)) {
      if (i < numFixed && moved.contains(value))
        return function.emitError("result ") << i << " of @" << function.getSymName() << " depends on " << noun
                                             << "; the first " << numFixed << " results must be those of the function";
      if (i >= numFixed && !isMovedOrZero(value))
        return function.emitError("result ") << i << " of @" << function.getSymName() << " does not depend on " << noun
                                             << " and is not zero, so it is not linear in them";
    }
    return success();
  }

private:
  bool isMovedOrZero(Value value) { return moved.contains(value) || isZero(value); }

  LogicalResult checkPlain(Operation *op) {
    SmallVector<unsigned> places;
    for (auto [i, operand] : llvm::enumerate(op->getOperands()))
      if (moved.contains(operand))
        places.push_back(i);
    if (places.empty())
      return success();
    const Rule *rule = rules.find(op);
    if (!rule || !rule->isLinearIn(op, places))
      return refuse(op) << "is not linear in " << noun;
    SmallVector<unsigned> group = llvm::to_vector(llvm::seq<unsigned>(0, op->getNumOperands()));
    if (!rule->jointly)
      group.assign(*llvm::find_if(rule->linear, [&](const Rule::Group &each) {
        return llvm::all_of(places, [&](unsigned i) { return llvm::is_contained(each, i); });
      }));
    llvm::erase_if(group, [&](unsigned i) { // an op of several kinds may be linear in fewer operands
      SmallVector<unsigned> withIt(places);
      withIt.push_back(i);
      return !llvm::is_contained(places, i) && !rule->isLinearIn(op, withIt);
    });
    for (unsigned i : group)
      if (!isMovedOrZero(op->getOperand(i)))
        return refuse(op) << "combines " << noun << " with operand " << i
                          << ", which does not depend on them and is not zero, so it is not linear in them";
    return success();
  }

  /// Checks a control op: a carry or a branch's result is linear only if all of its sources are.
  LogicalResult checkControl(Operation *op) {
    SmallVector<Value> values(op->getResults());
    for (Region &region : op->getRegions())
      llvm::append_range(values, region.getArguments());
    for (Value value : values)
      if (moved.contains(value) && !llvm::all_of(directSources(value), [&](Value from) { return isMovedOrZero(from); }))
        return refuse(op) << "returns values that may or may not depend on " << noun
                          << "; where they do not, they must be zero";
    return success();
  }

  InFlightDiagnostic refuse(Operation *op) {
    InFlightDiagnostic diagnostic = op->emitError("'") << op->getName() << "' ";
    diagnostic.attachNote(function.getLoc())
        << "@" << function.getSymName() << " is part of a derivative rule, which must be linear";
    return diagnostic;
  }

  const Rules &rules;
  func::FuncOp function;
  Body &body;
  StringRef noun;
  DenseSet<Value> moved;
};
} // namespace

// ---- Tangents

/// Returns one of the functions of a rule; null, with a diagnostic, if it cannot be used yet.
static func::FuncOp ruleFunction(const Rules &rules, Operation *call, FlatSymbolRefAttr name) {
  func::FuncOp function = rules.function(name);
  WalkResult walked = function.walk([&](Operation *op) -> WalkResult {
    if (!isa<FunctionTransformOpInterface>(op))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = op->emitError("'") << op->getName() << "' in the derivative rule @" << function.getSymName()
                                                       << " differentiates a call of the function that the rule belongs to";
    diagnostic.attachNote(call->getLoc()) << "the function is called here";
    return diagnostic;
  });
  return walked.wasInterrupted() ? func::FuncOp() : function;
}

/// Returns the tangents of float operands, in order.
static SmallVector<Value> floatTangents(Emit &e, ValueRange primals, Values tangents) {
  SmallVector<Value> given;
  for (auto [primal, tangent] : llvm::zip_equal(primals, tangents))
    if (isFloat(primal))
      given.push_back(tangent ? tangent : e.zeros(primal.getType()));
  return given;
}

/// Returns the primal results, then the tangents of the float ones.
static FailureOr<SmallVector<Value>> byTangent(const Rules &rules, Emit &e, func::CallOp call, FlatSymbolRefAttr name,
                                               const Dual &operands) {
  func::FuncOp function = ruleFunction(rules, call, name);
  if (!function)
    return failure();
  SmallVector<Value> arguments = operands.primals;
  llvm::append_range(arguments, floatTangents(e, operands.primals, operands.tangents));
  Body body;
  if (failed(flatten(function, arguments, body)) ||
      failed(LinearCheck(rules, function, body, body.block.getArguments().drop_front(operands.primals.size()), "the tangents")
                 .run(call.getNumResults())))
    return failure();
  return inlineAt(e.getBuilder(), function, arguments);
}

static FailureOr<SmallVector<Value>> byGradient(const Rules &rules, Emit &e, func::CallOp call, const DerivativeRule &rule,
                                                const Dual &operands) {
  func::FuncOp forward = ruleFunction(rules, call, rule.forward);
  if (!forward || !ruleFunction(rules, call, rule.backward))
    return failure();
  FailureOr<SmallVector<Value>> given = inlineAt(e.getBuilder(), forward, operands.primals);
  if (failed(given))
    return failure();
  SmallVector<Value> results(ArrayRef<Value>(*given).take_front(call.getNumResults()));
  auto residuals = ArrayRef<Value>(*given).drop_front(call.getNumResults());
  auto made = CallTangentOp::create(e.getBuilder(), call.getLoc(), floatsOf(ValueRange(results).getTypes()), rule.backward,
                                    residuals, floatTangents(e, operands.primals, operands.tangents));
  llvm::append_range(results, made.getResults());
  return results;
}

LogicalResult autodiff::jvpCall(const Rules &rules, Emit &e, func::CallOp call, const Activity &activity, DualMap &values) {
  func::FuncOp callee = rules.function(call.getCalleeAttr());
  DerivativeRule rule = callee ? ruleOf(callee) : DerivativeRule();
  if (!rule)
    return call.emitError("@") << call.getCallee() << " has no body here and no derivative rule";
  Dual operands = values.lookup(call.getOperands());
  FailureOr<SmallVector<Value>> made =
      rule.tangent ? byTangent(rules, e, call, rule.tangent, operands) : byGradient(rules, e, call, rule, operands);
  if (failed(made))
    return failure();
  auto tangent = made->begin() + call.getNumResults();
  for (auto [i, result] : llvm::enumerate(call.getResults())) {
    Value given = isFloat(result) ? *tangent++ : Value();
    values.map(result, (*made)[i], activity.isActive(result) ? given : Value());
  }
  return success();
}

// ---- Backward functions

/// Calls the backward function, in place. It need not be linear: its results are used directly.
static void transposeCallTangent(const Rules &rules, Emit &e, CallTangentOp op, Values arguments, Values cotangents,
                                 MutableArrayRef<Value> out) {
  SmallVector<Value> given(arguments.take_front(op.getResiduals().size()));
  for (auto [result, cotangent] : llvm::zip_equal(op.getResults(), cotangents))
    given.push_back(cotangent ? cotangent : e.zeros(result.getType()));
  FailureOr<SmallVector<Value>> results = inlineAt(e.getBuilder(), rules.function(op.getBackwardAttr()), given);
  if (failed(results)) {
    e.fail(op, "of " + op.getBackward().str() + " has no body to inline");
    return;
  }
  llvm::copy(*results, out.begin() + op.getResiduals().size());
}

LogicalResult autodiff::transposeBackward(const Rules &rules, CallTangentOp op) {
  if (!op.use_empty()) {
    func::FuncOp backward = rules.function(op.getBackwardAttr());
    SmallVector<Type> types(op.getResiduals().getTypes());
    llvm::append_range(types, op.getResultTypes());
    SmallVector<Value> known(op.getResiduals());
    known.resize(types.size());
    Body body;
    if (failed(flatten(backward, types, body)) ||
        failed(
            LinearCheck(rules, backward, body, body.block.getArguments().drop_front(op.getResiduals().size()), "the cotangents")
                .run(0)))
      return failure();
    Emit e{OpBuilder(op)};
    e.at(op.getLoc());
    LinearPart linear;
    SmallVector<bool> isLinear(body.yields.size(), true);
    if (failed(linearise(rules, Piece::of(body), known, isLinear, e, linear)))
      return failure();
    SmallVector<Value> tangents(op.getTangents());
    FailureOr<SmallVector<Value>> results = transpose(rules, e, linear, linear.residuals, tangents);
    if (failed(results))
      return failure();
    for (auto [result, made] : llvm::zip_equal(op.getResults(), *results))
      result.replaceAllUsesWith(made ? made : e.zeros(result.getType()));
  }
  op.erase();
  return success();
}

void autodiff::addCallRules(Rules &rules) {
  rules.add<func::CallOp>(); // see jvpCall
  rules.add<CallTangentOp>().linearJointly().transposes(
      [&rules](Emit &e, CallTangentOp op, Values arguments, Values cotangents, MutableArrayRef<Value> out) {
        transposeCallTangent(rules, e, op, arguments, cotangents, out);
      });
}
