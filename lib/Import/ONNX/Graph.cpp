#include "lib/Import/ONNX/Graph.h"
#include "lib/Import/ONNX/ImportOnnx.h"
#include "lib/Import/ONNX/Node.h"
#include "lib/Support/Text.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Opsets whose operators the converters know. Newer ones only add operators, or are told by attributes that are refused.
static constexpr int64_t kOldestOpset = 7, kNewestOpset = 28;

Graph::Graph(onnx::ModelProto &model, std::string folder, std::string file, MLIRContext *context,
             const std::map<std::string, int64_t> &sizes, ConstInputs *constants)
    : model(model), graph(*model.mutable_graph()), files(std::move(folder)), file(std::move(file)), builder(context),
      sizes(sizes), constants(constants) {
  fields.insert_range(ArrayRef<StringRef>{"state", "workspace", "workspace_size", "context", "error"});
}

Location Graph::fileLocation(int line) { return FileLineColLoc::get(getContext(), file, line, line ? 1 : 0); }

std::string onnximport::nodeName(const onnx::NodeProto &node) {
  return !node.name().empty() ? node.name() : node.output_size() ? node.output(0) : node.op_type();
}

Location Graph::locationOf(const onnx::NodeProto &node, int index) {
  return NameLoc::get(builder.getStringAttr(nodeName(node)), fileLocation(index + 1));
}

LogicalResult Graph::refuse(const Twine &text) { return emitError(fileLocation()) << text; }

// ---- Values

Entry *Graph::find(StringRef name) {
  auto found = entries.find(name);
  return found == entries.end() ? nullptr : &found->second;
}

void Graph::takeInitializer(Entry &entry) {
  constexpr int64_t kMostWeights = int64_t(1) << 31; // what an object can hold
  if (!entry.initializer || entry.constant || !entry.problem.empty())
    return;
  TensorData data;
  int64_t size = onnximport::sizeOf(entry.type);
  if (size > kMostWeights - weights)
    entry.problem =
        "the weights up to it have more than 2 GiB, which no object holds; split the model, or store them as halves";
  else
    entry.problem = takeTensor(*entry.initializer, files, getContext(), data);
  if (!entry.problem.empty())
    return;
  weights += size;
  entry.known = toKnown(data);
  entry.constant = onnximport::toAttr(std::move(data), entry.initializer->name());
}

const Known *Graph::knownOf(Entry &entry) {
  if (!entry.known && entry.initializer && entry.type && knownSize(entry.type.getShape()))
    takeInitializer(entry);
  return entry.known ? &*entry.known : nullptr;
}

Value Graph::sizeOf(const Dim &dim, Location location) {
  auto constant = [&](int64_t value) -> Value {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    return ConstantOp::create(builder, location, type, DenseElementsAttr::get(type, value));
  };
  Value sum;
  for (const auto &[names, coefficient] : dim.getTerms()) {
    Value term = names.empty() || coefficient != 1 ? constant(coefficient) : Value();
    for (const std::string &name : names) {
      auto source = dimSources.find(name);
      if (source == dimSources.end())
        return {};
      Value size = DimSizeOp::create(builder, location, source->second.first, source->second.second);
      term = term ? MulOp::create(builder, location, term, size) : size;
    }
    sum = sum ? AddOp::create(builder, location, sum, term) : term;
  }
  return sum ? sum : constant(0);
}

/// Of numbers a constant, else the elements one by one.
Value Graph::makeKnown(const Known &known, Location location) {
  if (known.isAllNumbers()) {
    ElementsAttr value = toAttr(known);
    return ConstantOp::create(builder, location, value.getShapedType(), value);
  }
  SmallVector<Value> elements;
  for (const Scalar &scalar : known.elements) {
    Value size = scalar.real ? makeKnown(Known{known.element, {}, {scalar}}, location) : sizeOf(scalar.dim, location);
    if (!size)
      return {};
    if (getElementTypeOrSelf(size.getType()) != known.element)
      size = ConvertOp::create(builder, location, size, known.element);
    elements.push_back(ReshapeOp::create(builder, location, size, shapeOf(getContext(), {Dim(1)})));
  }
  Value list = elements.size() == 1 ? elements[0] : ConcatenateOp::create(builder, location, elements, 0);
  return ReshapeOp::create(builder, location, list, shapeOf(getContext(), Dims(known.shape.begin(), known.shape.end())));
}

