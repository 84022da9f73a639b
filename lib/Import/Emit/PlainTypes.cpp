#include "lib/Import/Emit/PlainTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace lathe;

/// Updates an op's result types by its own inference, for ops that do not accept plain `?`: a dynamic_slice of a named size
/// from an operand of fixed size has a name in its result.
static void inferAgain(Operation *op) {
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  SmallVector<Type> types;
  if (!inference || op->getNumRegions() ||
      failed(inference.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(), op->getDiscardableAttrDictionary(),
                                        op->getPropertiesStorage(), op->getRegions(), types)) ||
      inference.isCompatibleReturnTypes(types, op->getResultTypes()))
    return;
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
}

void lathe::stripNames(func::FuncOp function) {
  auto plain = [](Type type) -> Type {
    auto tensor = cast<RankedTensorType>(type);
    return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
  };
  for (BlockArgument argument : function.getArguments())
    argument.setType(plain(argument.getType()));
  function.walk<WalkOrder::PreOrder>([&](Operation *op) { // operands before their users
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.front().getArguments())
        argument.setType(plain(argument.getType()));
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        result.setType(plain(result.getType()));
    inferAgain(op);
  });
  Block &block = function.getBody().front();
  function.setFunctionType(
      FunctionType::get(function.getContext(), block.getArgumentTypes(), block.getTerminator()->getOperandTypes()));
}
