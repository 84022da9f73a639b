// The application's functions: their derivatives are functions of the application, too.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

static SmallVector<Value> tangentsOfExtern(Emit &e, ExternOp op, Values tangents) {
  if (!op.getTangent() && !op.getGradient()) {
    e.fail(op, "of @" + op.getCallee() +
                   " has no derivative; declare one with `gradient [@function]` or `tangent @function`, or stop the "
                   "gradient with lathe.stop_gradient");
    return {};
  }
  SmallVector<Value> given;
  for (auto [input, tangent] : llvm::zip_equal(op.getInputs(), tangents))
    if (isFloat(input))
      given.push_back(tangent ? tangent : e.zeros(input.getType()));
  auto made = ExternTangentOp::create(e.getBuilder(), op.getLoc(), op.getCallee(), op.getInputs(), op.getResults(), given,
                                      op.getTangentAttr(), op.getGradientAttr());
  SmallVector<Value> results;
  auto next = made.getResults().begin();
  for (Value result : op.getResults())
    results.push_back(isFloat(result) ? Value(*next++) : Value());
  return results;
}

/// Computes the cotangents of all float inputs with one call.
static void transposeExternTangent(Emit &e, ExternTangentOp op, Values arguments, Values cotangents,
                                   MutableArrayRef<Value> out) {
  if (!op.getGradient()) {
    e.fail(op, "of @" + op.getCallee() +
                   " cannot be transposed: its lathe.extern has a tangent and no gradient; reverse "
                   "derivatives need `gradient [@function]`");
    return;
  }
  size_t numPrimals = op.getInputs().size() + op.getOutputs().size();
  ExternSignature primal{op.getCallee().str(), llvm::to_vector(op.getInputs().getTypes()),
                         llvm::to_vector(op.getOutputs().getTypes())};
  ArrayRef<Attribute> gradients = op.getGradientAttr().getValue();
  auto gradient = cast<FlatSymbolRefAttr>(gradients.front());
  SmallVector<Value> operands(arguments.take_front(numPrimals));
  for (auto [result, cotangent] : llvm::zip_equal(op.getResults(), cotangents))
    operands.push_back(cotangent ? cotangent : e.zeros(result.getType()));
  ArrayAttr further;
  if (gradients.size() > 1)
    further = e.getBuilder().getArrayAttr(gradients.drop_front());
  ExternOp call =
      callExtern(e.getBuilder(), op.getLoc(), gradient, operands, gradientOf(primal, gradient.getValue()).outputs, further);
  for (auto [i, result] : llvm::enumerate(call.getResults()))
    if (!arguments[numPrimals + i])
      out[numPrimals + i] = result;
}

LogicalResult autodiff::callTangent(ExternTangentOp op) {
  if (!op.use_empty()) {
    if (!op.getTangent())
      return op.emitError("'lathe.extern' of @") << op.getCallee() << " has a gradient and no tangent; forward derivatives, "
                                                 << "lathe.jvp, need `tangent @function`";
    OpBuilder builder(op);
    ExternOp call = callExtern(builder, op.getLoc(), op.getTangentAttr(), op.getOperands(), op.getResultTypes());
    op.replaceAllUsesWith(call.getResults());
  }
  op.erase();
  return success();
}

void autodiff::addExternRules(Rules &rules) {
  rules.add<ExternOp>().tangents(tangentsOfExtern);
  rules.add<ExternTangentOp>().linearJointly().transposes(transposeExternTangent);
}
