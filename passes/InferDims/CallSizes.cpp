#include "passes/InferDims/CallSizes.h"
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

Dims lathe::declaredDims(func::FuncOp function, unsigned argument) {
  auto type = cast<RankedTensorType>(function.getArgumentTypes()[argument]);
  auto names = function.getArgAttrOfType<DimsAttr>(argument, kDimsAttr);
  if (!names)
    return dimsOf(type);
  return dimsOf(RankedTensorType::get(type.getShape(), type.getElementType(), names));
}

void lathe::takeSizesOf(func::FuncOp declared, func::CallOp call, MayBeEqual mayBeEqual) {
  std::map<std::string, Dim> values; // of the names that a private function gives its own arguments
  for (OpOperand &operand : call->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    Dims formals = declaredDims(declared, operand.getOperandNumber()), dims = dimsOf(type);
    if (formals.size() != dims.size())
      return; // reported when the types are compared
    for (auto [formal, dim] : llvm::zip_equal(formals, dims)) {
      SmallVector<std::string> names = namesIn(formal);
      if (declared.isPrivate() && names.size() == 1 && formal == Dim::named(names[0]))
        values.emplace(names[0], dim);
      if (Dim expected = formal.substitute(values); expected != dim && mayBeEqual(expected, dim))
        dim = expected;
    }
    takeAs(operand, tensorOf(dims, type.getElementType()), "a call of @" + call.getCallee().str(), mayBeEqual);
  }
}
