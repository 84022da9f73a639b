#include "lib/Import/ONNX/Graph.h"
#include "lib/Import/ONNX/ConstantValues.h"
#include "lib/Import/ONNX/ImportOnnx.h"
#include "lib/Import/ONNX/Node.h"
#include "lib/Support/Text.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

std::string onnximport::nodeName(const onnx::NodeProto &node) {
  auto named = llvm::find_if(node.output(), [](const std::string &output) { return !output.empty(); });
  return !node.name().empty() ? node.name() : named != node.output().end() ? *named : node.op_type();
}

static void addUsed(const onnx::GraphProto &graph, std::vector<StringRef> &names) {
  llvm::StringSet<> own;
  for (const auto &input : graph.input())
    own.insert(input.name());
  for (const auto &initializer : graph.initializer())
    own.insert(initializer.name());
  for (const onnx::NodeProto &node : graph.node())
    own.insert_range(node.output());
  auto use = [&](StringRef name) {
    if (!own.contains(name))
      names.push_back(name);
  };
  for (const onnx::NodeProto &node : graph.node())
    llvm::for_each(usedNames(node), use);
  for (const auto &output : graph.output())
    use(output.name());
}

std::vector<StringRef> onnximport::usedNames(const onnx::NodeProto &node) {
  std::vector<StringRef> names(node.input().begin(), node.input().end());
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g())
      addUsed(attribute.g(), names);
    for (const onnx::GraphProto &graph : attribute.graphs())
      addUsed(graph, names);
  }
  return names;
}

Graph::Graph(Model &model, onnx::GraphProto &graph, int64_t opset, Block *block)
    : model(model), graph(graph), opset(opset), block(block) {}

Graph::Graph(Graph &outer, onnx::GraphProto &graph, int line, Block *block)
    : model(outer.model), graph(graph), outer(&outer), line(line), opset(outer.opset), block(block), steps(outer.steps) {}

Graph::Graph(Graph &outer, onnx::GraphProto &graph, int line, int64_t opset)
    : model(outer.model), graph(graph), line(line), opset(opset), block(outer.block), steps(outer.steps) {}

Location Graph::locationOf(const onnx::NodeProto &node, int index) {
  return NameLoc::get(model.builder.getStringAttr(nodeName(node)), model.location(lineOf(index)));
}

LogicalResult Graph::refuse(const Twine &text) { return emitError(model.location(line)) << text; }

// ---- Values

Entry *Graph::find(StringRef name) {
  if (auto own = entries.find(name); own != entries.end())
    return &own->second;
  if (Entry *entry = aliases.lookup(name))
    return entry;
  return outer ? outer->find(name) : nullptr;
}

Entry &Graph::define(StringRef name) {
  Entry &entry = entries[name];
  entry.block = block;
  return entry;
}

Entry &Graph::addUnnamed() {
  Entry &entry = unnamed.emplace_back();
  entry.block = block;
  return entry;
}

/// Records in the location of a value that it is an output of that name, as lib/Import/Names.h does for text. A value that has
/// a name keeps it: an Identity passes on another node's value.
static void nameLocation(Value value, StringRef name) {
  Operation *op = value.getDefiningOp();
  auto node = op ? dyn_cast<NameLoc>(op->getLoc()) : NameLoc();
  if (!node || isa<NameLoc>(node.getChildLoc()))
    return;
  auto named = [&](StringRef text, Location inner) { return NameLoc::get(StringAttr::get(value.getContext(), text), inner); };
  op->setLoc(named(name, named(op->getName().getStringRef(), op->getLoc())));
}

void Graph::bind(StringRef name, Value value) {
  if (model.namesValues)
    nameLocation(value, name);
  Entry &entry = define(name);
  entry.value = value;
  entry.type = cast<RankedTensorType>(value.getType());
}

void Graph::bind(StringRef name, Known known) {
  Entry &entry = define(name);
  entry.type = RankedTensorType::get(known.shape, known.element);
  entry.known = std::move(known);
}

