// The composite for functions with derivatives of their own, which the Python package writes for those of jax.custom_jvp and
// jax.custom_vjp.
#include "dialects/Lathe/IR/EraseUnused.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/StableHLO/Operators/Operators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

namespace {
/// Converts a composite of arguments and a cotangent of each float result. Its decomposition returns the results and a
/// cotangent of each float argument. The composite's own results are the results; the cotangents are unused.
class CustomGradient {
public:
  CustomGradient(HloNode &node, unsigned arguments, unsigned results)
      : node(node), program(node.program), builder(node.program.builder),
        callee(node.op->getAttrOfType<FlatSymbolRefAttr>("decomposition").getValue()), arguments(arguments), results(results),
        given(node.operandRange(0, node.operands())) {}

  /// Returns the values of the composite's results; nothing after a refusal.
  SmallVector<Value> call() {
    std::string name;
    do
      name = "custom_gradient." + std::to_string(program.customGradients++);
    while (program.made.lookupSymbol(name));
    ValueRange operands = ValueRange(given).take_front(arguments);
    Function function = declare(name, operands.getTypes());
    define(function, [&](ValueRange made, Block &) { return SmallVector<Value>(made.take_front(results)); });
    Function forward = declare(name + ".forward", operands.getTypes());
    define(forward, [&](ValueRange made, Block &block) {
      SmallVector<Value> all(made.take_front(results));
      llvm::append_range(all, block.getArguments()); // the residuals
      return all;
    });
    Function backward = declare(name + ".backward", ValueRange(given).getTypes());
    define(backward, [&](ValueRange made, Block &) { return SmallVector<Value>(made.drop_front(results)); });
    if (node.failed())
      return {};
    function->setAttr(kGradientAttr, builder.getArrayAttr({FlatSymbolRefAttr::get(forward.getSymNameAttr()),
                                                           FlatSymbolRefAttr::get(backward.getSymNameAttr())}));
    auto called = func::CallOp::create(builder, node.op->getLoc(), function, operands);
    SmallVector<Value> values(called.getResults());
    for (unsigned i = results; i < node.results(); ++i)
      values.push_back(node.broadcast(node.zero(node.resultElement(i)), {}, node.resultDims(i)));
    return values;
  }

private:
  using Function = func::FuncOp;

  Function declare(const Twine &name, TypeRange inputs) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(program.made.getBody());
    auto function = Function::create(builder, node.op->getLoc(), name.str(), builder.getFunctionType(inputs, {}));
    function.setPrivate();
    function.addEntryBlock();
    return function;
  }

  /// Imports the decomposition into a function, which returns what `choose` takes of its results. Cotangents that the function
  /// does not have are zeros.
  void define(Function function, function_ref<SmallVector<Value>(ValueRange made, Block &block)> choose) {
    OpBuilder::InsertionGuard guard(builder);
    Block &block = function.getBody().front();
    builder.setInsertionPointToEnd(&block);
    SmallVector<Value> values(block.getArguments());
    for (Value value : ArrayRef(given).drop_front(values.size()))
      values.push_back(node.broadcast(node.zero(elementOfValue(value)), {}, dimsOfValue(value)));
    std::string reason;
    SmallVector<Value> made = program.inlineFunction(callee, values, /*isLifted=*/false, reason);
    if (!reason.empty())
      node.refuse(reason);
    if (made.size() != node.results() || llvm::is_contained(made, Value()))
      return node.refuseAsTold();
    SmallVector<Value> returned = choose(made, block);
    func::ReturnOp::create(builder, node.op->getLoc(), returned);
    eraseUnused(block, [](Operation *op) { return isOpTriviallyDead(op); });
    function.setFunctionType(builder.getFunctionType(block.getArgumentTypes(), ValueRange(returned).getTypes()));
  }

  HloNode &node;
  Program &program;
  OpBuilder &builder;
  StringRef callee;
  unsigned arguments, results;
  SmallVector<Value> given;
};
} // namespace

/// Returns a number of the composite's attributes, or -1.
static int64_t attributeOf(HloNode &node, StringRef name) {
  DictionaryAttr attributes = node.dictionary("composite_attributes");
  auto number = attributes ? attributes.getAs<IntegerAttr>(name) : IntegerAttr();
  return number ? number.getInt() : -1;
}

void hloimport::customGradient(HloNode &node) {
  int64_t arguments = attributeOf(node, "arguments"), results = attributeOf(node, "results");
  if (arguments < 0 || arguments > node.operands() || results < 0 || results > node.results())
    return node.refuse("expected attributes 'arguments' and 'results', the numbers of operands and results without cotangents");
  for (Value operand : node.operandRange(0, node.operands()))
    if (!cast<RankedTensorType>(operand.getType()).hasStaticShape())
      return node.refuse("a function with a derivative of its own must have sizes that are numbers");
  SmallVector<Value> values = CustomGradient(node, arguments, results).call();
  if (!values.empty() || !node.results())
    node.set(values);
}
