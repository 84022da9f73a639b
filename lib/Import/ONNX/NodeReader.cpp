#include "lib/Import/ONNX/NodeReader.h"
#include "lib/Support/Text.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;
using onnx::AttributeProto;

void NodeReader::refuse(const Twine &text) {
  if (reason.empty())
    reason = text.str();
}

std::optional<std::string> NodeReader::sizesText(ArrayRef<int> operands) {
  for (int operand : operands) {
    const onnx::NodeProto *behind = has(operand) && !known(operand) ? graph.sizeNodeBehind(proto.input(operand)) : nullptr;
    if (!behind)
      continue;
    SmallVector<std::string> names;
    for (const std::string &input : behind->input())
      if (Entry *entry = input.empty() ? nullptr : graph.find(input))
        if (const Known *sizes = graph.knownOf(*entry))
          for (const Scalar &scalar : sizes->elements)
            scalar.dim.collectNames(names);
    return "input '" + proto.input(operand) + "' must be known during import, but " + behind->op_type() + " '" +
           nodeName(*behind) +
           "' computes it from sizes, and its result is not an expression of sizes, or too long a one; fix '" +
           llvm::join(names, "', '") + "' with --dim";
  }
  return std::nullopt;
}

void NodeReader::refuseData(const Twine &text, ArrayRef<int> operands) {
  std::vector<std::string> inputs;
  for (int operand : operands)
    if (has(operand) && !known(operand))
      for (std::string &name : graph.inputsBehind(proto.input(operand)))
        if (!llvm::is_contained(inputs, name))
          inputs.push_back(std::move(name));
  graph.getModel().wanted.insert(inputs.begin(), inputs.end());
  if (inputs.empty())
    return refuse(sizesText(operands).value_or(text.str()));
  std::string names = "'" + llvm::join(inputs, "', '") + "'";
  if (graph.getModel().declared)
    refuse(text + "; pass the model a constant for " + names + ": a lathe.constant, or an input of the graph that " +
           "--const-input makes constant");
  else
    refuse(text + "; use --const-input to make inputs constant (here " + names + ")");
}

// ---- Operands

Entry *NodeReader::entry(int input) { return has(input) ? graph.find(proto.input(input)) : nullptr; }

Value NodeReader::input(int input) {
  Entry *found = entry(input);
  std::string problem;
  Value value = found ? graph.valueOf(*found, location, problem) : Value();
  if (!value)
    refuse(found ? "input '" + proto.input(input) + "': " + problem : "input " + std::to_string(input) + " is missing");
  return value;
}

SmallVector<Value> NodeReader::allInputs() {
  SmallVector<Value> values;
  for (int i = 0; i < inputs(); ++i)
    values.push_back(input(i));
  return values;
}

Type NodeReader::element(int input) {
  Entry *found = entry(input);
  return found && found->type ? found->type.getElementType() : Type();
}

Dims NodeReader::dims(int input) {
  Entry *found = entry(input);
  return found && found->type ? dimsOf(found->type) : Dims();
}

const Known *NodeReader::known(int input) {
  Entry *found = entry(input);
  return found ? graph.knownOf(*found) : nullptr;
}

static std::string dependsText(const NodeReader &node, int input, StringRef verb) {
  return (" " + verb + " on data (input '" + (node.has(input) ? node.getProto().input(input) : std::string()) +
          "'): expected constants or values computed from shapes")
      .str();
}

