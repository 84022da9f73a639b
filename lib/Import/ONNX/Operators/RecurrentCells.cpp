// Layers that the library lacks: with clipped sums, functions with parameters, or gates that depend on each other.
#include "dialects/Lathe/IR/Control.h"
#include "lib/Import/ONNX/Operators/Recurrent.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

// ---- Functions

namespace {
struct Kind {
  StringRef name, stdName;
  std::optional<double> alpha, beta; // default parameters
  bool needsParameters = false;      // there is no default
};
} // namespace

static constexpr double kNone = 0;

/// Returns the function's row in the table of all. Parameters that are nullopt do not exist for the function.
static const Kind *kindOf(StringRef name) {
  static const Kind kKinds[] = {
      {"tanh", "tanh", {}, {}},         {"sigmoid", "sigmoid", {}, {}},        {"relu", "relu", {}, {}},
      {"softsign", "softsign", {}, {}}, {"softplus", "softplus", {}, {}},      {"leakyrelu", "leaky_relu", 0.01, {}},
      {"elu", "elu", 1.0, {}},          {"affine", "none", 1.0, 0.0},          {"thresholdedrelu", "", 1.0, {}},
      {"hardsigmoid", "", 0.2, 0.5},    {"scaledtanh", "", kNone, kNone, true}};
  const Kind *found = llvm::find_if(kKinds, [&](const Kind &kind) { return name.equals_insensitive(kind.name); });
  return found == std::end(kKinds) ? nullptr : found;
}

/// Takes the next value of a parameter, whose list the functions share. Sets `other` if it is not the default.
static double takeParameter(Node &node, const Kind &kind, std::optional<double> usual, ArrayRef<double> &values, bool &other) {
  if (!usual)
    return 0;
  if (values.empty() && kind.needsParameters)
    node.refuse("activation '" + kind.name + "' needs activation_alpha and activation_beta");
  double value = values.empty() ? *usual : values.front();
  values = values.drop_front(values.empty() ? 0 : 1);
  other |= float(value) != float(*usual);
  return value;
}

std::vector<Activation> onnximport::readActivations(Node &node, ArrayRef<StringRef> otherwise, int64_t directions) {
  SmallVector<std::string> names;
  for (int64_t i = 0; i < directions; ++i)
    names.append(otherwise.begin(), otherwise.end());
  if (const auto *given = node.find("activations"))
    names.assign(given->strings().begin(), given->strings().end());
  if (names.size() != otherwise.size() * directions)
    node.refuse("there are " + Twine(names.size()) + " activations, expected " + Twine(otherwise.size() * directions));
  SmallVector<double> allAlphas = node.reals("activation_alpha"), allBetas = node.reals("activation_beta");
  ArrayRef<double> alphas = allAlphas, betas = allBetas;
  std::vector<Activation> functions;
  for (const std::string &name : names) {
    const Kind *kind = kindOf(name);
    if (!kind) {
      node.refuse("activation '" + name + "' is not supported; expected Tanh, Sigmoid, Relu, Softsign, Softplus, LeakyRelu, " +
                  "Elu, Affine, ThresholdedRelu, HardSigmoid or ScaledTanh");
      return {};
    }
    bool other = false;
    Activation function;
    function.name = kind->name.str();
    function.alpha = takeParameter(node, *kind, kind->alpha, alphas, other);
    function.beta = takeParameter(node, *kind, kind->beta, betas, other);
    function.stdName = other ? "" : kind->stdName;
    functions.push_back(function);
  }
  if (!alphas.empty() || !betas.empty())
    node.refuse("activation_alpha and activation_beta have more values than the activations have parameters");
  return functions;
}

namespace {
/// Emits the steps of one direction.
class Cell {
public:
  Cell(Node &node, const Layer &layer, const Direction &direction)
      : node(node), layer(layer), direction(direction), element(elementOfValue(direction.x)),
        hidden(layer.hidden.isStatic() ? layer.hidden.constant() : 0) {}

