// The pass: expands every derivative op and every vmap of a module to plain ops in its place, innermost first.
// || For one op on function f: flatten f -> activity -> jvp; in reverse mode then linearise (known part in place) -> transpose.
// Steps create new ops and never edit their input, because f stays unchanged for its other uses.
#include "dialects/Lathe/IR/Bytes.h"
#include "dialects/Lathe/IR/Callees.h"
#include "dialects/Lathe/IR/Control.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/Autodiff/Control/Nest.h"
#include "passes/Autodiff/Jvp.h"
#include "passes/Autodiff/Transpose.h"
#include "passes/Autodiff/Vmap/Vmap.h"

namespace lathe {
#define GEN_PASS_DEF_EXPANDDERIVATIVESPASS
#include "passes/Autodiff/Autodiff.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

namespace {
struct Tables {
  explicit Tables(ModuleOp module) : derivatives(module.getContext(), module), batching(module.getContext(), module) {}
  Rules derivatives;
  BatchRules batching;
};
} // namespace

static SmallVector<bool> marks(size_t size, ArrayRef<int64_t> indices) {
  SmallVector<bool> marked(size);
  for (int64_t index : indices)
    marked[index] = true;
  return marked;
}

namespace {
/// Expands one derivative op or vmap.
class Expansion {
public:
  Expansion(const Tables &tables, Operation *op, func::FuncOp callee, bool hoists)
      : rules(tables.derivatives), batching(tables.batching), op(op), callee(callee), e(OpBuilder(op)), hoists(hoists) {
    e.at(op->getLoc());
  }

  LogicalResult run() {
    FailureOr<SmallVector<Value>> results = failure();
    if (auto forward = dyn_cast<JvpOp>(op))
      results = expandJvp(forward);
    else if (auto reverse = dyn_cast<VjpOp>(op))
      results = expandVjp(reverse);
    else if (auto batch = dyn_cast<VmapOp>(op))
      results = expandVmap(batch);
    else
      results = expandValueAndGrad(cast<ValueAndGradOp>(op));
    if (failed(results))
      return failure();
    op->replaceAllUsesWith(*results);
    return callTangents();
  }

private:
  /// Replaces the tangents of calls by calls. Only forward derivatives leave tangents of calls.
  LogicalResult callTangents() {
    SmallVector<Operation *> tangents;
    op->getBlock()->walk([&](Operation *each) {
      if (isa<ExternTangentOp, CallTangentOp>(each))
        tangents.push_back(each);
    });
    return success(llvm::all_of(tangents, [&](Operation *each) {
      auto ofExtern = dyn_cast<ExternTangentOp>(each);
      return succeeded(ofExtern ? callTangent(ofExtern) : transposeBackward(rules, cast<CallTangentOp>(each)));
    }));
  }

  FailureOr<SmallVector<Value>> expandJvp(JvpOp jvpOp) {
    ValueRange inputs = jvpOp.getInputs();
    Body body;
    Activity activity;
    if (failed(flatten(callee, inputs, body)) || failed(activity.run(rules, callee, body, marks(inputs.size(), jvpOp.getWrt()),
                                                                     SmallVector<bool>(body.yields.size(), true))))
      return failure();
    Dual arguments{SmallVector<Value>(inputs), SmallVector<Value>(inputs.size())};
    for (auto [index, tangent] : llvm::zip_equal(jvpOp.getWrt(), jvpOp.getTangents()))
      arguments.tangents[index] = tangent;
    FailureOr<Dual> yields = jvp(rules, e, Piece::of(body), activity, arguments);
    if (failed(yields))
      return failure();
    e.at(op->getLoc());
    SmallVector<Value> results = yields->primals;
    for (auto [primal, tangent] : llvm::zip_equal(yields->primals, yields->tangents))
      if (isFloat(primal))
        results.push_back(tangent ? tangent : e.zeros(primal.getType()));
    return results;
  }

  FailureOr<SmallVector<Value>> expandVjp(VjpOp vjpOp) {
    SmallVector<Value> cotangents;
    auto given = vjpOp.getCotangents().begin();
    for (Type type : callee.getResultTypes())
      cotangents.push_back(isa<FloatType>(cast<RankedTensorType>(type).getElementType()) ? *given++ : Value());
    return pullBack(vjpOp.getInputs(), cotangents, vjpOp.getWrt());
  }

  FailureOr<SmallVector<Value>> expandValueAndGrad(ValueAndGradOp gradOp) {
    SmallVector<Value> cotangents(callee.getNumResults());
    cotangents[0] = e.splat(cast<RankedTensorType>(callee.getResultTypes()[0]), 1);
    return pullBack(gradOp.getInputs(), cotangents, gradOp.getWrt());
  }

