#include "lib/Import/OpenCalls.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace lathe;

/// True if both are tensors that differ only where one of them has an open size.
static bool differsInOpenSizes(Type a, Type b) {
  auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
  return a != b && left && right && left.getElementType() == right.getElementType() &&
         succeeded(verifyCompatibleShape(left.getShape(), right.getShape()));
}

static void openCall(func::CallOp call, func::FuncOp callee) {
  OpBuilder builder(call);
  auto cast = [&](Value value, Type type) {
    return UnrealizedConversionCastOp::create(builder, call.getLoc(), type, value).getResult(0);
  };
  for (auto [operand, type] : llvm::zip(call->getOpOperands(), callee.getArgumentTypes()))
    if (differsInOpenSizes(operand.get().getType(), type))
      operand.set(cast(operand.get(), type));
  builder.setInsertionPointAfter(call);
  for (auto [result, type] : llvm::zip(call.getResults(), callee.getResultTypes())) {
    Type declared = result.getType();
    if (!differsInOpenSizes(declared, type))
      continue;
    result.setType(type);
    Value given = cast(result, declared);
    result.replaceAllUsesExcept(given, given.getDefiningOp());
  }
}

LogicalResult lathe::openCalls(ModuleOp module, llvm::DenseSet<Operation *> &faulty) {
  bool good = true;
  module.walk([&](UnrealizedConversionCastOp op) {
    op.emitError("'") << op->getName() << "' is no op of a graph; a reshape gives a tensor another shape";
    faulty.insert(op);
    good = false;
  });
  SymbolTable symbols(module);
  SmallVector<std::pair<func::CallOp, func::FuncOp>> calls;
  module.walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (callee && callee.isPrivate() && !callee.isExternal() && !faulty.contains(call) && !faulty.contains(callee))
      calls.emplace_back(call, callee);
  });
  for (auto [call, callee] : calls)
    openCall(call, callee);
  return success(good);
}
