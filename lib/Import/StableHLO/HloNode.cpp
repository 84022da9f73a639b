#include "lib/Import/StableHLO/HloNode.h"
#include "lib/Import/StableHLO/Sizes.h"
#include "lib/Support/TypeText.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

SmallVector<Value> HloNode::operandRange(unsigned begin, unsigned end) {
  SmallVector<Value> values;
  for (unsigned i = begin; i < end; ++i)
    values.push_back(operand(i));
  return values;
}

ArrayRef<int64_t> HloNode::numbers(StringRef name) {
  auto list = op->getAttrOfType<DenseI64ArrayAttr>(name);
  return list ? list.asArrayRef() : ArrayRef<int64_t>();
}

Integers HloNode::numbers(StringRef name, size_t count, int64_t otherwise) {
  auto list = op->getAttrOfType<DenseI64ArrayAttr>(name);
  if (!list)
    return Integers(count, otherwise);
  if (size_t(list.size()) != count)
    refuse("'" + name + "' has " + Twine(list.size()) + " numbers, expected " + Twine(count));
  Integers numbers(list.asArrayRef());
  numbers.resize(count, otherwise);
  return numbers;
}

void HloNode::readPadding(size_t count, Integers &low, Integers &high) {
  low.assign(count, 0);
  high.assign(count, 0);
  auto pads = op->getAttrOfType<DenseIntElementsAttr>("padding");
  if (!pads)
    return;
  if (size_t(pads.getNumElements()) != 2 * count)
    return refuse("'padding' has " + Twine(pads.getNumElements()) + " numbers, expected " + Twine(2 * count));
  for (auto [i, number] : llvm::enumerate(pads.getValues<int64_t>()))
    (i % 2 ? high : low)[i / 2] = number;
}

int64_t HloNode::integer(StringRef name, int64_t otherwise) {
  auto number = op->getAttrOfType<IntegerAttr>(name);
  return number ? number.getInt() : otherwise;
}

bool HloNode::flag(StringRef name) {
  auto value = op->getAttrOfType<BoolAttr>(name);
  return value && value.getValue();
}

StringRef HloNode::word(StringRef name) {
  auto text = op->getAttrOfType<StringAttr>(name);
  return text ? text.getValue() : "";
}

void HloNode::set(unsigned i, Value value) {
  if (failed())
    return;
  if (!value)
    return refuse("an operand is missing");
  auto declared = dyn_cast<RankedTensorType>(op->getResult(i).getType()), type = cast<RankedTensorType>(value.getType());
  bool fits = declared.getElementType() == type.getElementType() || isa<IndexType>(declared.getElementType());
  if (!isLifted() && !program.blocks.contains(op->getResult(i))) {
    fits &= declared.getRank() == type.getRank();
    for (int64_t dim = 0; fits && dim < type.getRank(); ++dim)
      fits = declared.isDynamicDim(dim) || type.isDynamicDim(dim) || declared.getDimSize(dim) == type.getDimSize(dim);
  }
  if (!fits)
    return refuse("result " + Twine(i) + " is declared as " + typeText(declared) + ", but its operands give " + typeText(type));
  frame.values[op->getResult(i)] = value;
}

void HloNode::set(ValueRange values) {
  if (!failed() && values.size() != results())
    refuse("it has " + Twine(results()) + " results, expected " + Twine(values.size()));
  for (auto [i, value] : llvm::enumerate(values))
    set(i, value);
}

SmallVector<Value> HloNode::inlineRegion(Region &region, ValueRange arguments) {
  if (failed())
    return {};
  if (!region.hasOneBlock() || region.front().getNumArguments() != arguments.size() || region.front().empty()) {
    refuse("a region must have one block with " + Twine(arguments.size()) + " arguments");
    return {};
  }
  Block &block = region.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    frame.values[argument] = value;
  if (!program.importBlock(block, frame)) {
    refuseAsTold();
    return {};
  }
  SmallVector<Value> ends;
  for (Value value : block.getTerminator()->getOperands())
    ends.push_back(frame.find(value));
  return ends;
}

SmallVector<Value> HloNode::liftRegion(Region &region, ValueRange arguments, ArrayRef<Dim> shape) {
  ++frame.lifted;
  SmallVector<Value> ends = inlineRegion(region, arguments);
  --frame.lifted;
  for (Value &end : ends)
    if (rankOf(end) != int64_t(shape.size())) // a value that does not depend on the arguments
      end = broadcast(end, {}, shape);
  return ends;
}

Value HloNode::zero(Type element) {
  return isa_and_nonnull<FloatType>(element) ? constant(0, element) : constantInt(0, element);
}

Value HloNode::asIndex(Value value) {
  Type element = elementOfValue(value);
  return !element || element.isSignlessInteger(32) ? value : convert(value, i64());
}

/// Returns the size of a name as i64. If no input has this dimension, but one has an expression of it, the size is that of a
/// tensor that is never stored.
Value HloNode::sizeOfName(const std::string &name) {
  if (auto source = program.dimSources.find(name); source != program.dimSources.end())
    return emit<DimSizeOp>(source->second.first, number("dim", source->second.second));
  Dim dim = Dim::named(name);
  if (!llvm::all_of(namesIn(dim), [&](const std::string &each) { return program.hasSize(each); }))
    return {};
  return emit<DimSizeOp>(broadcast(constantInt(0, i64()), {}, {dim}), number("dim", 0));
}

Value HloNode::size(const Dim &dim, Type element) {
  if (failed() || !element)
    return {};
  if (dim.isStatic())
    return constantInt(dim.constant(), element);
  Value sum;
  for (const auto &[names, coefficient] : dim.getTerms()) {
    Value product = constantInt(coefficient, i64());
    for (const std::string &name : names) {
      Value size = sizeOfName(name);
      if (!size) {
        refuse("the size " + dim.str() + " is not the size of any input dimension");
        return {};
      }
      product = emit<MulOp>({product, size});
    }
    sum = sum ? emit<AddOp>({sum, product}) : product;
  }
  return convert(sum, element);
}

Dims HloNode::knownDims(unsigned i) {
  std::optional<Dims> sizes = knownSizes(operand(i));
  if (!sizes)
    refuse("operand " + Twine(i) + " is data; expected sizes that are constants or computed from the sizes of inputs");
  return sizes.value_or(Dims());
}
