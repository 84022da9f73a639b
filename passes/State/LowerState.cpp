// The pass: first adds slots and @init, so that all variables are known, then processes functions one by one, callees before
// callers.
// || In one function, ops that refer to a function with state get reads for its state arguments and writes for its state
// results; then a walk in program order replaces reads by the current value of their variable.
#include "dialects/Lathe/IR/Callees.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/ShardAttributes.h"
#include "mlir/Pass/PassManager.h"
#include "passes/State/Gradients.h"
#include "passes/State/Init.h"
#include "passes/State/Optimizer.h"
#include "passes/State/State.h"
#include "passes/State/StateBuilder.h"

namespace lathe {
#define GEN_PASS_DEF_LOWERSTATEPASS
#include "passes/State/State.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::state;

namespace {
/// Adds the state arguments and results of a function to an op that refers to it.
class StatefulUse {
public:
  StatefulUse(Operation *op, func::FuncOp callee) : op(op), callee(callee), builder(op), numResults(ownResults()) {
    // An op may pass state itself, to a function that was written with state arguments.
    unsigned numInputs = isa<func::CallOp>(op) ? op->getNumOperands() : inputs().size();
    for (unsigned i = numInputs; i < callee.getNumArguments(); ++i)
      reads.push_back(ReadOp::create(builder, op->getLoc(), callee.getArgumentTypes()[i],
                                     callee.getArgAttrOfType<FlatSymbolRefAttr>(i, kStateAttr)));
    for (unsigned i = numResults; i < callee.getNumResults(); ++i)
      written.push_back(callee.getResultAttrOfType<FlatSymbolRefAttr>(i, kStateAttr));
  }

  void rewrite() {
    if (reads.empty() && written.empty())
      return;
    SmallVector<Type> types(callee.getResultTypes());
    llvm::append_range(types, llvm::drop_begin(op->getResultTypes(), numResults));
    Operation *made;
    if (isa<func::CallOp>(op))
      made = func::CallOp::create(builder, op->getLoc(), callee, with(op->getOperands()));
    else if (auto vmap = dyn_cast<VmapOp>(op))
      made = rewriteVmap(vmap);
    else if (auto grad = dyn_cast<ValueAndGradOp>(op))
      made = ValueAndGradOp::create(builder, op->getLoc(), types, grad.getCallee(), with(grad.getInputs()), grad.getWrt());
    else if (auto reverse = dyn_cast<VjpOp>(op))
      made = VjpOp::create(builder, op->getLoc(), types, reverse.getCallee(), with(reverse.getInputs()),
                           withZeros(reverse.getCotangents()), reverse.getWrt());
    else
      made = rewriteJvp(cast<JvpOp>(op), types);
    for (auto [i, name] : llvm::enumerate(written))
      WriteOp::create(builder, op->getLoc(), name, made->getResult(numResults + i));
    // The op's own results come before and after the state's; a jvp has the tangents of these at the end.
    for (auto [i, result] : llvm::enumerate(op->getResults()))
      result.replaceAllUsesWith(made->getResult(i < numResults ? i : i + written.size()));
    op->erase();
  }

private:
  ValueRange inputs() { return cast<FunctionTransformOpInterface>(op).getInputs(); }

  /// Returns the number of the function's results in the op; the function's types show where a jvp's tangents begin.
  unsigned ownResults() {
    if (isa<func::CallOp, VmapOp>(op))
      return op->getNumResults();
    if (auto wrt = op->getAttrOfType<DenseI64ArrayAttr>("wrt"); wrt && !isa<JvpOp>(op))
      return op->getNumResults() - wrt.size();
    unsigned own = 0, counted = 0;
    while (counted < op->getNumResults())
      counted += 1 + isFloatTensor(callee.getResultTypes()[own++]);
    return own;
  }

  SmallVector<Value> with(ValueRange inputs) {
    SmallVector<Value> all(inputs);
    all.append(reads);
    return all;
  }

  ArrayRef<Type> stateResults() { return callee.getResultTypes().take_back(written.size()); }

