// RNN, LSTM and GRU: a layer of the library for each direction.
#include "lib/Import/ONNX/Operators/Recurrent.h"
#include "dialects/Lathe/IR/EqualSizes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

static Layer readLayer(Node &node, ArrayRef<StringRef> otherwise, bool isQuantized = false) {
  Layer layer;
  layer.isQuantized = isQuantized;
  std::string direction = node.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    node.refuse("direction '" + direction + "' is unknown; expected forward, reverse or bidirectional");
  layer.directions = direction == "bidirectional" ? 2 : 1;
  layer.isReverse = direction == "reverse";
  layer.time = node.integer("layout", 0) != 0;
  layer.clip = node.real("clip", 0);
  if (node.hasAttribute("clip") && !(layer.clip > 0))
    node.refuse("clip is " + std::to_string(layer.clip) + ", expected a positive number");
  layer.couplesForget = node.integer("input_forget", 0);
  layer.functions = readActivations(node, otherwise, layer.directions);
  for (auto [input, rank, name] :
       {std::tuple(0, 3, "X"), {1, 3, "W"}, {2, 3, "R"}, {3, 2, "B"}, {5, 3, "initial_h"}, {6, 3, "initial_c"}, {7, 2, "P"}})
    if (node.has(input) && !node.failed() && node.rank(input) != rank)
      node.refuse("'" + Twine(name) + "' has rank " + Twine(node.rank(input)) + ", expected " + Twine(rank));
  if (node.failed())
    return layer;
  for (int input : {1, 2, 3})
    if (node.has(input) && node.dims(input)[0] != Dim(layer.directions))
      node.refuse("operand " + Twine(input) + " has shape " + str(node.dims(input)) + ", expected " + Twine(layer.directions) +
                  " first, the directions");
  layer.hidden = node.dims(2)[isQuantized ? 1 : 2];
  if (node.hasAttribute("hidden_size") && Dim(node.integer("hidden_size", 0)) != layer.hidden)
    node.refuse("hidden_size is " + Twine(node.integer("hidden_size", 0)) + ", 'R' has " + layer.hidden.str());
  return layer;
}

/// Returns a direction's part of an operand along dimension `dim`; null if the operand is missing.
static Value partOf(Node &node, int input, int64_t direction, int64_t dim = 0) {
  if (!node.has(input))
    return {};
  Value part = node.slice(node.input(input), dim, direction, Dim(direction + 1));
  Dims dims = dimsOfValue(part);
  if (!node.failed())
    dims.erase(dims.begin() + dim);
  return node.reshape(part, dims);
}

/// Returns the first or second half of a direction's biases: those of the input's product and of the recurrent one.
static Value halfOf(Node &node, int64_t direction, bool second) {
  Value both = partOf(node, 3, direction);
  if (!both)
    return {};
  Dims dims = dimsOfValue(both);
  if (node.failed() || !dims[0].isStatic() || dims[0].constant() % 2) {
    node.refuse("'B' has shape " + str(node.dims(3)) + ", expected an even number of biases for each direction");
    return {};
  }
  int64_t half = dims[0].constant() / 2;
  return node.slice(both, 0, second ? half : 0, Dim(second ? 2 * half : half));
}

/// Returns a direction's integers of input `weights`, minus their zero points. Scales and zero points are the inputs from
/// `scale` on, one for the direction or one for each column.
static QuantizedMatrix matrixOf(Node &node, int weights, int scale, int64_t direction) {
  Value values = partOf(node, weights, direction), scales = partOf(node, scale, direction);
  Value zeros = zeroOf(node, scale + 1, elementOfValue(values)) ? partOf(node, scale + 1, direction) : Value();
  for (Value each : {scales, zeros})
    if (each && !node.failed() && rankOf(each) == 1 && dimsOf(each)[0] != dimsOf(values)[1])
      node.refuse("a scale or zero point of " + dimsOf(each)[0].str() + " columns, expected one for each of " +
                  dimsOf(values)[1].str() + ", or one for the direction");
  return node.failed() ? QuantizedMatrix() : QuantizedMatrix{centred(node, values, zeros, i32(node)), scales};
}

/// Fixes the first dimension to the number of rows; the entry checks it if it may differ.
static Value withRows(Node &node, Value value, const Dim &rows) {
  Dims dims = dimsOfValue(value);
  if (dims.empty() || dims[0] == rows || !canBeEqual(dims[0], rows))
    return value;
  dims[0] = rows;
  return node.withSizes(value, dims);
}

static Direction readDirection(Node &node, const Layer &layer, int64_t d) {
  Direction direction;
  direction.x = node.input(0);
  if (layer.isQuantized) {
    bytes(node, 1);
    bytes(node, 2);
    direction.quantizedWeights = matrixOf(node, 1, 8, d);
    direction.quantizedRecurrent = matrixOf(node, 2, 10, d);
  } else {
    direction.weights = partOf(node, 1, d);
    direction.recurrent = partOf(node, 2, d);
  }
  Dim rows = node.dims(0)[layer.time ? 0 : 1];
  direction.bias = halfOf(node, d, false);
  direction.recurrentBias = halfOf(node, d, true);
  direction.h0 = withRows(node, partOf(node, 5, d, layer.time), rows);
  direction.lengths = withRows(node, node.has(4) ? node.input(4) : Value(), rows);
  direction.isReverse = layer.isReverse || d == 1;
  direction.hasCell = layer.isQuantized || node.op() == "LSTM";
  if (direction.hasCell) {
    direction.c0 = withRows(node, partOf(node, 6, d, layer.time), rows);
    direction.peepholes = partOf(node, 7, d);
  }
  size_t count = layer.functions.size() / layer.directions;
  direction.functions = ArrayRef(layer.functions).slice(d * count, count);
  return direction;
}

