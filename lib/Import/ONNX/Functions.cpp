// Expands the model's own functions: each call in place, with its attributes.
#include "lib/Import/ONNX/InPlace.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;
using onnx::AttributeProto;
using onnx::FunctionProto;

/// Returns the default value of an attribute of the function, or null. Older schemas have no defaults.
template <typename Function>
static const AttributeProto *defaultOf(const Function &function, StringRef name) {
  if constexpr (requires { function.attribute_proto(); })
    for (const AttributeProto &otherwise : function.attribute_proto())
      if (otherwise.name() == name)
        return &otherwise;
  return nullptr;
}

/// Returns the value of the function's attribute in a call; null if neither the call nor the function has one.
static const AttributeProto *valueOf(StringRef name, const FunctionProto &function, const onnx::NodeProto &call) {
  for (const AttributeProto &given : call.attribute())
    if (given.name() == name)
      return &given;
  return defaultOf(function, name);
}

static void fillAttributes(onnx::GraphProto &graph, const FunctionProto &function, const onnx::NodeProto &call);

/// Replaces references to the function's attributes by the call's values. A reference without a value is dropped.
static void fillAttributes(onnx::NodeProto &node, const FunctionProto &function, const onnx::NodeProto &call) {
  auto &attributes = *node.mutable_attribute();
  int kept = 0;
  for (int i = 0; i < attributes.size(); ++i) {
    AttributeProto &attribute = attributes[i];
    if (attribute.ref_attr_name().empty()) {
      if (attribute.has_g())
        fillAttributes(*attribute.mutable_g(), function, call);
      for (onnx::GraphProto &graph : *attribute.mutable_graphs())
        fillAttributes(graph, function, call);
    } else {
      const AttributeProto *value = valueOf(attribute.ref_attr_name(), function, call);
      if (!value)
        continue;
      std::string name = attribute.name(); // the value has the name of the function's attribute
      attribute = *value;
      attribute.set_name(name);
    }
    attributes.SwapElements(kept++, i);
  }
  attributes.DeleteSubrange(kept, attributes.size() - kept);
}

static void fillAttributes(onnx::GraphProto &graph, const FunctionProto &function, const onnx::NodeProto &call) {
  for (onnx::NodeProto &node : *graph.mutable_node())
    fillAttributes(node, function, call);
}

/// Returns the nodes of a call as a graph of its own; null if that is refused.
static onnx::GraphProto *bodyOf(const FunctionProto &function, Node &call) {
  onnx::GraphProto *graph = addCopy(call, function.ByteSizeLong());
  if (!graph)
    return nullptr;
  *graph->mutable_node() = function.node();
  for (const std::string &output : function.output())
    graph->add_output()->set_name(output);
  fillAttributes(*graph, function, call.getProto());
  return graph;
}

static std::string cycleText(ArrayRef<const FunctionProto *> calls, const FunctionProto &again) {
  std::string text;
  for (const FunctionProto *function : calls)
    text += "'" + function->name() + "' -> ";
  return text + "'" + again.name() + "'";
}

/// Binds the function's inputs to the call's operands. An omitted operand has no name inside.
static void bindInputs(Node &node, const FunctionProto &function, Graph &inside) {
  for (int i = 0; i < node.inputs() && i < function.input_size(); ++i)
    if (Entry *entry = node.has(i) ? node.getGraph().find(node.getProto().input(i)) : nullptr)
      inside.bind(function.input(i), entry);
}

/// Omits inputs in the nodes inside if the call omits them.
static void dropMissing(onnx::GraphProto &graph, Graph &inside, const FunctionProto &function) {
  for (const std::string &input : function.input())
    if (!inside.find(input))
      for (onnx::NodeProto &node : *graph.mutable_node())
        for (std::string &name : *node.mutable_input())
          if (name == input)
            name.clear();
}

void onnximport::expandFunction(Node &node) {
  Graph &graph = node.getGraph();
  Model &model = graph.getModel();
  const FunctionProto &function = *model.functionOf(node.getProto());
  if (llvm::is_contained(model.calls, &function))
    return node.refuse("functions call each other in a cycle: " + cycleText(model.calls, function));
  if (node.inputs() > function.input_size() || node.outputs() > function.output_size())
    return node.refuse("it has " + Twine(node.inputs()) + " inputs and " + Twine(node.outputs()) + " outputs, function '" +
                       function.name() + "' has " + Twine(function.input_size()) + " and " + Twine(function.output_size()));
  int64_t opset = opsetOf(function.opset_import());
  if (opset < 0)
    return node.refuse("function '" + function.name() + "' imports several opsets of ai.onnx");
  onnx::GraphProto *body = bodyOf(function, node);
  if (!body)
    return;
  Graph &inside =
      *model.inlined.emplace_back(std::make_unique<Graph>(graph, *body, node.getLine(), opset ? opset : graph.getOpset()));
  bindInputs(node, function, inside);
  dropMissing(*body, inside, function);
  model.calls.push_back(&function);
  importInPlace(node, inside);
  model.calls.pop_back();
}
