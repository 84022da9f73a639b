// Elementwise arithmetic.
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

template <typename Op>
static void unary(Node &node) {
  node.set(0, node.emit<Op>(node.input(0)));
}

template <typename Op>
static void binary(Node &node) {
  node.set(0, node.emit<Op>({node.input(0), node.rightOperand()}));
}

/// Combines one or more operands from the left.
template <typename Op>
static Value fold(Node &node) {
  Value result = node.input(0);
  for (int i = 1; i < node.inputs(); ++i)
    result = node.emit<Op>({result, node.input(i)});
  return result;
}

template <typename Op>
static void variadic(Node &node) {
  node.set(0, fold<Op>(node));
}

static void mean(Node &node) {
  Value sum = fold<AddOp>(node);
  node.set(0, node.emit<DivOp>({sum, node.constant(node.inputs(), node.element(0))}));
}

static void power(Node &node) {
  Type base = node.element(0), exponent = node.element(1);
  Value x = node.input(0), y = node.rightOperand();
  if (node.failed())
    return;
  if (base == exponent)
    return node.set(0, node.emit<PowOp>({x, y}));
  // NumPy's rule: compute in a type that holds both, then convert back.
  Type common = isa<FloatType>(exponent) || isa<FloatType>(base) ? Type(Float64Type::get(base.getContext())) : node.i64();
  node.set(0, node.convert(node.emit<PowOp>({node.convert(x, common), node.convert(y, common)}), base));
}

static void modulo(Node &node) {
  bool truncates = node.integer("fmod", 0);
  if (isa_and_nonnull<FloatType>(node.element(0)) && !truncates && node.opset() < 28)
    return node.refuse("fmod must be 1 for floats before opset 28");
  truncates ? binary<RemOp>(node) : binary<FloorModOp>(node);
}

static void reciprocal(Node &node) { node.set(0, node.emit<DivOp>({node.constant(1, node.element(0)), node.input(0)})); }

static void isInfinite(Node &node) {
  bool positive = node.integer("detect_positive", 1), negative = node.integer("detect_negative", 1);
  Value x = node.input(0), result = node.emit<IsInfOp>(x);
  if (node.failed())
    return;
  Value zero = node.constant(0, elementOfValue(x));
  if (!positive)
    result = node.emit<AndOp>({result, node.compare(CompareKind::LT, x, zero)});
  if (!negative)
    result = node.emit<AndOp>({result, node.compare(CompareKind::GT, x, zero)});
  node.set(0, result);
}

/// Converts Clip. Bounds are attributes before opset 11, inputs from then on.
static void clip(Node &node) {
  Type element = node.element(0);
  Value x = node.input(0), low, high;
  if (node.opset() < 11) {
    low = node.constant(node.real("min", -3.4028234663852886e38), element);
    high = node.constant(node.real("max", 3.4028234663852886e38), element);
  } else if (node.hasAttribute("min") || node.hasAttribute("max")) {
    return node.refuse("the bounds must be inputs in this opset");
  } else {
    low = node.has(1) ? node.input(1) : Value();
    high = node.has(2) ? node.input(2) : Value();
  }
  for (Value *bound : {&low, &high})
    if (*bound && rankOf(*bound) == 1)
      *bound = node.reshape(*bound, Dims());
  if (low && high)
    x = node.emit<ClampOp>({low, x, high});
  else if (low)
    x = node.emit<MaxOp>({x, low});
  else if (high)
    x = node.emit<MinOp>({x, high});
  node.set(0, x);
}

static void cast(Node &node) {
  bool like = node.op() == "CastLike";
  int64_t to = node.integer("to", 0);
  Type element = like ? node.element(1) : elementTypeOf(to, node.i64().getContext());
  if (!element)
    return node.refuse(like ? "input 1 is missing" : "the element type is not supported: " + nameOfDataType(to));
  node.set(0, node.convert(node.input(0), element));
}

static void bitShift(Node &node) {
  std::string direction = node.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return node.refuse("direction is '" + direction + "', expected LEFT or RIGHT");
  direction == "LEFT" ? binary<ShiftLeftOp>(node) : binary<ShiftRightArithmeticOp>(node); // signed ones, too, from opset 28 on
}

void onnximport::addElementwise(Converters &converters) {
  auto one = [&](StringRef name, void (*convert)(Node &)) { converters[name] = {convert, 1, 1, ""}; };
  auto two = [&](StringRef name, void (*convert)(Node &)) { converters[name] = {convert, 2, 2, "axis,broadcast"}; };
  one("Neg", unary<NegOp>), one("Abs", unary<AbsOp>), one("Sign", unary<SignOp>), one("Exp", unary<ExpOp>);
  one("Log", unary<LogOp>), one("Sqrt", unary<SqrtOp>), one("Sin", unary<SinOp>), one("Cos", unary<CosOp>);
  one("Tan", unary<TanOp>), one("Asin", unary<AsinOp>), one("Acos", unary<AcosOp>), one("Atan", unary<AtanOp>);
  one("Sinh", unary<SinhOp>), one("Cosh", unary<CoshOp>), one("Tanh", unary<TanhOp>), one("Asinh", unary<AsinhOp>);
  one("Acosh", unary<AcoshOp>), one("Atanh", unary<AtanhOp>), one("Erf", unary<ErfOp>), one("Floor", unary<FloorOp>);
  one("Ceil", unary<CeilOp>), one("Round", unary<RoundOp>), one("IsNaN", unary<IsNanOp>), one("BitwiseNot", unary<NotOp>);
  one("Reciprocal", reciprocal);
  two("Add", binary<AddOp>), two("Sub", binary<SubOp>), two("Mul", binary<MulOp>), two("Div", binary<DivOp>);
  two("Pow", power), two("BitwiseAnd", binary<AndOp>), two("BitwiseOr", binary<OrOp>), two("BitwiseXor", binary<XorOp>);
  converters["Max"] = {variadic<MaxOp>, 1, -1, ""};
  converters["Min"] = {variadic<MinOp>, 1, -1, ""};
  converters["Sum"] = {variadic<AddOp>, 1, -1, ""};
  converters["Mean"] = {mean, 1, -1, ""};
  converters["Mod"] = {modulo, 2, 2, "fmod"};
  converters["BitShift"] = {bitShift, 2, 2, "direction"};
  converters["IsInf"] = {isInfinite, 1, 1, "detect_positive,detect_negative"};
  converters["Clip"] = {clip, 1, 3, "min,max"};
  converters["Cast"] = {cast, 1, 1, "to,saturate,round_mode"};
  converters["CastLike"] = {cast, 2, 2, "saturate,round_mode"};
}