void Graph::takeInitializer(Entry &entry) {
  if (!entry.initializer || entry.constant || !entry.problem.empty())
    return;
  TensorData data;
  int64_t size = onnximport::sizeOf(entry.type);
  if (size > model.weightsLeft)
    entry.problem = "the weights up to this one exceed 1.5 GiB, too much for one object; store them in a separate file with "
                    "--weights=extern";
  else
    entry.problem = takeTensor(*entry.initializer, model.files, getContext(), data);
  if (!entry.problem.empty())
    return;
  model.weightsLeft -= size;
  if (!entry.isState)
    entry.known = toKnown(data);
  entry.constant = onnximport::toAttr(std::move(data), entry.initializer->name());
}

const Known *Graph::knownOf(Entry &entry) {
  if (!entry.known && entry.initializer && entry.type && knownSize(entry.type.getShape()))
    takeInitializer(entry);
  return entry.known ? &*entry.known : nullptr;
}

/// Returns a size as a value of type `element`; for a float, the quotient of a size that it represents.
static Value makeSize(Model &model, const Scalar &scalar, Type element, Location location) {
  OpBuilder &builder = model.builder;
  Value size = model.sizeOf(scalar.dim, location);
  if (size && getElementTypeOrSelf(size.getType()) != element)
    size = ConvertOp::create(builder, location, size, element);
  if (size && scalar.divisor != 1) {
    ElementsAttr divisor = toAttr(Known{element, {}, {Scalar::of(double(scalar.divisor))}});
    size = DivOp::create(builder, location, size, ConstantOp::create(builder, location, divisor.getShapedType(), divisor));
  }
  return size && scalar.isRoot ? SqrtOp::create(builder, location, size) : size;
}

/// Creates a constant if the elements are numbers, or else a concatenation of single elements.
static Value makeKnown(Model &model, const Known &known, Location location) {
  OpBuilder &builder = model.builder;
  if (known.isAllNumbers()) {
    ElementsAttr value = toAttr(known);
    return ConstantOp::create(builder, location, value.getShapedType(), value);
  }
  SmallVector<Value> elements;
  for (const Scalar &scalar : known.elements) {
    Value size = scalar.real ? makeKnown(model, Known{known.element, {}, {scalar}}, location)
                             : makeSize(model, scalar, known.element, location);
    if (!size)
      return {};
    elements.push_back(ReshapeOp::create(builder, location, size, shapeOf(builder.getContext(), {Dim(1)})));
  }
  Value list = elements.size() == 1 ? elements[0] : ConcatenateOp::create(builder, location, elements, 0);
  return ReshapeOp::create(builder, location, list,
                           shapeOf(builder.getContext(), Dims(known.shape.begin(), known.shape.end())));
}

Value Graph::valueOf(Entry &entry, Location location, std::string &reason) {
  if (entry.value)
    return entry.value;
  if (entry.isRefused)
    return {};
  if (!entry.isTensor()) {
    reason = entry.isNothing ? "it is an absent optional value" : "it is a sequence, expected a tensor";
    return {};
  }
  takeInitializer(entry);
  if (!entry.problem.empty()) {
    entry.isRefused = true;
    reason = entry.problem;
    return {};
  }
  OpBuilder &builder = model.builder;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(entry.block); // another graph inside may use it, too
  if (entry.constant) {
    Location place = entry.initializer ? NameLoc::get(builder.getStringAttr(entry.initializer->name()), location) : location;
    if (entry.isState) {
      VariableOp variable = model.addVariable(entry.initializer->name(), entry.constant);
      return entry.value = ReadOp::create(builder, place, variable.getType(), variable.getSymName());
    }
    return entry.value = ConstantOp::create(builder, place, entry.constant.getShapedType(), entry.constant);
  }
  if (entry.known)
    entry.value = makeKnown(model, *entry.known, location);
  if (!entry.value)
    reason = "it has no value";
  return entry.value;
}