Dims NodeReader::knownDims(int input, StringRef what) {
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

Integers NodeReader::knownIntegers(int input, StringRef what) {
  Integers values;
  for (const Dim &dim : knownDims(input, what)) {
    if (!dim.isStatic())
      refuse(what + " hold " + dim.str() + ", which must be numbers; fix the dimension with --dim");
    values.push_back(dim.constant());
  }
  return values;
}

SmallVector<double> NodeReader::knownReals(int input, StringRef what) {
  SmallVector<double> values;
  const Known *value = known(input);
  if (!value || !value->isAllNumbers())
    return refuseData(what + " must be constants", input), values;
  for (const Scalar &scalar : value->elements)
    values.push_back(scalar.number());
  return values;
}

Dim NodeReader::knownDim(int input, StringRef what) {
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

int64_t NodeReader::knownInteger(int input, StringRef what) {
  Dim dim = knownDim(input, what);
  if (!dim.isStatic())
    refuse(what + " is " + dim.str() + ", expected a number; fix the dimension with --dim");
  return failed() ? 0 : dim.constant();
}

// ---- Attributes

const AttributeProto *NodeReader::find(StringRef name) const {
  for (const AttributeProto &attribute : proto.attribute())
    if (attribute.name() == name)
      return &attribute;
  return nullptr;
}

/// True if an attribute has the expected kind of value.
static bool isOf(NodeReader &node, const AttributeProto *attribute, AttributeProto::AttributeType type, bool filled) {
  if (!attribute)
    return false;
  if (attribute->type() == type || (attribute->type() == AttributeProto::UNDEFINED && filled))
    return true;
  node.refuse("attribute '" + attribute->name() + "' is of type " + AttributeProto::AttributeType_Name(attribute->type()) +
              ", expected " + AttributeProto::AttributeType_Name(type));
  return false;
}

int64_t NodeReader::integer(StringRef name, int64_t otherwise) {
  const AttributeProto *attribute = find(name);
  return isOf(*this, attribute, AttributeProto::INT, attribute && attribute->has_i()) ? attribute->i() : otherwise;
}

double NodeReader::real(StringRef name, double otherwise) {
  const AttributeProto *attribute = find(name);
  return isOf(*this, attribute, AttributeProto::FLOAT, attribute && attribute->has_f()) ? attribute->f() : otherwise;
}

std::string NodeReader::text(StringRef name, StringRef otherwise) {
  const AttributeProto *attribute = find(name);
  return isOf(*this, attribute, AttributeProto::STRING, attribute && attribute->has_s()) ? attribute->s() : otherwise.str();
}

Integers NodeReader::integers(StringRef name, Integers otherwise) {
  const AttributeProto *attribute = find(name);
  if (!isOf(*this, attribute, AttributeProto::INTS, true))
    return otherwise;
  return Integers(attribute->ints().begin(), attribute->ints().end());
}

SmallVector<double> NodeReader::reals(StringRef name) {
  const AttributeProto *attribute = find(name);
  if (!isOf(*this, attribute, AttributeProto::FLOATS, true))
    return {};
  return SmallVector<double>(attribute->floats().begin(), attribute->floats().end());
}

int64_t NodeReader::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    refuse("axis " + std::to_string(axis) + " is out of range for a tensor of rank " + std::to_string(rank));
    return 0;
  }
  return axis < 0 ? axis + rank : axis;
}

Integers NodeReader::axes(ArrayRef<int64_t> given, int64_t rank) {
  Integers result;
  for (int64_t each : given)
    result.push_back(axis(each, rank));
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end())
    refuse("axes " + listText(given) + " name a dimension twice");
  return result;
}

std::optional<Integers> NodeReader::axesOf(int input) {
  if (has(input))
    return knownIntegers(input, "axes");
  if (hasAttribute("axes"))
    return integers("axes");
  return std::nullopt;
}

// ---- Graphs inside

onnx::GraphProto *NodeReader::body(StringRef name) {
  for (AttributeProto &attribute : *proto.mutable_attribute())
    if (attribute.name() == name && attribute.has_g())
      return attribute.mutable_g();
  refuse("it has no graph '" + name + "'");
  return nullptr;
}

Value NodeReader::valueOf(Entry *entry) {
  std::string problem;
  Value value = graph.valueOf(*entry, location, problem);
  if (!value)
    refuse("an output of a subgraph: " + problem);
  return value;
}
