// Replaces calls by the bodies of their callees.
#include "passes/Inline/Inline.h"
#include "dialects/Lathe/IR/DerivativeRules.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace lathe {
#define GEN_PASS_DEF_INLINEPASS
#include "passes/Inline/Inline.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
struct Inline : lathe::impl::InlinePassBase<Inline> {
  void runOnOperation() final {
    done.clear();
    active.clear();
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(inlineInto(function, symbols)))
        return signalPassFailure();
    eraseUnused(symbols);
  }

private:
  llvm::DenseSet<Operation *> done;
  llvm::SetVector<Operation *> active; // functions being inlined into, callers first

  LogicalResult inlineInto(func::FuncOp function, SymbolTable &symbols);
  LogicalResult inlineCall(func::CallOp call, func::FuncOp callee);
  void eraseUnused(SymbolTable &symbols);
};
} // namespace

/// Inlines calls into a function. Callees are processed first, so that a body has no calls left when it is copied.
LogicalResult Inline::inlineInto(func::FuncOp function, SymbolTable &symbols) {
  if (done.contains(function))
    return success();
  active.insert(function);
  SmallVector<func::CallOp> calls;
  function.walk([&](func::CallOp call) { calls.push_back(call); });
  for (func::CallOp call : calls) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return call.emitError("@") << call.getCallee() << " has no body; define every called function in the graph";
    if (hasRule(callee))
      continue;
    if (active.contains(callee)) {
      InFlightDiagnostic diagnostic = call.emitError("@") << call.getCallee() << " calls itself through this call; recursion "
                                                          << "is not supported";
      diagnostic.attachNote(callee.getLoc()) << "@" << call.getCallee() << " is declared here";
      return diagnostic;
    }
    if (failed(inlineInto(callee, symbols)) || failed(inlineCall(call, callee)))
      return failure();
  }
  active.remove(function);
  done.insert(function);
  return success();
}

LogicalResult Inline::inlineCall(func::CallOp call, func::FuncOp callee) {
  if (!callee.getBody().hasOneBlock())
    return callee.emitError("@") << callee.getSymName() << " has several blocks; a graph is one list of ops";
  OpBuilder builder(call);
  IRMapping mapping;
  mapping.map(callee.getArguments(), call.getOperands());
  for (Operation &op : callee.getBody().front().without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] : llvm::zip_equal(call.getResults(), callee.getBody().front().getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookup(value));
  call.erase();
  ++inlined;
  return success();
}

/// Erases unused functions in one walk from those that stay. There may be as many as ops: each use of a composite has its own.
void Inline::eraseUnused(SymbolTable &symbols) {
  auto mayGo = [](Operation &op) {
    auto function = dyn_cast<func::FuncOp>(op);
    return function && function.isPrivate();
  };
  SmallVector<Operation *> open;
  for (Operation &op : *getOperation().getBody())
    if (!mayGo(op))
      open.push_back(&op);
  llvm::DenseSet<Operation *> used;
  while (!open.empty()) {
    std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(open.pop_back_val());
    if (!uses) // an unknown op may use anything
      return;
    for (SymbolTable::SymbolUse use : *uses)
      if (Operation *op = symbols.lookup(use.getSymbolRef().getRootReference()); op && used.insert(op).second && mayGo(*op))
        open.push_back(op);
  }
  for (Operation &op : llvm::make_early_inc_range(*getOperation().getBody()))
    if (mayGo(op) && !used.contains(&op))
      symbols.erase(&op);
}