  FailureOr<SmallVector<Value>> expandVmap(VmapOp vmapOp) {
    Body body;
    if (failed(flatten(callee, ArrayRef<Type>(vmapOp.getElementTypes()), body)))
      return failure();
    Batch batch(e, vmapOp);
    SmallVector<Lifted> arguments;
    for (auto [input, dim] : llvm::zip_equal(vmapOp.getInputs(), vmapOp.getInDims()))
      arguments.push_back(dim == VmapOp::kShared ? Lifted{input} : Lifted{batch.toFront(input, dim), true});
    return vmap(batching, batch, body, arguments);
  }

  /// Returns the results, then the cotangents of `wrt`. `cotangents` has one entry for each result, null where nothing is to be
  /// pulled back.
  FailureOr<SmallVector<Value>> pullBack(ValueRange inputs, ArrayRef<Value> cotangents, ArrayRef<int64_t> wrt) {
    Body body, both;
    Activity activity;
    SmallVector<bool> wanted = llvm::map_to_vector(cotangents, [](Value value) { return bool(value); });
    auto findActive = [&] { return activity.run(rules, callee, body, marks(inputs.size(), wrt), wanted); };
    if (failed(flatten(callee, inputs, body)) || failed(findActive()) || failed(nestCheckpoints(body, activity)) ||
        failed(findActive()))
      return failure();
    FailureOr<SmallVector<Value>> carrying = tangentProgram(body, activity, inputs, wrt, cotangents, both);
    if (failed(carrying))
      return failure();

    LinearPart linear;
    SmallVector<Value> known(inputs);
    known.resize(both.block.getNumArguments());
    SmallVector<bool> isLinear(both.yields.size(), true);
    std::fill_n(isLinear.begin(), body.yields.size(), false);
    FailureOr<SmallVector<Value>> results = linearise(rules, Piece::of(both), known, isLinear, e, linear);
    if (failed(results))
      return failure();
    FailureOr<SmallVector<Value>> pulled = transpose(rules, e, linear, linear.residuals, *carrying);
    if (failed(pulled))
      return failure();
    e.at(op->getLoc());
    auto next = pulled->begin();
    for (int64_t index : wrt) {
      Value cotangent = activity.isActive(body.block.getArgument(index)) ? *next++ : Value();
      results->push_back(cotangent ? cotangent : e.zeros(inputs[index].getType()));
    }
    return results;
  }

  /// Fills `both`: (inputs, tangents of active wrt) -> (results, tangents of active results). Returns these results'
  /// cotangents.
  FailureOr<SmallVector<Value>> tangentProgram(Body &body, const Activity &activity, ValueRange inputs, ArrayRef<int64_t> wrt,
                                               ArrayRef<Value> cotangents, Body &both) {
    Dual arguments;
    for (Value input : inputs)
      arguments.primals.push_back(both.add(input));
    arguments.tangents.resize(inputs.size());
    for (int64_t index : wrt)
      if (activity.isActive(body.block.getArgument(index)))
        arguments.tangents[index] = both.add(inputs[index]);
    Emit inside(both.end(op->getContext()));
    FailureOr<Dual> yields = jvp(rules, inside, Piece::of(body), activity, arguments);
    if (failed(yields))
      return failure();
    both.yields = yields->primals;
    SmallVector<Value> carrying;
    for (auto [tangent, cotangent] : llvm::zip_equal(yields->tangents, cotangents))
      if (tangent && cotangent) {
        both.yields.push_back(tangent);
        carrying.push_back(cotangent);
      }
    if (hoists && failed(hoistFrom(both, inputs.size())))
      return failure();
    return carrying;
  }

  /// Hoists derivatives that all steps of a loop share, so that they do not become stacks. The arguments after the first
  /// `inputs` are tangents. Ops on tangents, and ops of a function that others may differentiate again, leave a loop only if
  /// that keeps derivatives.
  LogicalResult hoistFrom(Body &body, size_t inputs) {
    SmallVector<bool> isTangent(body.block.getNumArguments(), true);
    std::fill_n(isTangent.begin(), inputs, false);
    Activity tangents;
    if (failed(tangents.run(rules, callee, body, isTangent, SmallVector<bool>(body.yields.size(), true))))
      return failure();
    auto function = op->getParentOfType<func::FuncOp>();
    bool isUsed = !SymbolTable::symbolKnownUseEmpty(function, function->getParentOp());
    auto mayHoist = [&](Operation *each) { return (!isUsed && !tangents.isActive(each)) || mayHoistBeforeDerivatives(each); };
    IRRewriter rewriter(op->getContext());
    body.block.walk([&](Operation *loop) { // inner ones first
      if (isLoop(loop))
        hoistInvariants(rewriter, loop, mayHoist);
    });
    return success();
  }