Value Graph::valueOf(Entry &entry, Location location, std::string &reason) {
  if (entry.value)
    return entry.value;
  if (entry.isRefused)
    return {};
  takeInitializer(entry);
  if (!entry.problem.empty()) {
    entry.isRefused = true;
    reason = entry.problem;
    return {};
  }
  if (entry.constant) {
    Location place = entry.initializer ? NameLoc::get(builder.getStringAttr(entry.initializer->name()), location) : location;
    return entry.value = ConstantOp::create(builder, place, entry.constant.getShapedType(), entry.constant);
  }
  if (entry.known)
    entry.value = makeKnown(*entry.known, location);
  if (!entry.value)
    reason = "it has no value";
  return entry.value;
}

// ---- What the graph declares

LogicalResult Graph::readOpsets() {
  for (const auto &import : model.opset_import()) {
    if (!import.domain().empty() && import.domain() != "ai.onnx")
      continue;
    if (opset && opset != import.version())
      return refuse("the model imports opsets " + Twine(opset) + " and " + Twine(import.version()) + " of ai.onnx");
    opset = import.version();
  }
  if (opset < kOldestOpset || opset > kNewestOpset)
    return refuse("the model is of opset " + Twine(opset) + " of ai.onnx, expected " + Twine(kOldestOpset) + " to " +
                  Twine(kNewestOpset) + "; onnx.version_converter changes it");
  return success();
}

LogicalResult Graph::readInitializers() {
  bool good = true;
  if (graph.sparse_initializer_size())
    return refuse("initializer '" + graph.sparse_initializer(0).values().name() + "' is sparse; make it a dense one");
  for (onnx::TensorProto &initializer : *graph.mutable_initializer()) {
    auto [entry, isNew] = entries.try_emplace(initializer.name());
    if (!isNew) {
      good = failed(refuse("two initializers have the name '" + initializer.name() + "'")) && false;
      continue;
    }
    entry->second.problem = tensorType(initializer, getContext(), entry->second.type);
    entry->second.initializer = &initializer;
  }
  return success(good);
}

LogicalResult Graph::readOutputs() {
  SmallVector<Type> types;
  SmallVector<Attribute> names;
  bool good = true;
  for (const auto &output : graph.output()) {
    Entry *entry = find(output.name());
    if (entry && entry->isRefused) {
      good = false;
      continue;
    }
    std::string reason = "no node has it";
    Value value = entry ? valueOf(*entry, fileLocation(), reason) : Value();
    if (!value) {
      good = failed(refuse("output '" + output.name() + "': " + reason)) && false;
      continue;
    }
    outputs.push_back(value);
    types.push_back(value.getType());
    names.push_back(builder.getStringAttr(fieldName(output.name(), "_out")));
  }
  if (!good)
    return failure();
  func::ReturnOp::create(builder, fileLocation(), outputs);
  function.setFunctionType(builder.getFunctionType(function.getArgumentTypes(), types));
  for (auto [i, name] : llvm::enumerate(names))
    function.setResultAttr(i, kNameAttr, name);
  return success();
}

// ---- Nodes

static bool isStandard(const onnx::NodeProto &node) { return node.domain().empty() || node.domain() == "ai.onnx"; }

static Converters::const_iterator converterOf(const onnx::NodeProto &node) {
  return converters().find(isStandard(node) ? node.op_type() : node.domain() + ":" + node.op_type());
}