/// Emits a layer of the library by its name. Returns the outputs of all steps, then the last states.
static SmallVector<Value> emitComposite(Node &node, const Layer &layer, const Direction &direction, StringRef name,
                                        SmallVector<NamedAttribute> options) {
  options.push_back(node.number("time", layer.time));
  if (direction.isReverse)
    options.push_back(node.flag("reverse"));
  SmallVector<std::pair<StringRef, Value>> given{{"bias", direction.bias}, {"recurrent_bias", direction.recurrentBias}};
  bool hasCell = name == "lstm"; // in the order of the composite's operands
  if (hasCell)
    given.push_back({"peepholes", direction.peepholes});
  given.push_back({"h0", direction.h0});
  if (hasCell)
    given.push_back({"c0", direction.c0});
  given.push_back({"lengths", direction.lengths});
  Value y = node.composite(name, {direction.x, direction.weights, direction.recurrent}, options, given);
  if (node.failed())
    return {};
  Dims x = node.dims(0), all = {x[0], x[1], layer.hidden}, state = {x[1 - layer.time], layer.hidden};
  SmallVector<Value> results = llvm::to_vector_of<Value>(y.getDefiningOp()->getResults());
  for (auto [i, result] : llvm::enumerate(results)) // results of a library loop have no names of dimensions yet
    result.setType(tensorOf(i ? state : all, node.element(0)));
  return results;
}

/// Imports a layer whose state is `numStates` values, the second one an LSTM's cell. `optionsOf` returns the operator's own
/// options of a direction for the library layer `name`.
template <typename OptionsOf>
static void convertLayer(Node &node, const Layer &layer, int numStates, StringRef name, OptionsOf optionsOf) {
  std::vector<SmallVector<Value>> results(1 + numStates); // of the directions
  for (int64_t d = 0; d < layer.directions && !node.failed(); ++d) {
    Direction direction = readDirection(node, layer, d);
    SmallVector<Value> own = layer.isUsual() ? emitComposite(node, layer, direction, name, optionsOf(direction.functions))
                                             : emitLayer(node, layer, direction);
    for (auto [i, value] : llvm::enumerate(own))
      results[i].push_back(value);
  }
  for (int i = 0; i <= numStates && !node.failed(); ++i) {
    int64_t dim = i == 0 ? (layer.time ? 2 : 1) : layer.time ? 1 : 0;
    SmallVector<Value> parts;
    for (Value value : results[i]) {
      Dims dims = dimsOfValue(value);
      dims.insert(dims.begin() + dim, Dim(1));
      parts.push_back(node.reshape(value, dims));
    }
    node.set(i, parts.size() == 1 ? parts[0] : node.concatenate(parts, dim));
  }
}

using Options = SmallVector<NamedAttribute>;

static void convertRnn(Node &node) {
  Layer layer = readLayer(node, {"tanh"});
  if (node.failed())
    return;
  convertLayer(node, layer, 1, "rnn",
               [&](ArrayRef<Activation> functions) { return Options{node.word("activation", functions[0].stdName)}; });
}

static void convertGru(Node &node) {
  Layer layer = readLayer(node, {"sigmoid", "tanh"});
  if (node.failed())
    return;
  convertLayer(node, layer, 1, "gru", [&](ArrayRef<Activation> functions) {
    return Options{node.word("gates", "zrn"), node.word("reset", node.integer("linear_before_reset", 0) ? "after" : "before"),
                   node.word("activation", functions[0].stdName), node.word("new_activation", functions[1].stdName)};
  });
}

static void convertLstm(Node &node) {
  Layer layer = readLayer(node, {"sigmoid", "tanh", "tanh"});
  if (node.failed())
    return;
  convertLayer(node, layer, 2, "lstm", [&](ArrayRef<Activation> functions) {
    return Options{node.word("gates", "iofc"), node.word("activation", functions[0].stdName),
                   node.word("cell_activation", functions[1].stdName), node.word("hidden_activation", functions[2].stdName)};
  });
}

/// Converts ONNX Runtime's LSTM with integer weights, [directions, in, 4 * H]. Their factors are quantised dynamically: all
/// inputs at once, the state in each step.
static void convertQuantizedLstm(Node &node) {
  for (int input : {8, 9, 10, 11})
    if (!node.has(input))
      return node.refuse("input " + Twine(input) + " is missing, a scale or zero point of the weights");
  Layer layer = readLayer(node, {"sigmoid", "tanh", "tanh"}, /*isQuantized=*/true);
  if (node.failed())
    return;
  convertLayer(node, layer, 2, "lstm", [](ArrayRef<Activation>) { return Options(); });
}

void onnximport::addRecurrent(Converters &all) {
  static constexpr StringLiteral kShared = "activation_alpha,activation_beta,activations,clip,direction,hidden_size,layout,"
                                           "output_sequence";
  static const std::string kGru = kShared.str() + ",linear_before_reset", kLstm = kShared.str() + ",input_forget";
  all["RNN"] = {convertRnn, 3, 6, kShared};
  all["GRU"] = {convertGru, 3, 6, kGru};
  all["LSTM"] = {convertLstm, 3, 8, kLstm};
  all[(kMicrosoft + ":DynamicQuantizeLSTM").str()] = {convertQuantizedLstm, 12, 12, kLstm, /*since=*/0};
}
