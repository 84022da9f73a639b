// Optimisers of domain ai.onnx.preview.training: one step for any number of tensors. Operands are the rate, the step number,
// all tensors, all gradients, then the slots; results are the new tensors and slots.
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// One tensor of a step. Its gradient includes that of the regularisation.
struct Parameter {
  Value x, gradient;
  Value rate, step; // rank 0: the rate in the tensor's element type, the step number in f64
  SmallVector<Value> slots;

  Type element() const { return elementOfValue(x); }
};
} // namespace

static Value scaled(Node &node, Value x, double factor) {
  return node.emit<MulOp>({x, node.constant(factor, elementOfValue(x))});
}

/// Returns the step number or rate.
static Value scalarOf(Node &node, int input, Type element) {
  Value value = node.convert(node.input(input), element);
  if (!node.failed() && numElements(dimsOf(value)) != Dim(1))
    node.refuse("an operand of shape " + str(dimsOf(value)) + ", expected one number");
  return node.reshape(value, {});
}

/// Calls `update` for each tensor; it returns the new tensor and changes the slots.
static void updateAll(Node &node, int slots, function_ref<Value(Parameter &)> update) {
  int count = (node.inputs() - 2) / (2 + slots);
  if (count < 1 || node.inputs() != 2 + count * (2 + slots))
    return node.refuse("it has " + Twine(node.inputs()) + " operands, expected 2 and " + Twine(2 + slots) + " for each tensor");
  Type real = Float64Type::get(node.i64().getContext());
  for (int i = 0; i < count && !node.failed(); ++i) {
    auto operand = [&](int list) { return node.input(2 + list * count + i); };
    Parameter parameter{operand(0), operand(1), {}, scalarOf(node, 1, real), {}};
    if (!isa_and_nonnull<FloatType>(parameter.element()))
      return node.refuse("expected tensors of floats");
    parameter.rate = scalarOf(node, 0, parameter.element());
    if (double norm = node.real("norm_coefficient", 0); norm != 0)
      parameter.gradient = node.emit<AddOp>({scaled(node, parameter.x, norm), parameter.gradient});
    for (int slot = 0; slot < slots; ++slot)
      parameter.slots.push_back(operand(2 + slot));
    Dims dims = dimsOfValue(parameter.x);
    Value result = update(parameter);
    node.set(i, result);
    for (int slot = 0; slot < slots; ++slot)
      node.set((1 + slot) * count + i, parameter.slots[slot]);
    parameter.slots.push_back(result);
    for (Value value : parameter.slots)
      if (!node.failed() && dimsOf(value) != dims)
        node.refuse("gradients and moments must have the shape of their tensor, " + str(dims));
  }
}

static Value isStarted(Node &node, Value step) {
  return node.compare(CompareKind::GT, step, node.constant(0, elementOfValue(step)));
}

/// Returns old * factor + (1 - factor) * value.
static Value average(Node &node, Value old, Value value, double factor) {
  return node.emit<AddOp>({scaled(node, old, factor), scaled(node, value, 1 - factor)});
}

static void adam(Node &node) {
  double alpha = node.real("alpha", 0.9f), beta = node.real("beta", 0.999f), post = node.real("norm_coefficient_post", 0);
  double epsilon = node.real("epsilon", 1e-6f);
  updateAll(node, 2, [&](Parameter &each) {
    auto correction = [&](double factor) { // 1 - factor^step, in f64: it cancels
      Value one = node.constant(1, elementOfValue(each.step));
      return node.emit<SubOp>({one, node.emit<PowOp>({node.constant(factor, elementOfValue(each.step)), each.step})});
    };
    Value &mean = each.slots[0], &square = each.slots[1];
    mean = average(node, mean, each.gradient, alpha);
    square = average(node, square, node.emit<MulOp>({each.gradient, each.gradient}), beta);
    Value root = node.emit<AddOp>({node.emit<SqrtOp>(square), node.constant(epsilon, each.element())});
    Value factor = node.emit<DivOp>({node.emit<SqrtOp>(correction(beta)), correction(alpha)});
    factor = node.emit<SelectOp>({isStarted(node, each.step), factor, node.constant(1, elementOfValue(factor))});
    Value rate = node.emit<MulOp>({each.rate, node.convert(factor, each.element())});
    Value next = node.emit<SubOp>({each.x, node.emit<MulOp>({rate, node.emit<DivOp>({mean, root})})});
    return post == 0 ? next : scaled(node, next, 1 - post);
  });
}

static void adagrad(Node &node) {
  double decay = node.real("decay_factor", 0), epsilon = node.real("epsilon", 1e-6f);
  updateAll(node, 1, [&](Parameter &each) {
    Value &total = each.slots[0];
    total = node.emit<AddOp>({total, node.emit<MulOp>({each.gradient, each.gradient})});
    Value slower = node.convert(scaled(node, each.step, decay), each.element());
    Value rate = node.emit<DivOp>({each.rate, node.emit<AddOp>({node.constant(1, each.element()), slower})});
    Value root = node.emit<AddOp>({node.emit<SqrtOp>(total), node.constant(epsilon, each.element())});
    return node.emit<SubOp>({each.x, node.emit<DivOp>({node.emit<MulOp>({rate, each.gradient}), root})});
  });
}

static void momentum(Node &node) {
  std::string mode = node.text("mode", "");
  double alpha = node.real("alpha", 0), beta = node.real("beta", 1);
  for (StringRef name : {"alpha", "beta", "norm_coefficient"})
    if (!node.hasAttribute(name))
      return node.refuse("it has no " + name);
  if (mode != "standard" && mode != "nesterov")
    return node.refuse("mode is '" + mode + "', expected standard or nesterov");
  updateAll(node, 1, [&](Parameter &each) {
    Value &speed = each.slots[0];
    Type element = each.element();
    Value share = node.emit<SelectOp>({isStarted(node, each.step), node.constant(beta, element), node.constant(1, element)});
    speed = node.emit<AddOp>({scaled(node, speed, alpha), node.emit<MulOp>({share, each.gradient})});
    Value step = mode == "standard" ? speed : node.emit<AddOp>({each.gradient, scaled(node, speed, alpha)});
    return node.emit<SubOp>({each.x, node.emit<MulOp>({each.rate, step})});
  });
}

void onnximport::addTraining(Converters &converters) {
  auto add = [&](StringRef name, void (*convert)(Node &), StringRef attributes) {
    converters[("ai.onnx.preview.training:" + name).str()] = {convert, 5, -1, attributes, /*since=*/0};
  };
  add("Adagrad", adagrad, "decay_factor,epsilon,norm_coefficient");
  add("Adam", adam, "alpha,beta,epsilon,norm_coefficient,norm_coefficient_post");
  add("Momentum", momentum, "alpha,beta,mode,norm_coefficient");
}
