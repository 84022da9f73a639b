// An exchange with other ranks begins when its operand is complete, and other kernels run until its result is needed:
//
//   before:  a = kernel; s = all_reduce(a); b = kernel; t = all_reduce(b); c = kernel(s, t)
//   after:   a = kernel; start s; b = kernel; start t; wait s; wait t; c = kernel(s, t)
//
// An update that needs only its own gradient waits until the last exchange has begun:
//
//   before:  s = reduce_scatter(a); u = update(s); b = kernel; t = reduce_scatter(b); v = update(t)
//   after:   start s; b = kernel; start t; wait s; u = update(s); wait t; v = update(t)
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/Explain.h"
#include "passes/Collectives/Collectives.h"
#include "llvm/ADT/SetVector.h"

namespace lathe {
#define GEN_PASS_DEF_OVERLAPPASS
#include "passes/Collectives/Collectives.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
struct Overlap : lathe::impl::OverlapPassBase<Overlap> {
  void runOnOperation() final {
    Block &block = getOperation().front();
    SmallVector<KernelOp> exchanges;
    for (Operation &op : block) {
      auto kernel = dyn_cast<KernelOp>(op);
      if (kernel && collectiveOf(kernel) && kernel.getInputs().size() == 1)
        exchanges.push_back(kernel);
      else if (mayFail(&op))
        return; // an entry that it ends would leave an exchange behind, which still uses the workspace
    }
    if (exchanges.empty())
      return;
    for (KernelOp kernel : exchanges)
      hoist(kernel);
    Exchanges all(exchanges.begin(), exchanges.end()), followed;
    // Another exchange follows on what is computed from the result: updates of parts, which are gathered.
    for (KernelOp kernel : exchanges)
      if (llvm::any_of(dependents(kernel, nullptr), [&](Operation *op) { return all.contains(op); }))
        followed.insert(kernel);
    sinkUpdates(followed);
    sinkUpdates(all);
    Operation *last = lastOf(all);
    for (KernelOp kernel : exchanges)
      split(kernel, last);
  }

private:
  using Exchanges = llvm::SmallSetVector<Operation *, 16>;

  static Operation *lastOf(const Exchanges &exchanges) {
    return *llvm::max_element(exchanges, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  }

  /// Returns the ops in front of `end` that depend on an exchange, in order; those of the whole block for null.
  static Exchanges dependents(Operation *exchange, Operation *end) {
    Exchanges found;
    for (Operation *op = exchange->getNextNode(); op && op != end; op = op->getNextNode())
      if (llvm::any_of(op->getOperands(), [&](Value operand) {
            return operand.getDefiningOp() == exchange || found.contains(operand.getDefiningOp());
          }))
        found.insert(op);
    return found;
  }

  /// True if the value takes no workspace: an argument, a constant or a few numbers.
  static bool isFree(Value value) {
    while (auto reshape = value.getDefiningOp<ReshapeOp>())
      value = reshape.getOperand();
    auto type = cast<RankedTensorType>(value.getType());
    bool isSmall = type.hasStaticShape() && type.getNumElements() <= 64;
    return isSmall || isa<BlockArgument>(value) || value.getDefiningOp<ConstantOp>();
  }

  /// Moves updates, which read the result of an exchange and the state, behind the last one of the exchanges, unless one of
  /// these depends on them. What also reads other values stays, since these would have to be kept for it.
  static void sinkUpdates(const Exchanges &exchanges) {
    if (exchanges.empty())
      return;
    Operation *last = lastOf(exchanges), *end = last->getNextNode();
    SmallPtrSet<Operation *, 16> sunk;
    for (Operation *kernel : exchanges) {
      Exchanges users = dependents(kernel, end);
      auto mayWait = [&](Operation *op) {
        return !exchanges.contains(op) && op->getNumResults() && llvm::all_of(op->getOperands(), [&](Value operand) {
          Operation *from = operand.getDefiningOp();
          return from == kernel || users.contains(from) || isFree(operand);
        });
      };
      if (llvm::all_of(users, mayWait))
        sunk.insert(users.begin(), users.end());
    }
    for (Operation *op = &last->getBlock()->front(), *next; op != last; op = next) {
      next = op->getNextNode();
      if (sunk.contains(op))
        op->moveBefore(end);
    }
  }

  /// Moves an exchange behind the op that completes its operand. All ranks have the same graph, and so the same order.
  void hoist(KernelOp kernel) {
    Operation *place = kernel.getInputs().front().getDefiningOp();
    Operation *next = place ? place->getNextNode() : &kernel->getBlock()->front();
    while (auto other = dyn_cast<KernelOp>(next)) { // of the same operand or place
      if (other == kernel || !collectiveOf(other))
        break;
      next = next->getNextNode();
    }
    if (next != kernel)
      kernel->moveBefore(next);
  }

  /// Lets the kernel only start its exchange. What follows the last exchange may update variables, which must not fail any
  /// more.
  void split(KernelOp kernel, Operation *last) {
    Operation *wanted = last->getNextNode();
    for (Operation *user : kernel.getResult(0).getUsers())
      if (Operation *at = kernel->getBlock()->findAncestorOpInBlock(*user); at->isBeforeInBlock(wanted))
        wanted = at;
    if (wanted == kernel->getNextNode())
      return; // nothing runs in between
    collectiveOf(kernel)->setAttr(kStartsAttr, UnitAttr::get(&getContext()));
    OpBuilder builder(wanted);
    Value started = kernel.getResult(0), operand = kernel.getInputs().front();
    auto wait = KernelOp::create(builder, kernel.getLoc(), started.getType(), ValueRange{started, operand});
    started.replaceAllUsesExcept(wait.getResult(0), wait);
    Block *body = builder.createBlock(&wait.getBody());
    body->addArguments({started.getType(), operand.getType()}, {kernel.getLoc(), kernel.getLoc()});
    Value result = CollectiveWaitOp::create(builder, kernel.getLoc(), body->getArgument(0), body->getArgument(1)).getResult();
    YieldOp::create(builder, kernel.getLoc(), result);
    explain(kernel.getLoc(), "plan", "{} over '{}' runs while other kernels do",
            collectiveOf(kernel)->getName().stripDialect().str(), collectiveOf(kernel).getAxis().str());
    ++overlapped;
  }
};
} // namespace