// ---- What the graph declares

LogicalResult Graph::readInitializers() {
  bool good = true;
  if (graph.sparse_initializer_size())
    return refuse("initializer '" + graph.sparse_initializer(0).values().name() +
                  "' is sparse; only dense initializers are supported");
  for (onnx::TensorProto &initializer : *graph.mutable_initializer()) {
    auto [entry, isNew] = entries.try_emplace(initializer.name());
    if (!isNew && !entry->second.initializer)
      continue; // the default value of an input, which is given
    if (!isNew) {
      good = failed(refuse("two initializers have the name '" + initializer.name() + "'")) && false;
      continue;
    }
    entry->second.block = block;
    entry->second.problem = tensorType(initializer, getContext(), entry->second.type);
    entry->second.initializer = &initializer;
    entry->second.isState = line == 0 && entry->second.problem.empty() && model.isState(initializer);
  }
  return success(good);
}

// ---- Nodes

static bool isStandard(const onnx::NodeProto &node) { return node.domain().empty() || node.domain() == "ai.onnx"; }

static Converters::const_iterator converterOf(const onnx::NodeProto &node) {
  return converters().find(isStandard(node) ? node.op_type() : node.domain() + ":" + node.op_type());
}

std::string Graph::unsupported(const onnx::NodeProto &node) const {
  if (model.functionOf(node))
    return "";
  auto converter = converterOf(node);
  if (!isStandard(node) && converter == converters().end())
    return "operators of domain '" + node.domain() + "' are not supported" +
           (node.domain() == kMicrosoft ? " except those that docs/onnx.md lists" : "") + "; export the model without them";
  if (converter == converters().end())
    return "the operator is not supported; docs/onnx.md lists the supported ones";
  if (int64_t since = converter->second.since; opset < since)
    return (opset ? "the model uses opset " + std::to_string(opset) + " of ai.onnx"
                  : std::string("the model imports no opset of ai.onnx")) +
           ", expected " + std::to_string(since) + " or above for this operator; convert the model with onnx.version_converter";
  SmallVector<StringRef> known;
  converter->second.attributes.split(known, ',');
  for (const auto &attribute : node.attribute()) {
    if (!llvm::is_contained(known, attribute.name()))
      return "attribute '" + attribute.name() + "' is not supported";
    if (!attribute.ref_attr_name().empty())
      return "attribute '" + attribute.name() + "' refers to a function's attribute, but the node is not in a function";
  }
  int given = node.input_size(), most = converter->second.most;
  if (given < converter->second.least || (most >= 0 && given > most))
    return "it has " + std::to_string(given) + " inputs, expected " + std::to_string(converter->second.least) +
           (most < 0                          ? " or more"
            : most == converter->second.least ? ""
                                              : " to " + std::to_string(most));
  return "";
}

std::string Graph::unsupportedOperand(const onnx::NodeProto &node) {
  if (model.functionOf(node) || converterOf(node)->second.takesSequences)
    return "";
  for (const std::string &input : node.input())
    if (Entry *entry = find(input); entry && !entry->isTensor())
      return "input '" + input + "' is " + (entry->isNothing ? "an absent optional value" : "a sequence") +
             ", expected a tensor";
  return "";
}

void Graph::workOut(const onnx::NodeProto &proto) {
  if (isStandard(proto) && proto.op_type() == "DequantizeLinear")
    return; // products need its integers
  for (const std::string &output : proto.output()) {
    auto found = entries.find(output);
    if (found == entries.end() || !found->second.value || found->second.known || found->second.isState)
      continue;
    std::optional<Known> known = knownValue(found->second.value);
    if (!known || !spendElements(known->elements.size()))
      continue;
    found->second.known = std::move(known);
    found->second.value = {}; // recreated from the elements when it is needed
    model.leavesUnread = true;
  }
}

