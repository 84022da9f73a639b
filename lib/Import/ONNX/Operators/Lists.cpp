// Sequences and optional values. They exist only in the importer, which knows their elements at each node.
#include "lib/Import/ONNX/InPlace.h"
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

using Entries = std::vector<Entry *>;

static void set(Node &node, int output, Entries elements) {
  if (!node.spendElements(1 + elements.size())) // each node keeps its own list
    return node.refuse("the model's sequences have too many elements in total");
  Entry &entry = node.getGraph().addUnnamed();
  entry.sequence = std::move(elements);
  node.set(output, &entry);
}

static Entry *keep(Node &node, Value value) {
  Entry &entry = node.getGraph().addUnnamed();
  entry.value = value;
  entry.type = value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
  return &entry;
}

/// Returns the elements of a sequence operand; empty after a refusal.
static Entries elementsOf(Node &node, int input) {
  Entry *entry = node.entry(input);
  if (entry && entry->sequence)
    return *entry->sequence;
  node.refuse("input " + Twine(input) + " is not a sequence whose elements are known at import");
  return {};
}

/// Returns an operand that is a tensor.
static Entry *tensorOf(Node &node, int input) {
  Entry *entry = node.entry(input);
  if (!entry || !entry->isTensor())
    node.refuse("input " + Twine(input) + " is not a tensor");
  return entry;
}

/// Returns a position in a sequence, which may count from the end; at most `last`.
static int64_t positionOf(Node &node, int input, int64_t size, int64_t last) {
  int64_t position = node.knownInteger(input, "the position");
  if (!node.failed() && (position < -size || position > last))
    node.refuse("there is no position " + Twine(position) + " in a sequence of " + Twine(size));
  return node.failed() ? 0 : position < 0 ? position + size : position;
}

static void construct(Node &node) {
  Entries elements;
  for (int i = 0; i < node.inputs(); ++i)
    elements.push_back(tensorOf(node, i));
  set(node, 0, elements);
}

static void empty(Node &node) { set(node, 0, {}); }

static void at(Node &node) {
  Entries elements = elementsOf(node, 0);
  int64_t position = positionOf(node, 1, elements.size(), int64_t(elements.size()) - 1);
  if (!node.failed())
    node.set(0, elements[position]);
}

static void insert(Node &node) {
  Entries elements = elementsOf(node, 0);
  Entry *tensor = tensorOf(node, 1);
  int64_t size = elements.size(), position = node.has(2) ? positionOf(node, 2, size, size) : size;
  if (node.failed())
    return;
  if (size && elements[0]->type && tensor->type && elements[0]->type.getElementType() != tensor->type.getElementType())
    return node.refuse("the tensor's element type differs from the sequence's");
  elements.insert(elements.begin() + position, tensor);
  set(node, 0, elements);
}

static void erase(Node &node) {
  Entries elements = elementsOf(node, 0);
  int64_t size = elements.size(), position = node.has(1) ? positionOf(node, 1, size, size - 1) : size - 1;
  if (position < 0)
    node.refuse("cannot erase from an empty sequence");
  if (node.failed())
    return;
  elements.erase(elements.begin() + position);
  set(node, 0, elements);
}

static void length(Node &node) {
  int64_t size = elementsOf(node, 0).size();
  node.set(0, Known{node.i64(), {}, {Scalar::of(Dim(size))}});
}

/// Returns the sizes of the parts. All parts except the last are equal for a single number, or 1 without one.
static Integers partsOf(Node &node, const Dim &extent) {
  Integers sizes = node.has(1) ? node.knownIntegers(1, "the sizes") : Integers{1};
  if (!extent.isStatic())
    node.refuse("cannot split a dimension of " + extent.str() + " elements, expected a number; fix the dimension with --dim");
  if (node.failed())
    return {};
  bool isOne = !node.has(1) || node.known(1)->rank() == 0;
  if (isOne && sizes[0] > 0) {
    int64_t size = sizes[0];
    sizes.assign(extent.constant() / size, size);
    if (extent.constant() % size)
      sizes.push_back(extent.constant() % size);
  }
  int64_t sum = 0;
  for (int64_t size : sizes)
    sum = size < 1 || size > extent.constant() ? -1 : sum < 0 ? sum : sum + size;
  if (sum != extent.constant())
    node.refuse("the parts do not add up to the " + extent.str() + " elements of the dimension");
  return sizes;
}

static void splitToSequence(Node &node) {
  Value x = node.input(0);
  Dims dims = node.dims(0);
  int64_t axis = node.axis(node.integer("axis", 0), dims.size());
  if (node.failed())
    return;
  bool drops = !node.has(1) && !node.integer("keepdims", 1);
  Entries elements;
  Dims rest = dims;
  rest.erase(rest.begin() + axis);
  int64_t start = 0;
  for (int64_t size : partsOf(node, dims[axis])) {
    Value part = node.slice(x, axis, start, Dim(start + size));
    elements.push_back(keep(node, drops ? node.reshape(part, rest) : part));
    start += size;
  }
  if (!node.failed())
    set(node, 0, elements);
}

