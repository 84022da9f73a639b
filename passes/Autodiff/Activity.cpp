#include "passes/Autodiff/Activity.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// A tangent may flow from operands to float results.
static bool carries(const Rules &rules, Operation &op) {
  const Rule *rule = rules.find(&op);
  return (!rule || !rule->constant) && llvm::any_of(op.getResults(), [](Value result) { return isFloat(result); });
}

/// Notes for the way that a derivative would take: from the op back to an argument, then on to a result.
static void attachPath(InFlightDiagnostic &diagnostic, func::FuncOp function, Body &body, Operation *op,
                       const DenseSet<Value> &active) {
  constexpr unsigned longest = 8; // of either half; more would bury the error
  auto isActive = [&](Value value) { return active.contains(value); };
  Value source;
  unsigned length = 0;
  for (Operation *at = op; at; at = source.getDefiningOp()) {
    if (at != op && length++ < longest)
      diagnostic.attachNote(at->getLoc()) << "it gets a derivative from '" << at->getName() << "' here";
    source = *llvm::find_if(at->getOperands(), isActive);
  }
  diagnostic.attachNote(function.getLoc()) << "and this from argument " << cast<BlockArgument>(source).getArgNumber() << " of '"
                                           << function.getSymName() << "'";
  Value result = op->getResult(0);
  length = 0;
  while (!llvm::is_contained(body.yields, result)) {
    auto next = llvm::find_if(result.getUsers(), [&](Operation *user) { return llvm::any_of(user->getResults(), isActive); });
    if (next == result.getUsers().end() || length++ == longest)
      return;
    result = *llvm::find_if((*next)->getResults(), isActive);
    diagnostic.attachNote(next->getLoc()) << "its result goes on to '" << next->getName() << "' here";
  }
}

LogicalResult Activity::run(const Rules &rules, func::FuncOp function, Body &body, ArrayRef<bool> markedArguments,
                            ArrayRef<bool> wantedYields) {
  DenseSet<Value> useful;
  for (auto [value, wanted] : llvm::zip_equal(body.yields, wantedYields))
    if (wanted && isFloat(value))
      useful.insert(value);
  for (Operation &op : llvm::reverse(body.block))
    if (carries(rules, op) && llvm::any_of(op.getResults(), [&](Value result) { return useful.contains(result); }))
      useful.insert_range(llvm::make_filter_range(op.getOperands(), isFloat));

  for (auto [argument, marked] : llvm::zip_equal(body.block.getArguments(), markedArguments))
    if (marked && useful.contains(argument))
      active.insert(argument);
  Operation *unruly = nullptr;
  for (Operation &op : body.block) {
    if (!carries(rules, op) || llvm::none_of(op.getOperands(), [&](Value operand) { return isActive(operand); }))
      continue;
    for (Value result : op.getResults())
      if (isFloat(result) && useful.contains(result) && active.insert(result).second && !rules.find(&op) && !unruly)
        unruly = &op;
  }
  if (!unruly)
    return success();
  InFlightDiagnostic diagnostic = unruly->emitError("'")
                                  << unruly->getName() << "' has no derivative rule, and a derivative of '"
                                  << function.getSymName() << "' passes through it";
  attachPath(diagnostic, function, body, unruly, active);
  return diagnostic;
}
