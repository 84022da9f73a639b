// RNN, LSTM and GRU: a layer of the library for each direction.
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// What the three operators share. Y is [T, directions, N, H], the last states [directions, N, H]; with `layout` 1, N is first.
struct Layer {
  int64_t directions = 1, time = 0;
  bool isReverse = false; // the only direction
  Dim hidden;
  std::vector<std::string> functions; // of all directions
};
} // namespace

/// ONNX's name of a function, as the library calls it.
static std::string functionOf(Node &node, StringRef name) {
  for (auto [theirs, ours] : {std::pair("tanh", "tanh"),
                              {"sigmoid", "sigmoid"},
                              {"relu", "relu"},
                              {"softsign", "softsign"},
                              {"softplus", "softplus"}})
    if (name.equals_insensitive(theirs))
      return ours;
  if (node.hasAttribute("activation_alpha") || node.hasAttribute("activation_beta"))
    node.refuse("activation '" + name + "' with parameters of its own is not supported");
  for (auto [theirs, ours] : {std::pair("leakyrelu", "leaky_relu"), {"elu", "elu"}, {"affine", "none"}})
    if (name.equals_insensitive(theirs))
      return ours;
  node.refuse("activation '" + name +
              "' is not supported; expected Tanh, Sigmoid, Relu, Softsign, Softplus, LeakyRelu, Elu or Affine");
  return "tanh";
}

static Layer readLayer(Node &node, ArrayRef<StringRef> otherwise) {
  Layer layer;
  std::string direction = node.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    node.refuse("direction '" + direction + "' is none; expected forward, reverse or bidirectional");
  layer.directions = direction == "bidirectional" ? 2 : 1;
  layer.isReverse = direction == "reverse";
  layer.time = node.integer("layout", 0) != 0;
  if (node.hasAttribute("clip"))
    node.refuse("clip is not supported");
  if (const auto *given = node.find("activations"))
    for (const std::string &name : given->strings())
      layer.functions.push_back(functionOf(node, name));
  else
    for (int64_t i = 0; i < layer.directions; ++i)
      layer.functions.insert(layer.functions.end(), otherwise.begin(), otherwise.end());
  if (layer.functions.size() != otherwise.size() * layer.directions)
    node.refuse("there are " + Twine(layer.functions.size()) + " activations, expected " +
                Twine(otherwise.size() * layer.directions));
  for (auto [input, rank, name] : {std::tuple(0, 3, "X"), {1, 3, "W"}, {2, 3, "R"}, {3, 2, "B"}})
    if (node.has(input) && !node.failed() && node.rank(input) != rank)
      node.refuse("'" + Twine(name) + "' has rank " + Twine(node.rank(input)) + ", expected " + Twine(rank));
  if (node.failed())
    return layer;
  for (int input : {1, 2, 3})
    if (node.has(input) && node.dims(input)[0] != Dim(layer.directions))
      node.refuse("operand " + Twine(input) + " has shape " + str(node.dims(input)) + ", expected " + Twine(layer.directions) +
                  " first, the directions");
  layer.hidden = node.dims(2)[2];
  if (node.hasAttribute("hidden_size") && Dim(node.integer("hidden_size", 0)) != layer.hidden)
    node.refuse("hidden_size is " + Twine(node.integer("hidden_size", 0)) + ", 'R' has " + layer.hidden.str());
  return layer;
}

/// What a direction has of an operand along dimension `dim`; null if it is not given.
static Value partOf(Node &node, int input, int64_t direction, int64_t dim = 0) {
  if (!node.has(input))
    return {};
  Value part = node.slice(node.input(input), dim, direction, Dim(direction + 1));
  Dims dims = dimsOfValue(part);
  if (!node.failed())
    dims.erase(dims.begin() + dim);
  return node.reshape(part, dims);
}

/// The first or the second half of a direction's biases: those of the input's product and of the recurrent one.
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

using Given = SmallVector<std::pair<StringRef, Value>>;

/// Imports a layer whose state is `numStates` values, the second one an LSTM's cell, by `make`, which adds the operator's own
/// options of a direction and names the composite.
template <typename Make>
static void convertLayer(Node &node, const Layer &layer, int numStates, Make make) {
  SmallVector<SmallVector<Value>> results(1 + numStates); // of the directions
  for (int64_t d = 0; d < layer.directions && !node.failed(); ++d) {
    SmallVector<NamedAttribute> options{node.number("time", layer.time)};
    if (layer.isReverse || d == 1)
      options.push_back(node.flag("reverse"));
    Given given{{"bias", halfOf(node, d, false)}, {"recurrent_bias", halfOf(node, d, true)}};
    Value h0 = partOf(node, 5, d, layer.time), lengths = node.has(4) ? node.input(4) : Value();
    if (numStates == 1)
      given.push_back({"h0", h0});
    else // in the order of the composite's operands
      given.append({{"peepholes", partOf(node, 7, d)}, {"h0", h0}, {"c0", partOf(node, 6, d, layer.time)}});
    given.push_back({"lengths", lengths});
    StringRef name = make(d, options);
    Value y = node.composite(name, {node.input(0), partOf(node, 1, d), partOf(node, 2, d)}, options, given);
    if (node.failed())
      return;
    Dims x = node.dims(0), all = {x[0], x[1], layer.hidden}, state = {x[1 - layer.time], layer.hidden};
    for (int i = 0; i <= numStates; ++i) {
      results[i].push_back(y.getDefiningOp()->getResult(i)); // what leaves a loop of the library has no names of dimensions yet
      results[i].back().setType(tensorOf(i ? state : all, node.element(0)));
    }
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

static void convertRnn(Node &node) {
  Layer layer = readLayer(node, {"tanh"});
  if (node.failed())
    return;
  convertLayer(node, layer, 1, [&](int64_t d, auto &options) {
    options.push_back(node.word("activation", layer.functions[d]));
    return StringRef("rnn");
  });
}

static void convertGru(Node &node) {
  Layer layer = readLayer(node, {"sigmoid", "tanh"});
  if (node.failed())
    return;
  convertLayer(node, layer, 1, [&](int64_t d, auto &options) {
    options.push_back(node.word("gates", "zrn"));
    options.push_back(node.word("reset", node.integer("linear_before_reset", 0) ? "after" : "before"));
    options.push_back(node.word("activation", layer.functions[2 * d]));
    options.push_back(node.word("new_activation", layer.functions[2 * d + 1]));
    return StringRef("gru");
  });
}

static void convertLstm(Node &node) {
  Layer layer = readLayer(node, {"sigmoid", "tanh", "tanh"});
  if (node.integer("input_forget", 0))
    node.refuse("input_forget is not supported");
  if (node.failed())
    return;
  convertLayer(node, layer, 2, [&](int64_t d, auto &options) {
    options.push_back(node.word("gates", "iofc"));
    options.push_back(node.word("activation", layer.functions[3 * d]));
    options.push_back(node.word("cell_activation", layer.functions[3 * d + 1]));
    options.push_back(node.word("hidden_activation", layer.functions[3 * d + 2]));
    return StringRef("lstm");
  });
}

void onnximport::addRecurrent(Converters &all) {
  static constexpr StringLiteral kShared = "activation_alpha,activation_beta,activations,clip,direction,hidden_size,layout,"
                                           "output_sequence";
  static const std::string kGru = kShared.str() + ",linear_before_reset", kLstm = kShared.str() + ",input_forget";
  all["RNN"] = {convertRnn, 3, 6, kShared};
  all["GRU"] = {convertGru, 3, 6, kGru};
  all["LSTM"] = {convertLstm, 3, 8, kLstm};
}
