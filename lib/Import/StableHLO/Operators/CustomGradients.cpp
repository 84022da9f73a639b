// Functions with derivatives of their own, which the Python package writes for those of jax.custom_jvp and jax.custom_vjp: a
// composite, or with open sizes a call of a function whose name has the composite's attributes.
#include "dialects/Lathe/IR/EraseUnused.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/Emit/PlainTypes.h"
#include "lib/Import/StableHLO/Operators/Operators.h"
#include "lib/Import/StableHLO/Sizes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

namespace {
/// Converts a composite of arguments and a cotangent of each float result. Its decomposition returns the results and a
/// cotangent of each float argument. The composite's own results are the results; the cotangents are unused.
class CustomGradient {
public:
  /// The first `sizes` operands are the sizes that dimensions are named by.
  CustomGradient(HloNode &node, StringRef callee, unsigned sizes, unsigned arguments, unsigned results)
      : node(node), program(node.program), builder(node.program.builder), callee(callee), arguments(arguments),
        results(results) {
    SmallVector<Value> operands = node.operandRange(sizes, node.operands());
    Sources sources = sourcesOf(ArrayRef(operands).take_front(arguments));
    for (unsigned i = 0; i < sizes; ++i) {
      Dims known = node.knownDims(i);
      bool isFound =
          known.size() == 1 && llvm::all_of(namesIn(known[0]), [&](const std::string &name) { return sources.contains(name); });
      named.push_back(isFound ? std::optional(known[0]) : std::nullopt);
      if (!isFound)
        given.push_back(node.operand(i));
    }
    this->arguments += given.size();
    given.append(operands);
  }

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
    for (Function each : {function, forward, backward})
      declareDims(each);
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
    SmallVector<Value> own(block.getArguments());
    auto outer = std::exchange(program.dimSources, sourcesOf(own));
    llvm::scope_exit restore([&] { program.dimSources = std::move(outer); });
    SmallVector<Value> values;
    unsigned passed = 0;
    for (auto [i, dim] : llvm::enumerate(named))
      values.push_back(dim ? node.size(*dim, node.element(i)) : own[passed++]);
    values.append(own.begin() + passed, own.end());
    for (Value value : ArrayRef(given).drop_front(block.getNumArguments()))
      values.push_back(node.broadcast(node.zero(elementOfValue(value)), {}, dimsOfValue(value)));
    if (node.failed())
      return;
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

  /// Names the dimensions of a function's arguments by attributes, as in text, rather than by its types.
  static void declareDims(Function function) {
    for (BlockArgument argument : function.getArguments())
      if (auto names = dyn_cast_or_null<DimsAttr>(cast<RankedTensorType>(argument.getType()).getEncoding()))
        function.setArgAttr(argument.getArgNumber(), kDimsAttr, names);
    stripNames(function);
  }

  using Sources = std::map<std::string, std::pair<Value, int64_t>>;

  /// Returns the dimensions of values that are named sizes.
  static Sources sourcesOf(ArrayRef<Value> values) {
    Sources sources;
    for (Value value : values)
      for (auto [i, dim] : llvm::enumerate(dimsOfValue(value)))
        if (!dim.isStatic() && !dim.isUnknown())
          sources.try_emplace(dim.str(), value, i);
    return sources;
  }

  HloNode &node;
  Program &program;
  OpBuilder &builder;
  StringRef callee;
  unsigned arguments, results;
  SmallVector<Value> given; // the arguments and cotangents
  // Sizes among the composite's first operands that dimensions of its arguments have; others are arguments, as data.
  SmallVector<std::optional<Dim>> named;
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
      return node.refuse("a composite with a derivative of its own must have sizes that are numbers");
  StringRef callee = node.op->getAttrOfType<FlatSymbolRefAttr>("decomposition").getValue();
  node.set(CustomGradient(node, callee, /*sizes=*/0, arguments, results).call());
}

bool hloimport::customGradientCall(HloNode &node, StringRef callee) {
  unsigned arguments = 0, results = 0, cotangents = 0;
  StringRef name = callee;
  if (!name.consume_front("lathe.custom_gradient.") || name.consumeInteger(10, arguments) || !name.consume_front(".") ||
      name.consumeInteger(10, results) || results > node.results())
    return false;
  for (unsigned i = 0; i < results; ++i)
    cotangents += isa<FloatType>(node.resultElement(i));
  if (arguments + cotangents > node.operands())
    return false;
  node.set(CustomGradient(node, callee, node.operands() - arguments - cotangents, arguments, results).call());
  return true;
}
