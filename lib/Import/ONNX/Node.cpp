#include "lib/Import/ONNX/Node.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/Limits.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

// ---- Results

void Node::set(int output, Value value) {
  if (value && wants(output))
    graph.bind(proto.output(output), value);
}

void Node::set(int output, Entry *entry) {
  if (wants(output))
    graph.bind(proto.output(output), entry);
}

void Node::set(int output, Known known) {
  if (!wants(output))
    return;
  if (known.rank() > kMostRank)
    return refuse("its result has " + Twine(known.rank()) + " dimensions, expected up to " + Twine(kMostRank));
  graph.bind(proto.output(output), std::move(known));
}

// ---- Building. If an op's own inference refuses its operands, the node is refused for that reason.

Value Node::emitNamed(StringRef name, ValueRange given, ArrayRef<NamedAttribute> attributes) {
  if (failed() || llvm::is_contained(given, Value())) {
    refuse("an operand is missing");
    return {};
  }
  MLIRContext *context = graph.getContext();
  OperationState state(location, name, given, {}, attributes);
  RegisteredOperationName info = *state.name.getRegisteredInfo();
  if (info.hasTrait<ElementwiseTrait>())
    stretchOperands(state.operands);
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    refuse(diagnostic.str());
    return success();
  });
  DictionaryAttr dictionary = state.attributes.getDictionary(context);
  int size = info.getOpPropertyByteSize(); // 0 for an op without attributes
  auto storage = std::make_unique<char[]>(std::max(1, size));
  OpaqueProperties properties(size ? storage.get() : nullptr);
  auto emitError = [&] { return mlir::emitError(location); };
  if (size)
    info.initOpProperties(properties, OpaqueProperties(nullptr));
  auto infer = [&](ValueRange operands) {
    state.types.clear();
    return info.getInterface<InferTypeOpInterface>()->inferReturnTypes(context, location, operands, dictionary, properties, {},
                                                                       state.types);
  };
  bool good = (!size || succeeded(info.setOpPropertiesFromAttribute(state.name, properties, dictionary, emitError))) &&
              succeeded(inferWithChecks(graph.getBuilder(), location, name, state.operands, canBeEqual, infer));
  if (size)
    info.destroyOpProperties(properties);
  if (!good) {
    refuse(name + " does not accept these operands");
    return {};
  }
  for (Type type : state.types)
    if (int64_t rank = cast<RankedTensorType>(type).getRank(); rank > kMostRank) {
      refuse("its result has " + Twine(rank) + " dimensions, expected up to " + Twine(kMostRank));
      return {};
    }
  Operation *op = graph.getBuilder().create(state);
  if (mlir::failed(mlir::verify(op))) {
    op->erase();
    return {};
  }
  return op->getNumResults() ? op->getResult(0) : Value();
}

/// Names the dimensions of a composite's result, which has no names before it is expanded. The composites that converters use
/// keep the dimensions of their first operand that they do not reduce; attention has the last one of the values. Other
/// dimensions stay unknown.
static void nameDims(Value result, StringRef name, ValueRange operands, ArrayRef<NamedAttribute> options) {
  auto type = cast<RankedTensorType>(result.getType());
  Dims dims = dimsOf(operands[0]);
  if (name == "attention")
    dims.back() = dimsOf(operands[2]).back();
  if (type.getRank() < int64_t(dims.size()))
    for (NamedAttribute option : options)
      if (auto reduced = dyn_cast<DenseI64ArrayAttr>(option.getValue()); reduced && option.getName() == "dims")
        for (int64_t dim : llvm::reverse(reduced.asArrayRef()))
          dims.erase(dims.begin() + dim);
  if (type.getRank() != int64_t(dims.size()))
    return;
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    if (!ShapedType::isDynamic(extent))
      dims[i] = Dim(extent);
    else if (dims[i].isStatic())
      return;
  result.setType(tensorOf(dims, type.getElementType()));
}

Value Node::composite(StringRef name, ValueRange operands, ArrayRef<NamedAttribute> options,
                      ArrayRef<std::pair<StringRef, Value>> given) {
  Builder &builder = graph.getBuilder();
  SmallVector<Value> all(operands);
  SmallVector<Attribute> names;
  for (auto [parameter, value] : given)
    if (value) {
      names.push_back(builder.getStringAttr(parameter));
      all.push_back(value);
    }
  Value result = emit<StdOp>(all, {builder.getNamedAttr("composite", builder.getStringAttr(name)),
                                   builder.getNamedAttr("given", builder.getArrayAttr(names)),
                                   builder.getNamedAttr("options", builder.getDictionaryAttr(options))});
  if (result)
    nameDims(result, name, operands, options);
  return result;
}