/// Why a node cannot be imported before its operands are looked at; empty if it can.
static std::string unsupported(const onnx::NodeProto &node) {
  auto converter = converterOf(node);
  if (!isStandard(node) && converter == converters().end())
    return "operators of domain '" + node.domain() + "' are not supported" +
           (node.domain() == kMicrosoft ? " but for those that docs/onnx.md lists" : "") + "; export the model without them";
  if (converter == converters().end())
    return "the operator is not supported; docs/onnx.md lists those that are";
  SmallVector<StringRef> known;
  converter->second.attributes.split(known, ',');
  for (const auto &attribute : node.attribute()) {
    if (!llvm::is_contained(known, attribute.name()))
      return "attribute '" + attribute.name() + "' is not supported";
    if (!attribute.ref_attr_name().empty())
      return "attribute '" + attribute.name() + "' refers to one of a function, outside of any";
  }
  int given = node.input_size(), most = converter->second.most;
  if (given < converter->second.least || (most >= 0 && given > most))
    return "it has " + std::to_string(given) + " inputs, expected " + std::to_string(converter->second.least) +
           (most < 0                          ? " or more"
            : most == converter->second.least ? ""
                                              : " to " + std::to_string(most));
  return "";
}

LogicalResult Graph::importNode(const onnx::NodeProto &proto, int index) {
  Location location = locationOf(proto, index);
  std::string reason = unsupported(proto);
  bool waits = false;
  for (const std::string &input : proto.input()) {
    Entry *entry = find(input);
    waits |= entry && entry->isRefused;
    if (!entry || entry->isRefused || entry->problem.empty() || !reason.empty())
      continue;
    reason = "input '" + input + "': " + entry->problem;
    entry->isRefused = true;
  }
  if (reason.empty() && !waits) {
    Node node(*this, proto, location);
    if (!evaluateNode(node) && !node.failed())
      converterOf(proto)->second.convert(node);
    for (int i = 0; i < proto.output_size() && !node.failed(); ++i)
      if (!proto.output(i).empty() && !find(proto.output(i)))
        node.refuse("output " + Twine(i) + " ('" + proto.output(i) + "') is not supported");
    reason = node.getReason();
  }
  if (reason.empty() && !waits)
    return success();
  for (const std::string &output : proto.output())
    if (!output.empty())
      entries[output].isRefused = true;
  if (reason.empty())
    return success(); // the node that it waits for has told why
  return emitError(location) << proto.op_type() << " '" << nodeName(proto) << "' (opset " << opset << "): " << reason;
}

/// The form that a user's text has: names at the arguments, plain `?` in the body, which the import stage infers.
static void stripNames(func::FuncOp function) {
  auto plain = [](Type type) -> Type {
    auto tensor = cast<RankedTensorType>(type);
    return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
  };
  for (BlockArgument argument : function.getArguments()) {
    if (auto dims = dyn_cast_or_null<DimsAttr>(cast<RankedTensorType>(argument.getType()).getEncoding()))
      function.setArgAttr(argument.getArgNumber(), kDimsAttr, dims);
    argument.setType(plain(argument.getType()));
  }
  function.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()))
        result.setType(plain(result.getType()));
  });
  auto plainAll = [&](ArrayRef<Type> types) { return llvm::map_to_vector(types, plain); };
  function.setFunctionType(
      FunctionType::get(function.getContext(), plainAll(function.getArgumentTypes()), plainAll(function.getResultTypes())));
}

OwningOpRef<ModuleOp> Graph::import() {
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, fileLocation());
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, fileLocation(), "run", builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  if (failed(readOpsets()) || failed(readInitializers()) || failed(readInputs()))
    return nullptr;
  FailureOr<std::vector<int>> order = orderNodes();
  if (failed(order))
    return nullptr;
  bool good = true;
  for (int index : *order)
    good &= succeeded(importNode(graph.node(index), index));
  if (failed(readOutputs()) || !good)
    return nullptr;
  stripNames(function);
  if (!used.empty()) {
    SmallVector<NamedAttribute> fixed;
    for (const auto &[name, size] : used)
      fixed.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(size)));
    module->getOperation()->setAttr(kFixedAttr, builder.getDictionaryAttr(fixed));
  }
  return module;
}
