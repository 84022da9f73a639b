// Initializers that become variables: the model's trainable state.
#include "lib/Import/ONNX/ImportOnnx.h"
#include "lib/Import/ONNX/Model.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

static bool isFloat(int dataType, MLIRContext *context) { return isa_and_nonnull<FloatType>(elementTypeOf(dataType, context)); }

bool Model::isState(const onnx::TensorProto &initializer) {
  if (states.empty() || fixed.count(initializer.name()) || !isFloat(initializer.data_type(), builder.getContext()))
    return false;
  bool isOne = false;
  for (auto [i, pattern] : llvm::enumerate(states))
    if (pattern.match(initializer.name())) {
      matches[i] = true;
      isOne = true;
    }
  return isOne;
}

VariableOp Model::addVariable(StringRef initializer, ElementsAttr value) {
  OpBuilder at(function);
  std::string symbol = options.prefix + initializer.str();
  if (symbol == function.getSymName())
    symbol += "_";
  Location place = NameLoc::get(builder.getStringAttr(initializer), location());
  return VariableOp::create(at, place, at.getStringAttr(symbol), cast<RankedTensorType>(value.getShapedType()), value);
}

LogicalResult Model::checkStates() {
  for (auto [pattern, matched] : llvm::zip(options.stateInitializers, matches)) {
    if (matched)
      continue;
    std::vector<std::string> names;
    for (const onnx::TensorProto &initializer : proto.graph().initializer())
      if (names.size() < 5 && isFloat(initializer.data_type(), builder.getContext()))
        names.push_back("'" + initializer.name() + "'");
    return refuse("--state: no float initializer matches '" + pattern + "'; there are " +
                  (names.empty() ? "none" : llvm::join(names, ", ") + (names.size() == 5 ? " ..." : "")));
  }
  return success();
}
