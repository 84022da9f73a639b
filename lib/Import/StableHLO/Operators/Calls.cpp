// Calls, which are inlined: of functions, and of composites by their decompositions.
#include "lib/Import/StableHLO/Operators/Operators.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

static void inlineCall(HloNode &node, StringRef callee) {
  std::string reason;
  SmallVector<Value> results =
      node.program.inlineFunction(callee, node.operandRange(0, node.operands()), node.isLifted(), reason);
  if (!reason.empty())
    return node.refuse(reason);
  if (results.size() != node.results() || llvm::is_contained(results, Value()))
    return node.refuseAsTold();
  node.set(results);
}

static void call(HloNode &node) {
  StringRef callee = cast<func::CallOp>(node.op).getCallee();
  namePassedSizes(node, callee);
  if (node.isLifted() || !customGradientCall(node, callee))
    inlineCall(node, callee);
}

static void composite(HloNode &node) {
  if (node.word("name") == "lathe.custom_gradient" && !node.isLifted())
    return customGradient(node);
  inlineCall(node, node.op->getAttrOfType<FlatSymbolRefAttr>("decomposition").getValue());
}

void hloimport::addCalls(Converters &converters) {
  converters["func.call"] = call;
  converters["stablehlo.composite"] = composite;
  converters["stablehlo.custom_call"] = customCall;
}