  /// Adds zero cotangents for new values of state.
  SmallVector<Value> withZeros(ValueRange cotangents) {
    SmallVector<Value> all(cotangents);
    for (Type type : stateResults())
      if (isFloatTensor(type))
        all.push_back(StateBuilder{builder, op->getLoc()}.splat(cast<RankedTensorType>(type), 0));
    return all;
  }

  /// Rewrites a vmap: all elements of a batch read the same state.
  Operation *rewriteVmap(VmapOp vmap) {
    SmallVector<int64_t> in(vmap.getInDims());
    in.append(reads.size(), VmapOp::kShared);
    return VmapOp::create(builder, op->getLoc(), SmallVector<Type>(vmap.getResultTypes()), vmap.getCallee(),
                          with(vmap.getInputs()), in);
  }

  Operation *rewriteJvp(JvpOp forward, SmallVector<Type> types) {
    for (Type type : stateResults())
      if (isFloatTensor(type))
        types.push_back(type);
    return JvpOp::create(builder, op->getLoc(), types, forward.getCallee(), with(forward.getInputs()), forward.getTangents(),
                         forward.getWrt());
  }

  Operation *op;
  func::FuncOp callee;
  OpBuilder builder;
  unsigned numResults; // of the function, as the op sees it
  SmallVector<Value> reads;
  SmallVector<FlatSymbolRefAttr> written;
};

/// Replaces reads and writes of one function by arguments and results.
class Threading {
public:
  Threading(func::FuncOp function, const Variables &variables) : function(function), variables(variables) {}

  LogicalResult run() {
    moveReadsOut();
    SmallVector<Operation *> accesses;
    WalkResult walked = function.walk([&](Operation *op) -> WalkResult {
      if (!isa<ReadOp, WriteOp>(op))
        return WalkResult::advance();
      if (op->getBlock() != &function.front())
        return op->emitOpError("must be in the body of its function, not in a region; yield the new value from the region, and "
                               "write the result");
      accesses.push_back(op);
      return WalkResult::advance();
    });
    if (walked.wasInterrupted())
      return failure();
    Names first, written;
    for (Operation *op : accesses) {
      StringAttr name = nameOf(op);
      if (isa<WriteOp>(op))
        written.insert(name);
      else if (!written.contains(name))
        first.insert(name);
    }
    addArguments(first);
    for (Operation *op : accesses)
      replace(op);
    addResults(written);
    return success();
  }

private:
  static StringAttr nameOf(Operation *op) { return op->getAttrOfType<FlatSymbolRefAttr>("variable").getAttr(); }

  /// Moves reads before branches and loops. Regions do not write, so the value is the same.
  void moveReadsOut() {
    SmallVector<ReadOp> inside;
    function.walk([&](ReadOp read) {
      if (read->getBlock() != &function.front())
        inside.push_back(read);
    });
    for (ReadOp read : inside) {
      Block *user = read->getBlock();
      read->moveBefore(function.front().findAncestorOpInBlock(*read));
      Value brought = bringInto(user, read.getResult());
      read.getResult().replaceUsesWithIf(brought, [&](OpOperand &use) { return use.getOwner()->getBlock() == user; });
    }
  }

  DictionaryAttr mark(VariableOp variable) {
    return DictionaryAttr::get(function.getContext(),
                               NamedAttribute(kStateAttr, FlatSymbolRefAttr::get(variable.getSymNameAttr())));
  }

  void addArguments(const Names &names) {
    for (VariableOp variable : variables.inOrder(names)) {
      unsigned index = function.getNumArguments();
      (void)function.insertArgument(index, variable.getType(), mark(variable), variable.getLoc());
      current[variable.getSymNameAttr()] = function.getArgument(index);
    }
  }

  void replace(Operation *op) {
    Value &value = current[nameOf(op)];
    if (auto write = dyn_cast<WriteOp>(op))
      value = write.getValue();
    else
      op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  void addResults(const Names &names) {
    Operation *end = function.front().getTerminator();
    for (VariableOp variable : variables.inOrder(names)) {
      (void)function.insertResult(function.getNumResults(), variable.getType(), mark(variable));
      end->insertOperands(end->getNumOperands(), current[variable.getSymNameAttr()]);
    }
  }

  func::FuncOp function;
  const Variables &variables;
  DenseMap<StringAttr, Value> current;
};

class LowerState : public lathe::impl::LowerStatePassBase<LowerState> {
public:
  using LowerStatePassBase::LowerStatePassBase;