  const Rules &rules;
  const BatchRules &batching;
  Operation *op;
  func::FuncOp callee;
  Emit e;
  bool hoists;
};

class ExpandDerivatives : public lathe::impl::ExpandDerivativesPassBase<ExpandDerivatives> {
public:
  using ExpandDerivativesPassBase::ExpandDerivativesPassBase;

  void runOnOperation() final {
    Tables tables(getOperation());
    states.clear();
    for (auto function : getOperation().getOps<func::FuncOp>()) // functions of batches are added at the end
      if (function.walk([](Operation *op) { return WalkResult(isa<FunctionTransformOpInterface>(op) ? failure() : success()); })
              .wasInterrupted() &&
          failed(expand(tables, function)))
        return signalPassFailure();
    // These ops have no effect after derivatives are expanded.
    getOperation().walk([](StopGradientOp op) {
      op.replaceAllUsesWith(op.getOperand());
      op.erase();
    });
    for (auto function : getOperation().getOps<func::FuncOp>())
      setRule(function, {});
    if (failed(checkSizes()))
      signalPassFailure();
  }

private:
  enum class State { InProgress, Done };

  /// Checks the sizes of residuals. Import has checked the graph's own tensors, but not the stacks of loops.
  LogicalResult checkSizes() {
    return failure(getOperation()
                       ->walk([](Operation *op) {
                         auto fits = [&](Type type) {
                           return succeeded(checkBytes(op->getLoc(), type, "a residual of the derivative, a tensor",
                                                       "; for a loop, use `checkpoint`, or a smaller 'bound' or 'trip'"));
                         };
                         return WalkResult(success(llvm::all_of(op->getResultTypes(), fits)));
                       })
                       .wasInterrupted());
  }

  /// Expands a function. Functions that it transforms or calls are expanded first, so that it sees plain ops.
  LogicalResult expand(const Tables &tables, func::FuncOp function) {
    auto [entry, isNew] = states.try_emplace(function, State::InProgress);
    if (!isNew)
      return success(entry->second == State::Done);
    SmallVector<Operation *> users;
    function.walk([&](Operation *op) {
      if (calleeNameOf(op))
        users.push_back(op);
    });
    for (Operation *op : users) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, calleeNameOf(op));
      if (!callee) // the verifier has checked calls; any other name is not a function
        return op->emitError("there is no function ") << calleeNameOf(op);
      if (states.contains(callee) && states[callee] == State::InProgress) {
        InFlightDiagnostic diagnostic = op->emitError("'") << op->getName() << "' of '" << callee.getSymName()
                                                           << "' is recursive; recursion cannot be differentiated";
        diagnostic.attachNote(callee.getLoc()) << "'" << callee.getSymName() << "' is defined here";
        return diagnostic;
      }
      if (failed(expand(tables, callee)) || (isa<FunctionTransformOpInterface>(op) && failed(expandOp(tables, op, callee))))
        return failure();
    }
    states[function] = State::Done;
    return expandRule(tables, function);
  }

  /// Expands the functions of a derivative rule, which may call the rule's own function.
  LogicalResult expandRule(const Tables &tables, func::FuncOp function) {
    for (FlatSymbolRefAttr name : ruleOf(function).functions())
      if (auto named = tables.derivatives.function(name); !states.contains(named) && failed(expand(tables, named)))
        return failure();
    return success();
  }

  /// Expands functions of remaining calls, including those that batches have created.
  LogicalResult expandCalled(const Tables &tables, func::FuncOp function) {
    SmallVector<FlatSymbolRefAttr> names;
    function.walk([&](func::CallOp call) { names.push_back(call.getCalleeAttr()); });
    for (FlatSymbolRefAttr name : names)
      if (auto called = tables.derivatives.function(name); called && !states.contains(called) && failed(expand(tables, called)))
        return failure();
    return success();
  }

  LogicalResult expandOp(const Tables &tables, Operation *op, func::FuncOp callee) {
    Operation *before = op->getPrevNode();
    if (failed(expandCalled(tables, callee)) || failed(Expansion(tables, op, callee, hoists).run()))
      return failure();
    // Erases derivatives and primal ops that no result needed.
    Operation *last = op->getPrevNode();
    op->erase();
    while (last && last != before) {
      Operation *previous = last->getPrevNode();
      if (isOpTriviallyDead(last))
        last->erase();
      last = previous;
    }
    ++expanded;
    return success();
  }

  llvm::DenseMap<Operation *, State> states;
};
} // namespace