  /// Returns the states after a step, from the input's contribution to the gates and the previous states; the first state is
  /// also the output.
  SmallVector<Value> step(Value drive, ValueRange states);

private:
  SmallVector<Value> rnn(Value drive, Value h);
  SmallVector<Value> gru(Value drive, Value h);
  SmallVector<Value> lstm(Value drive, Value h, Value c);

  Value number(double value) { return node.constant(value, element); }
  Value sum(Value a, Value b) { return node.emit<AddOp>({a, b}); }
  Value product(Value a, Value b) { return node.emit<MulOp>({a, b}); }
  Value without(Value a) { return node.emit<SubOp>({number(1), a}); }
  /// Returns gate `gate` of values for all gates, along the last dimension, or the first one for weights.
  Value of(Value all, int64_t gate, int64_t dim) { return node.slice(all, dim, gate * hidden, Dim((gate + 1) * hidden)); }
  /// Returns the state's contribution to all gates, or to gate `gate`.
  Value recur(Value h, std::optional<int64_t> gate = std::nullopt);
  Value activate(Value x, int function);

  Node &node;
  const Layer &layer;
  const Direction &direction;
  Type element;
  int64_t hidden;
};
} // namespace

Value Cell::activate(Value x, int function) {
  const Activation &activation = direction.functions[function];
  const std::string &name = activation.name;
  if (layer.clip)
    x = node.emit<ClampOp>({number(-layer.clip), x, number(layer.clip)});
  auto scaled = [&](double factor, double offset, Value x) { return sum(product(x, number(factor)), number(offset)); };
  if (name == "tanh")
    return node.emit<TanhOp>(x);
  if (name == "sigmoid")
    return node.emit<LogisticOp>(x);
  if (name == "affine")
    return scaled(activation.alpha, activation.beta, x);
  if (name == "hardsigmoid")
    return node.emit<ClampOp>({number(0), scaled(activation.alpha, activation.beta, x), number(1)});
  if (name == "scaledtanh")
    return product(node.emit<TanhOp>(product(x, number(activation.beta))), number(activation.alpha));
  if (name == "thresholdedrelu")
    return node.emit<SelectOp>({node.compare(CompareKind::GE, x, number(activation.alpha)), x, number(0)});
  if (name == "leakyrelu")
    return node.composite("leaky_relu", x, {node.realNumber("slope", activation.alpha)});
  if (name == "elu")
    return node.composite("elu", x, {node.realNumber("alpha", activation.alpha)});
  return node.composite(name, x); // relu, softsign, softplus
}

Value Cell::recur(Value h, std::optional<int64_t> gate) {
  Value weights = direction.recurrent, bias = direction.recurrentBias;
  Value result = layer.isQuantized ? quantizedProduct(node, h, direction.quantizedRecurrent)
                                   : node.contract(h, gate ? of(weights, *gate, 0) : weights, {1}, {1});
  return bias ? sum(result, gate ? of(bias, *gate, 0) : bias) : result;
}

SmallVector<Value> Cell::rnn(Value drive, Value h) { return {activate(sum(drive, recur(h)), 0)}; }

/// Emits a GRU step: gates z, r and the new state.
SmallVector<Value> Cell::gru(Value drive, Value h) {
  Value z = activate(sum(of(drive, 0, 1), recur(h, 0)), 0), r = activate(sum(of(drive, 1, 1), recur(h, 1)), 0);
  bool isAfter = node.integer("linear_before_reset", 0);
  Value own = isAfter ? product(r, recur(h, 2)) : recur(product(r, h), 2);
  Value fresh = activate(sum(of(drive, 2, 1), own), 1);
  return {sum(product(without(z), fresh), product(z, h))};
}

