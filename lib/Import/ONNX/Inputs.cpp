// A model's inputs: arguments with named dimensions, or constants from the user.
#include "lib/Import/Constants/ConstInputs.h"
#include "lib/Import/ONNX/Graph.h"
#include "lib/Import/ONNX/Limits.h"
#include "lib/Support/SourcePlace.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

FailureOr<RankedTensorType> Graph::declaredType(const onnx::ValueInfoProto &input) {
  if (!input.type().has_tensor_type())
    return refuse("input '" + input.name() + "' is not a tensor; sequences, maps and optional values are not supported");
  const auto &tensor = input.type().tensor_type();
  Type element = elementTypeOf(tensor.elem_type(), getContext());
  if (!element)
    return refuse("input '" + input.name() + "' has elements of type " + nameOfDataType(tensor.elem_type()) + ", expected " +
                  kElementTypes);
  if (!tensor.has_shape())
    return refuse("input '" + input.name() + "' has no shape; its rank must be known");
  if (tensor.shape().dim_size() > kMostRank)
    return refuse("input '" + input.name() + "' has " + Twine(tensor.shape().dim_size()) + " dimensions, expected up to " +
                  Twine(kMostRank));
  Dims dims;
  for (auto [i, dimension] : llvm::enumerate(tensor.shape().dim()))
    dims.push_back(model.dimensionOf(dimension, input.name(), i));
  std::optional<Dim> elements = numElements(dims);
  if (!elements || hasOverflowed(*elements * Dim(8), dims))
    return refuse("input '" + input.name() + "' of shape " + str(dims) + " has more than 2^63 - 1 bytes");
  return tensorOf(dims, element);
}

LogicalResult Graph::declareInput(const onnx::ValueInfoProto &input, const std::string &field) {
  FailureOr<RankedTensorType> type = declaredType(input);
  if (failed(type))
    return failure();
  Entry &entry = define(input.name());
  entry.type = *type;
  BlockArgument argument = model.function.getBody().front().addArgument(entry.type, model.location());
  model.argumentNames.push_back(field);
  entry.value = argument;
  for (auto [i, dim] : llvm::enumerate(dimsOf(*type)))
    if (!dim.isStatic())
      model.dimSources.try_emplace(dim.str(), argument, i);
  return success();
}

/// Sets the value of an input that becomes a constant. Its extents fix the named dimensions for all inputs.
LogicalResult Graph::makeConstant(const Argument &argument) {
  const auto &[input, field, given, isConstant] = argument;
  model.shared.joinInput(input);
  FailureOr<RankedTensorType> type = declaredType(input);
  if (failed(type))
    return failure();
  Dims dims = dimsOf(*type);
  Type element = type->getElementType();
  Tensor value;
  std::string reason;
  if (given)
    reason = mismatch("its value", value = *given, *lathe::elementOf(element), dims);
  else
    reason = takeConstant(*model.constants, {field, input.name(), *lathe::elementOf(element), dims}, value);
  if (!reason.empty())
    return refuse("input '" + input.name() + "' cannot become a constant: " + reason);
  for (auto [dim, extent] : llvm::zip(dims, value.getShape())) {
    if (dim.isStatic())
      continue;
    int64_t size = model.sizes.try_emplace(dim.str(), extent).first->second;
    if (size != extent)
      return refuse("input '" + input.name() + "' cannot become a constant: its value gives two different sizes to dimension " +
                    dim.str());
    model.used[dim.str()] = size; // other inputs may not have this dimension
  }
  Entry &entry = define(input.name());
  entry.type = RankedTensorType::get(value.getShape(), element);
  TensorData data(entry.type, std::string(value.getBytes().begin(), value.getBytes().end()));
  entry.known = toKnown(data);
  entry.constant = onnximport::toAttr(std::move(data), input.name());
  if (!given)
    model.constants->taken.insert(field);
  return success();
}

FailureOr<std::vector<Graph::Argument>> Graph::nameArguments() {
  std::vector<Argument> arguments;
  std::set<std::string> open = model.constants ? model.constants->names : std::set<std::string>();
  bool good = true;
  for (const auto &input : graph.input()) {
    auto [entry, isNew] = entries.try_emplace(input.name());
    if (input.name().empty())
      good = failed(refuse("an input has no name")) && false;
    else if (!isNew && !entry->second.initializer)
      good = failed(refuse("two inputs have the name '" + input.name() + "'")) && false;
    else if (isNew) { // an input with a default is a constant
      std::string field = model.fieldName(input.name(), "_", "arg");
      size_t named = open.erase(field) + open.erase(input.name());
      auto value = model.given.find(arguments.size());
      bool isGiven = value != model.given.end();
      model.inputNames.push_back(field);
      arguments.push_back({input, field, isGiven ? &value->second : nullptr, isGiven || named > 0});
    }
  }
  for (const std::string &name : open) {
    std::string names = llvm::join(llvm::map_range(arguments, [](const Argument &each) { return each.field; }), ", ");
    emitError(optionPlace("--const-input", model.location(line)))
        << "there is no input '" << name << "' to make a constant; there are " << (names.empty() ? "none" : names);
    good = false;
  }
  if (!good)
    return failure();
  return arguments;
}

/// Fixes the dimensions for which the model's declaration has numbers.
void Graph::takeDeclared(ArrayRef<Argument> arguments) {
  if (!model.declared)
    return;
  for (auto [each, type] : llvm::zip(arguments, model.declared.getInputs())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    const auto &dims = each.input.type().tensor_type().shape().dim();
    if (!tensor || tensor.getRank() != dims.size())
      continue; // reported when the types are compared
    for (auto [i, dim, extent] : llvm::enumerate(dims, tensor.getShape()))
      if (dim.dim_value() <= 0 && !ShapedType::isDynamic(extent))
        model.sizes[each.input.name() + "." + std::to_string(i)] = extent;
  }
}

/// Assigns names in order: those of inputs, the model's names of dimensions, and generated ones.
LogicalResult Graph::readInputs() {
  FailureOr<std::vector<Argument>> arguments = nameArguments();
  if (failed(arguments))
    return failure();
  takeDeclared(*arguments);
  for (const Argument &each : *arguments)
    model.takeNames(each.input);
  bool good = true;
  for (const Argument &each : *arguments)
    good &= !each.isConstant || succeeded(makeConstant(each));
  for (const Argument &each : *arguments)
    good &= each.isConstant || succeeded(declareInput(each.input, each.field));
  return success(succeeded(model.checkSizes()) && good);
}