  void runOnOperation() final {
    if (failed(markTreeSums()))
      return signalPassFailure();
    Variables variables(getOperation());
    Optimizer optimizer(variables);
    if (failed(checkRules(getOperation())) || failed(optimizer.plan(getOperation())))
      return signalPassFailure();
    makeInit(getOperation(), variables, optimizer.getSlots());
    states.clear();
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(lower(function, variables, optimizer)))
        return signalPassFailure();
  }

private:
  enum class Progress { Begun, Done };

  /// Marks the minimizes of the functions whose micro-batches are added as trees.
  LogicalResult markTreeSums() {
    for (const std::string &name : treeSums) {
      auto function = getOperation().lookupSymbol<func::FuncOp>(name);
      if (!function)
        return getOperation().emitError("there is no function @") << name << " whose micro-batches could be added";
      WalkResult walked = function.walk([&](MinimizeOp op) {
        std::optional<ArrayRef<int64_t>> split = op.getMicroBatches();
        if (split && dimsOf(op.getInputs()[split->front()]).front().isStatic()) {
          op->setAttr(kTreeSumsAttr, UnitAttr::get(op.getContext()));
          return WalkResult::advance();
        }
        op.emitError("an exact reduction adds micro-batches in an order that does not depend on the number of ranks; give the "
                     "minimize 'micro_batches', and fix their number with a type or --dim");
        return WalkResult::interrupt();
      });
      if (walked.wasInterrupted())
        return failure();
    }
    return success();
  }

  LogicalResult lower(func::FuncOp function, const Variables &variables, Optimizer &optimizer) {
    if (!states.try_emplace(function, Progress::Begun).second || function.isExternal()) {
      states[function] = Progress::Done;
      return success();
    }
    SmallVector<std::pair<Operation *, func::FuncOp>> uses;
    bool usesState = false;
    function.walk([&](Operation *op) {
      usesState |= isa<ReadOp, WriteOp>(op);
      if (func::FuncOp callee = calleeOf(op))
        uses.push_back({op, callee});
    });
    for (auto [op, callee] : uses) {
      auto found = states.find(callee);
      if (found != states.end() && found->second == Progress::Begun) {
        InFlightDiagnostic diagnostic = op->emitError("@")
                                        << callee.getSymName() << " calls itself through this op; recursion is not "
                                        << "supported; repeat with lathe.scan or lathe.while";
        diagnostic.attachNote(callee.getLoc()) << "@" << callee.getSymName() << " is declared here";
        return diagnostic;
      }
      if (failed(lower(callee, variables, optimizer)))
        return failure();
    }
    states[function] = Progress::Done;
    if (!usesState && uses.empty())
      return success();
    if (!function.getBody().hasOneBlock())
      return function.emitError("'") << function.getSymName() << "' must have one block";
    for (auto [op, callee] : uses) {
      if (auto minimize = dyn_cast<MinimizeOp>(op)) {
        if (op->getBlock() != &function.front())
          return op->emitError("lathe.minimize must be in the body of its function, not in a region: it writes variables; in a "
                               "loop, carry the parameters and use lathe.value_and_grad");
        optimizer.expand(minimize, callee);
        ++steps;
      } else {
        if (auto vmap = dyn_cast<VmapOp>(op); vmap && callee.getNumResults() != vmap.getNumResults()) {
          InFlightDiagnostic diagnostic = vmap.emitError("'lathe.vmap' of '")
                                          << callee.getSymName()
                                          << "', which writes variables: each element of the batch would; let it return "
                                             "the new value and write what its caller makes of all";
          diagnostic.attachNote(callee.getLoc()) << "'" << callee.getSymName() << "' is defined here";
          return diagnostic;
        }
        StatefulUse(op, callee).rewrite();
      }
    }
    return Threading(function, variables).run();
  }

  llvm::DenseMap<Operation *, Progress> states;
};
} // namespace