LogicalResult Graph::importNode(onnx::NodeProto &proto, int index) {
  Location location = locationOf(proto, index);
  std::string reason = unsupported(proto);
  if (reason.empty())
    reason = unsupportedOperand(proto);
  bool waits = false, isTold = false;
  for (StringRef input : usedNames(proto)) {
    Entry *entry = find(input);
    waits |= entry && entry->isRefused;
    if (!entry || entry->isRefused || entry->problem.empty() || !reason.empty())
      continue;
    reason = "input '" + input.str() + "': " + entry->problem;
    entry->isRefused = true;
  }
  if (reason.empty() && --model.nodesLeft < 0)
    reason = "the model has more than " + std::to_string(kMostNodes) + " nodes, counting a function's nodes at each call";
  if (reason.empty() && !waits) {
    Node node(*this, proto, location, lineOf(index));
    if (model.functionOf(proto))
      expandFunction(node);
    else if (!(isStandard(proto) && evaluateNode(node)) && !node.failed())
      converterOf(proto)->second.convert(node);
    for (int i = 0; i < proto.output_size() && !node.failed(); ++i)
      if (!proto.output(i).empty() && !entries.contains(proto.output(i)) && !aliases.contains(proto.output(i)))
        node.refuse("output " + Twine(i) + " ('" + proto.output(i) + "') is not supported");
    if (!node.failed())
      workOut(proto);
    reason = node.getReason();
    isTold = node.failed() && reason.empty();
  }
  if (reason.empty() && !waits && !isTold)
    return success();
  for (const std::string &output : proto.output())
    if (!output.empty())
      define(output).isRefused = true;
  if (reason.empty())
    return failure(isTold); // a node inside, or the node that it waits for, has reported the reason
  return emitError(location) << proto.op_type() << " '" << nodeName(proto) << "' (opset " << opset << "): " << reason;
}

LogicalResult Graph::importNodes(ArrayRef<int> order) {
  bool good = true;
  for (int index : order)
    good &= succeeded(importNode(*graph.mutable_node(index), index));
  return success(good);
}

// ---- Whole graphs

FailureOr<SmallVector<Value>> Graph::importWhole() {
  for (const auto &output : graph.output())
    needed.push_back(output.name());
  if (failed(readInitializers()) || failed(readInputs()))
    return failure();
  FailureOr<std::vector<int>> order = orderNodes();
  if (failed(order))
    return failure();
  bool good = succeeded(importNodes(*order));
  SmallVector<Value> values;
  for (StringRef output : needed) {
    Entry *entry = find(output);
    if (entry && entry->isRefused) {
      good = false;
      continue;
    }
    std::string reason = "no node produces it";
    values.push_back(entry ? valueOf(*entry, model.location(), reason) : Value());
    if (!values.back())
      good = failed(refuse("output '" + output + "': " + reason)) && false;
  }
  if (!good)
    return failure();
  return values;
}

FailureOr<SmallVector<Entry *>> Graph::importInside(ArrayRef<int> outputs) {
  OpBuilder::InsertionGuard guard(model.builder);
  model.builder.setInsertionPointToEnd(block);
  for (int output : outputs)
    needed.push_back(graph.output(output).name());
  if (failed(readInitializers()))
    return failure();
  FailureOr<std::vector<int>> order = orderNodes();
  if (failed(order))
    return failure();
  bool good = succeeded(importNodes(*order));
  SmallVector<Entry *> entries;
  for (StringRef output : needed) {
    entries.push_back(find(output));
    if (!entries.back())
      good = failed(refuse("output '" + output + "' of a subgraph: no node produces it")) && false;
    else if (!entries.back()->problem.empty() && !entries.back()->isRefused) {
      entries.back()->isRefused = true;
      good = failed(refuse("output '" + output + "' of a subgraph: " + entries.back()->problem)) && false;
    }
    good &= entries.back() && !entries.back()->isRefused;
  }
  if (!good)
    return failure();
  return entries;
}