/// Returns the values of a sequence's tensors.
static SmallVector<Value> valuesOf(Node &node, const Entries &elements) {
  SmallVector<Value> values;
  for (Entry *element : elements) {
    std::string problem;
    values.push_back(node.getGraph().valueOf(*element, node.getLocation(), problem));
    if (!values.back())
      node.refuse("an element of the sequence: " + problem);
  }
  return values;
}

static void concatFromSequence(Node &node) {
  SmallVector<Value> values = valuesOf(node, elementsOf(node, 0));
  if (values.empty())
    node.refuse("an empty sequence has no tensors to join");
  if (!node.hasAttribute("axis"))
    node.refuse("it has no axis");
  if (node.failed())
    return;
  bool isNew = node.integer("new_axis", 0);
  int64_t axis = node.axis(node.integer("axis", 0), rankOf(values[0]) + isNew);
  if (node.failed())
    return;
  for (Value &value : values)
    if (Dims dims = dimsOfValue(value); isNew && axis <= int64_t(dims.size())) {
      dims.insert(dims.begin() + axis, Dim(1));
      value = node.reshape(value, dims);
    }
  node.set(0, node.concatenate(values, axis));
}

/// Runs the body for each element. Operands after the first one are sequences of that length, or the same tensor each time.
static void sequenceMap(Node &node) {
  onnx::GraphProto *body = node.body("body");
  size_t count = elementsOf(node, 0).size();
  if (node.failed())
    return;
  if (body->input_size() != node.inputs() || body->output_size() != node.outputs())
    return node.refuse("its body has " + Twine(body->input_size()) + " inputs and " + Twine(body->output_size()) +
                       " outputs, expected " + Twine(node.inputs()) + " and " + Twine(node.outputs()));
  for (int i = 0; i < node.inputs(); ++i)
    if (Entry *entry = node.entry(i); !entry || (entry->sequence && entry->sequence->size() != count))
      return node.refuse("input " + Twine(i) + " is not a sequence of " + Twine(count) + " elements");
  SmallVector<int> outputs = wantedOutputs(node);
  std::vector<Entries> results(outputs.size());
  for (size_t step = 0; step < count; ++step) {
    Graph *copy = copyOf(node, *body);
    if (!copy)
      return;
    Graph &inside = *copy;
    for (int i = 0; i < node.inputs(); ++i)
      inside.bind(body->input(i).name(), node.entry(i)->sequence ? (*node.entry(i)->sequence)[step] : node.entry(i));
    FailureOr<SmallVector<Entry *>> ends = inside.importInside(outputs);
    if (failed(ends))
      return node.refuseAsTold();
    for (auto [result, end] : llvm::zip_equal(results, *ends))
      result.push_back(end);
  }
  for (auto [output, result] : llvm::zip_equal(outputs, results))
    set(node, output, result);
}

// ---- Optional values. A present one is represented by its content.

static void optional(Node &node) {
  if (node.has(0))
    return node.set(0, node.entry(0));
  Entry &entry = node.getGraph().addUnnamed();
  entry.isNothing = true;
  node.set(0, &entry);
}

static void hasElement(Node &node) {
  bool isThere = node.has(0) && node.entry(0) && !node.entry(0)->isNothing;
  node.set(0, Known{node.i1(), {}, {Scalar::of(Dim(isThere))}});
}

static void getElement(Node &node) {
  if (!node.entry(0) || node.entry(0)->isNothing)
    return node.refuse("the optional value is absent");
  node.set(0, node.entry(0));
}

static void identity(Node &node) {
  if (!node.entry(0))
    return node.refuse("input 0 is missing");
  node.entry(0)->isTensor() ? node.set(0, node.input(0)) : node.set(0, node.entry(0));
}

void onnximport::addLists(Converters &converters) {
  auto add = [&](StringRef name, void (*convert)(Node &), int least, int most, StringRef attributes = "") {
    converters[name] = {convert, least, most, attributes};
    converters[name].takesSequences = true;
  };
  add("SequenceConstruct", construct, 1, -1), add("SequenceEmpty", empty, 0, 0, "dtype");
  add("SequenceAt", at, 2, 2), add("SequenceInsert", insert, 2, 3), add("SequenceErase", erase, 1, 2);
  add("SequenceLength", length, 1, 1), add("SplitToSequence", splitToSequence, 1, 2, "axis,keepdims");
  add("ConcatFromSequence", concatFromSequence, 1, 1, "axis,new_axis"), add("SequenceMap", sequenceMap, 1, -1, "body");
  add("Optional", optional, 0, 1, "type"), add("OptionalHasElement", hasElement, 0, 1);
  add("OptionalGetElement", getElement, 1, 1), add("Identity", identity, 1, 1);
}
