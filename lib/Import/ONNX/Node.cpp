#include "lib/Import/ONNX/Node.h"
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/Limits.h"
#include "lib/Support/Text.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;
using onnx::AttributeProto;

Node::Node(Graph &graph, onnx::NodeProto &proto, Location location, int line)
    : graph(graph), proto(proto), location(location), line(line) {}

void Node::refuse(const Twine &text) {
  if (reason.empty())
    reason = text.str();
}

void Node::refuseData(const Twine &text, ArrayRef<int> operands) {
  std::vector<std::string> inputs;
  for (int operand : operands)
    if (has(operand) && !known(operand))
      for (std::string &name : graph.inputsBehind(proto.input(operand)))
        if (!llvm::is_contained(inputs, name))
          inputs.push_back(std::move(name));
  graph.getModel().wanted.insert(inputs.begin(), inputs.end());
  if (inputs.empty())
    return refuse(text);
  std::string names = "'" + llvm::join(inputs, "', '") + "'";
  if (graph.getModel().declared)
    refuse(text + "; pass the model a constant for " + names + ": a lathe.constant, or an input of the graph that " +
           "--const-input makes constant");
  else
    refuse(text + "; use --const-input to make inputs constant (here " + names + ")");
}

// ---- Operands

Entry *Node::entry(int input) { return has(input) ? graph.find(proto.input(input)) : nullptr; }

Value Node::input(int input) {
  Entry *found = entry(input);
  std::string problem;
  Value value = found ? graph.valueOf(*found, location, problem) : Value();
  if (!value)
    refuse(found ? "input '" + proto.input(input) + "': " + problem : "input " + std::to_string(input) + " is missing");
  return value;
}

SmallVector<Value> Node::allInputs() {
  SmallVector<Value> values;
  for (int i = 0; i < inputs(); ++i)
    values.push_back(input(i));
  return values;
}

Type Node::element(int input) {
  Entry *found = entry(input);
  return found && found->type ? found->type.getElementType() : Type();
}

Dims Node::dims(int input) {
  Entry *found = entry(input);
  return found && found->type ? dimsOf(found->type) : Dims();
}

const Known *Node::known(int input) {
  Entry *found = entry(input);
  return found ? graph.knownOf(*found) : nullptr;
}

static std::string dependsText(const Node &node, int input, StringRef verb) {
  return (" " + verb + " on data (input '" + (node.has(input) ? node.getProto().input(input) : std::string()) +
          "'): expected constants or values computed from shapes")
      .str();
}

Dims Node::knownDims(int input, StringRef what) {
  const Known *value = known(input);
  if (!value) {
    refuseData(what + dependsText(*this, input, "depend"), input);
    return {};
  }
  std::optional<Dims> dims = value->dims();
  if (!dims)
    refuse(what + " must be integers");
  return dims.value_or(Dims());
}

Integers Node::knownIntegers(int input, StringRef what) {
  Integers values;
  for (const Dim &dim : knownDims(input, what)) {
    if (!dim.isStatic())
      refuse(what + " hold " + dim.str() + ", which must be numbers; fix the dimension with --dim");
    values.push_back(dim.constant());
  }
  return values;
}

SmallVector<double> Node::knownReals(int input, StringRef what) {
  SmallVector<double> values;
  const Known *value = known(input);
  if (!value || !value->isAllNumbers())
    return refuseData(what + " must be constants", input), values;
  for (const Scalar &scalar : value->elements)
    values.push_back(scalar.number());
  return values;
}

Dim Node::knownDim(int input, StringRef what) {
  const Known *value = known(input);
  if (!value)
    refuseData(what + dependsText(*this, input, "depends"), input);
  bool isNumber = value && value->isFloat() && value->isAllNumbers(); // otherwise knownDims reports what is wrong
  Dims dims = isNumber ? Dims() : knownDims(input, what);
  for (double real : isNumber ? knownReals(input, what) : SmallVector<double>()) {
    if (std::trunc(real) != real || std::abs(real) > double(int64_t(1) << 53))
      refuse(what + " must be a whole number");
    dims.push_back(failed() ? Dim(0) : Dim(int64_t(real)));
  }
  if (dims.size() != 1)
    refuse(what + " must be one number");
  return failed() ? Dim(0) : dims[0];
}

int64_t Node::knownInteger(int input, StringRef what) {
  Dim dim = knownDim(input, what);
  if (!dim.isStatic())
    refuse(what + " is " + dim.str() + ", expected a number; fix the dimension with --dim");
  return failed() ? 0 : dim.constant();
}

// ---- Attributes

const AttributeProto *Node::find(StringRef name) const {
  for (const AttributeProto &attribute : proto.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

/// True if an attribute has the expected kind of value.
static bool isOf(Node &node, const AttributeProto *attribute, AttributeProto::AttributeType type, bool filled) {
  if (!attribute)
    return false;
  if (attribute->type() == type || (attribute->type() == AttributeProto::UNDEFINED && filled))
    return true;
  node.refuse("attribute '" + attribute->name() + "' is of type " + AttributeProto::AttributeType_Name(attribute->type()) +
              ", expected " + AttributeProto::AttributeType_Name(type));
  return false;
}

int64_t Node::integer(StringRef name, int64_t otherwise) {
  const AttributeProto *attribute = find(name);
  return isOf(*this, attribute, AttributeProto::INT, attribute && attribute->has_i()) ? attribute->i() : otherwise;
}

double Node::real(StringRef name, double otherwise) {
  const AttributeProto *attribute = find(name);
  return isOf(*this, attribute, AttributeProto::FLOAT, attribute && attribute->has_f()) ? attribute->f() : otherwise;
}

std::string Node::text(StringRef name, StringRef otherwise) {
  const AttributeProto *attribute = find(name);
  return isOf(*this, attribute, AttributeProto::STRING, attribute && attribute->has_s()) ? attribute->s() : otherwise.str();
}

Integers Node::integers(StringRef name, Integers otherwise) {
  const AttributeProto *attribute = find(name);
  if (!isOf(*this, attribute, AttributeProto::INTS, true))
    return otherwise;
  return Integers(attribute->ints().begin(), attribute->ints().end());
}

SmallVector<double> Node::reals(StringRef name) {
  const AttributeProto *attribute = find(name);
  if (!isOf(*this, attribute, AttributeProto::FLOATS, true))
    return {};
  return SmallVector<double>(attribute->floats().begin(), attribute->floats().end());
}

int64_t Node::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    refuse("axis " + std::to_string(axis) + " is out of range for a tensor of rank " + std::to_string(rank));
    return 0;
  }
  return axis < 0 ? axis + rank : axis;
}

Integers Node::axes(ArrayRef<int64_t> given, int64_t rank) {
  Integers result;
  for (int64_t each : given)
    result.push_back(axis(each, rank));
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    refuse("axes " + listText(given) + " name a dimension twice");
  return result;
}

std::optional<Integers> Node::axesOf(int input) {
  if (has(input))
    return knownIntegers(input, "axes");
  if (hasAttribute("axes"))
    return integers("axes");
  return std::nullopt;
}

// ---- Graphs inside

onnx::GraphProto *Node::body(StringRef name) {
  for (AttributeProto &attribute : *proto.mutable_attribute())
    if (attribute.name() == name && attribute.has_g())
      return attribute.mutable_g();
  refuse("it has no graph '" + name + "'");
  return nullptr;
}

Value Node::valueOf(Entry *entry) {
  std::string problem;
  Value value = graph.valueOf(*entry, location, problem);
  if (!value)
    refuse("an output of a subgraph: " + problem);
  return value;
}

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
