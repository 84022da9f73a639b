#include "passes/Autodiff/Activity.h"
#include "passes/Autodiff/Flow.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// True if a tangent may flow from one value to another through this op: both are floats, and the derivative is not always
/// zero.
static bool carries(const Rules &rules, Operation *op, Value from, Value to) {
  const Rule *rule = rules.find(op);
  return (!rule || !rule->constant) && isFloat(from) && isFloat(to);
}

/// Returns the first op, in program order, through which a derivative passes and that has no rule.
static Operation *findUnruly(const Rules &rules, const Piece &body, const DenseSet<Value> &active) {
  for (Operation &op : body.ops()) {
    if (!isControl(&op) && !rules.find(&op) && llvm::any_of(op.getResults(), [&](Value v) { return active.contains(v); }))
      return &op;
    for (Region &region : op.getRegions())
      if (Operation *inside = findUnruly(rules, Piece::of(region), active))
        return inside;
  }
  return nullptr;
}

namespace {
/// Adds notes for the path of a derivative: from an op back to an argument, then on to a result.
class Path {
public:
  Path(InFlightDiagnostic &diagnostic, const DenseSet<Value> &active) : diagnostic(diagnostic), active(active) {}

  void back(Operation *op, func::FuncOp function) {
    Value source = firstActive(op->getOperands());
    for (unsigned length = 0; source;) {
      auto argument = dyn_cast<BlockArgument>(source);
      if (argument && !argument.getOwner()->getParentOp()) {
        diagnostic.attachNote(function.getLoc())
            << "which depends on argument " << argument.getArgNumber() << " of '" << function.getSymName() << "'";
        return;
      }
      if (Operation *maker = source.getDefiningOp(); maker && length++ < longest)
        diagnostic.attachNote(maker->getLoc()) << "its derivative depends on '" << maker->getName() << "' here";
      source = firstActive(directSources(source));
    }
  }

  void forward(Operation *op, ArrayRef<Value> yields) {
    Value result = op->getResult(0);
    for (unsigned length = 0; !llvm::is_contained(yields, result);) {
      Value next;
      for (OpOperand &use : result.getUses())
        if (!next)
          next = firstActive(directTargets(use));
      if (!next)
        return;
      if (Operation *user = next.getDefiningOp()) {
        if (length++ == longest)
          return;
        diagnostic.attachNote(user->getLoc()) << "its result is used by '" << user->getName() << "' here";
      }
      result = next;
    }
  }

private:
  static constexpr unsigned longest = 8; // notes for either half; more would bury the error

  /// Returns the first active value that has not been visited: loops lead back.
  Value firstActive(ValueRange values) {
    auto found = llvm::find_if(values, [&](Value value) { return active.contains(value) && seen.insert(value).second; });
    return found == values.end() ? Value() : *found;
  }

  InFlightDiagnostic &diagnostic;
  const DenseSet<Value> &active;
  DenseSet<Value> seen;
};
} // namespace

LogicalResult Activity::run(const Rules &rules, func::FuncOp function, Body &body, ArrayRef<bool> markedArguments,
                            ArrayRef<bool> wantedYields) {
  SmallVector<Value> wanted, marked;
  for (auto [value, isWanted] : llvm::zip_equal(body.yields, wantedYields))
    if (isWanted && isFloat(value))
      wanted.push_back(value);
  DenseSet<Value> useful =
      dependencies(wanted, [&](Operation *op, Value from, Value to) { return carries(rules, op, from, to); });
  for (auto [argument, isMarked] : llvm::zip_equal(body.block.getArguments(), markedArguments))
    if (isMarked && useful.contains(argument))
      marked.push_back(argument);
  active = dependents(marked,
                      [&](Operation *op, Value from, Value to) { return carries(rules, op, from, to) && useful.contains(to); });

  Operation *unruly = findUnruly(rules, Piece::of(body), active);
  if (!unruly)
    return success();
  InFlightDiagnostic diagnostic = unruly->emitError("'")
                                  << unruly->getName() << "' has no derivative rule, and a derivative of '"
                                  << function.getSymName() << "' passes through it";
  Path path(diagnostic, active);
  path.back(unruly, function);
  path.forward(unruly, body.yields);
  return diagnostic;
}
