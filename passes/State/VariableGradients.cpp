// Adds gradients by variables to the entries of --grad.
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/SourcePlace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/State/State.h"

namespace lathe {
#define GEN_PASS_DEF_VARIABLEGRADIENTSPASS
#include "passes/State/State.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

/// Returns the number of the argument that holds a variable, or nullopt.
static std::optional<unsigned> argumentOf(func::FuncOp function, FlatSymbolRefAttr variable) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, kStateAttr) == variable)
      return i;
  return std::nullopt;
}

/// Adds the gradients by these variables behind the function's own results.
static LogicalResult complete(func::FuncOp function, ArrayAttr variables) {
  auto grad = *function.front().getOps<ValueAndGradOp>().begin();
  auto end = cast<func::ReturnOp>(function.front().getTerminator());
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(grad, grad.getCalleeAttr());
  SmallVector<int64_t> wrt(grad.getWrt());
  SmallVector<Type> types(grad.getResultTypes());
  unsigned first = types.size();
  for (auto variable : variables.getAsRange<FlatSymbolRefAttr>()) {
    std::optional<unsigned> argument = argumentOf(callee, variable);
    if (!argument)
      return emitError(optionPlace("--grad", function.getLoc())) << "@" << callee.getSymName() << " does not read the variable "
                                                                 << variable << ", by which a gradient is to be taken";
    wrt.push_back(*argument);
    types.push_back(callee.getArgumentTypes()[*argument]);
  }
  OpBuilder builder(grad);
  auto made = ValueAndGradOp::create(builder, grad.getLoc(), types, grad.getCalleeAttr(), grad.getInputs(),
                                     builder.getDenseI64ArrayAttr(wrt));
  for (auto [old, now] : llvm::zip(grad.getResults(), made.getResults()))
    old.replaceAllUsesWith(now);
  grad.erase();

  unsigned place = 0; // in front of the new values of variables
  while (place < function.getNumResults() && !function.getResultAttr(place, kStateAttr))
    ++place;
  for (auto [i, variable] : llvm::enumerate(variables.getAsRange<FlatSymbolRefAttr>())) {
    auto name = builder.getNamedAttr(kNameAttr, builder.getStringAttr("gradient_" + variable.getValue()));
    (void)function.insertResult(place + i, types[first + i], builder.getDictionaryAttr(name));
    end->insertOperands(place + i, made.getResult(first + i));
  }
  return success();
}

namespace {
struct VariableGradients : lathe::impl::VariableGradientsPassBase<VariableGradients> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (auto variables = dyn_cast_or_null<ArrayAttr>(function->removeAttr(kVariableGradientsAttr))) {
        if (failed(complete(function, variables)))
          return signalPassFailure();
        gradients += variables.size();
      }
  }
};
} // namespace
