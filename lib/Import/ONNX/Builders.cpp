// Ops that depend on the model: sizes, broadcasting of old opsets.
#include "dialects/Lathe/IR/EqualSizes.h"
#include "lib/Import/ONNX/ConstantValues.h"
#include "lib/Import/ONNX/Node.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

Value Node::withSizes(Value value, ArrayRef<Dim> dims, StringRef neededBy) {
  if (value && ArrayRef(dimsOf(value)) == dims)
    return value;
  value = emit<ReshapeOp>(value, {shape("shape", dims), flag("checked"), flag("each")});
  if (value && !neededBy.empty())
    value.getDefiningOp()->setAttr(kNeededByAttr, graph.getBuilder().getStringAttr(neededBy));
  return value;
}

Value Node::padTo(Value value, ArrayRef<Dim> sizes) {
  Dims dims = dimsOfValue(value), high;
  if (failed() || ArrayRef(dims) == sizes)
    return value;
  for (auto [dim, size] : llvm::zip_equal(dims, sizes))
    high.push_back(size - dim);
  Type element = elementOfValue(value);
  Value zero = isa<FloatType>(element) ? constant(0, element) : constantInt(0, element);
  return pad(value, zero, Dims(dims.size(), Dim(0)), high);
}

Value Node::setDimSize(Value value, int64_t dim, Value count, const std::string &called) {
  if (failed() || !value || !count)
    return {};
  Dim extent = dimsOf(value)[dim];
  if (std::optional<Known> known = knownValue(count))
    if (int64_t size = known->elements[0].number(); extent.isStatic() && size >= 0 && size <= extent.constant())
      return slice(value, dim, 0, Dim(size));
  Model &model = graph.getModel();
  std::string name = model.fieldName(called.empty() ? "n_" + output(0) : called, "_");
  Value result = emit<SetDimSizeOp>({value, count}, {number("dim", dim), word("name", name)});
  model.dataDims[name] = extent;
  model.dimSources[name] = {result, dim};
  return result;
}

Value Node::rightOperand() {
  Value right = input(1);
  if (opset() >= 7 && (hasAttribute("axis") || hasAttribute("broadcast")))
    refuse("the attributes axis and broadcast were removed in opset 7");
  if (failed() || !integer("broadcast", 0) || !hasAttribute("axis"))
    return right;
  Dims own = dimsOf(right);
  int64_t first = axis(integer("axis", 0), rank(0)), trailing = rank(0) - first - int64_t(own.size());
  if (trailing < 0)
    refuse("the right operand of shape " + str(own) + " does not fit at axis " + Twine(first) + " of " + str(dims(0)) + " on");
  if (failed())
    return {};
  own.append(trailing, Dim(1));
  return reshape(right, own);
}

Value Node::size(const Dim &dim, Type element) {
  if (failed() || !element)
    return {};
  if (dim.isStatic())
    return constantInt(dim.constant(), element);
  Value value = graph.getModel().sizeOf(dim, location);
  if (!value)
    refuse("the size " + dim.str() + " is not the size of any input dimension");
  return convert(value, element);
}

Value Node::wrapIndices(Value indices, const Dim &extent) {
  Value wide = convert(indices, i64());
  Value isNegative = compare(CompareKind::LT, wide, constantInt(0, i64()));
  return emit<SelectOp>({isNegative, emit<AddOp>({wide, size(extent, i64())}), wide});
}