/// Emits an LSTM step: gates i, o, f and the cell; peepholes of i, o and f.
SmallVector<Value> Cell::lstm(Value drive, Value h, Value c) {
  Value all = sum(drive, recur(h));
  auto seen = [&](int64_t gate, Value cell) {
    Value own = of(all, gate, 1);
    return direction.peepholes ? sum(own, product(of(direction.peepholes, gate, 0), cell)) : own;
  };
  Value i = activate(seen(0, c), 0), f = layer.couplesForget ? without(i) : activate(seen(2, c), 0);
  Value cell = sum(product(f, c), product(i, activate(of(all, 3, 1), 1)));
  Value o = activate(seen(1, cell), 0);
  return {product(o, activate(cell, 2)), cell};
}

SmallVector<Value> Cell::step(Value drive, ValueRange states) {
  if (direction.hasCell)
    return lstm(drive, states[0], states[1]);
  return node.op() == "GRU" ? gru(drive, states[0]) : rnn(drive, states[0]);
}

/// Makes rows past their length keep their states and output zeros.
static void keepEnded(Node &node, Value step, Value lengths, ValueRange before, SmallVector<Value> &after, Value &output) {
  Value runs = node.broadcast(node.compare(CompareKind::LT, step, node.convert(lengths, node.i64())), {0}, dimsOfValue(output));
  output = node.emit<SelectOp>({runs, output, node.constant(0, elementOfValue(output))});
  for (auto [kept, next] : llvm::zip_equal(before, after))
    next = node.emit<SelectOp>({runs, next, kept});
}

SmallVector<Value> onnximport::emitLayer(Node &node, const Layer &layer, Direction direction) {
  if (!layer.hidden.isStatic())
    node.refuse("the size of the state is " + layer.hidden.str() + ", expected a number; fix the dimension with --dim");
  Type own = node.element(0), wide = node.wide(own);
  if (node.failed())
    return {};
  for (Value *each : {&direction.x, &direction.weights, &direction.recurrent, &direction.bias, &direction.recurrentBias,
                      &direction.h0, &direction.c0, &direction.peepholes})
    *each = node.convert(*each, wide);
  Value x = layer.time ? node.transpose(direction.x, {1, 0, 2}) : direction.x;
  Value drive =
      layer.isQuantized ? quantizedProduct(node, x, direction.quantizedWeights) : node.contract(x, direction.weights, {2}, {1});
  if (direction.bias)
    drive = node.emit<AddOp>({drive, direction.bias});
  Dims dims = dimsOfValue(x);
  if (node.failed())
    return {};
  auto first = [&](Value given) { return given ? given : node.broadcast(node.constant(0, wide), {}, {dims[1], layer.hidden}); };
  SmallVector<Value> states{first(direction.h0)}, xs{drive};
  if (direction.hasCell)
    states.push_back(first(direction.c0));
  if (direction.lengths)
    xs.push_back(node.iota(0, {dims[0]}, node.i64()));
  if (node.failed())
    return {};
  OpBuilder &builder = node.getGraph().getBuilder();
  auto op = ScanOp::create(builder, node.getLocation(), Value(), ValueRange(), states, xs, ShapeAttr(), states[0].getType(),
                           direction.isReverse);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&op.getBody().front());
  ValueRange arguments = op.getBody().front().getArguments(), before = arguments.take_front(states.size());
  SmallVector<Value> ends = Cell(node, layer, direction).step(arguments[states.size()], before);
  Value output = ends[0];
  if (direction.lengths)
    keepEnded(node, arguments.back(), direction.lengths, before, ends, output);
  ends.push_back(output);
  if (node.failed()) {
    op.erase();
    return {};
  }
  YieldOp::create(builder, node.getLocation(), ends);
  closeRegions(op);
  builder.setInsertionPointAfter(op);
  Value y = layer.time ? node.transpose(op.getResults().back(), {1, 0, 2}) : Value(op.getResults().back());
  SmallVector<Value> results{y};
  llvm::append_range(results, op.getResults().drop_back());
  for (Value &result : results)
    result = node.convert(result, own);
  return results;
}
