// An exchange with other ranks begins when its operand is complete, and other kernels run until its result is needed:
//
//   before:  a = kernel; s = all_reduce(a); b = kernel; t = all_reduce(b); c = kernel(s, t)
//   after:   a = kernel; start s; b = kernel; start t; wait s; wait t; c = kernel(s, t)
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/Explain.h"
#include "passes/Collectives/Collectives.h"

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
    Operation *last = exchanges.front();
    for (KernelOp kernel : exchanges)
      if (last->isBeforeInBlock(kernel))
        last = kernel;
    for (KernelOp kernel : exchanges)
      split(kernel, last);
  }

private:
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
