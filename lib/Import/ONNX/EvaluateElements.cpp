#include "lib/Import/ONNX/Evaluator.h"
#include "lib/Import/ONNX/Truths.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

std::optional<Scalar> Evaluator::decidedBySizes(std::optional<Scalar> scalar) {
  auto &dataDims = node.getGraph().getModel().dataDims;
  auto isData = [&](const std::string &name) { return dataDims.count(name) != 0; };
  return scalar && scalar->test && llvm::any_of(namesIn(*scalar->test), isData) ? std::nullopt : scalar;
}

std::optional<Scalar> Evaluator::combine(StringRef op, const Scalar &lhs, const Scalar &rhs, Type element) {
  return decidedBySizes(evaluateBinary(op, lhs, rhs, element));
}

std::optional<Known> Evaluator::combine(StringRef op, const Known &lhs, const Known &rhs) {
  std::optional<std::vector<int64_t>> shape = broadcastShape(lhs.shape, rhs.shape);
  std::optional<int64_t> size = shape ? knownSize(*shape) : std::nullopt;
  if (!size)
    return std::nullopt;
  Known result{isComparison(op) ? node.i1() : lhs.element, *shape, {}};
  for (int64_t i = 0; i < *size; ++i) {
    std::optional<Scalar> value = combine(op, lhs.elements[broadcastIndex(i, *shape, lhs.shape)],
                                          rhs.elements[broadcastIndex(i, *shape, rhs.shape)], lhs.element);
    if (!value)
      return std::nullopt;
    result.elements.push_back(*value);
  }
  return result;
}

bool Evaluator::unary() {
  Known result{in(0).element, in(0).shape, {}};
  for (const Scalar &scalar : in(0).elements) {
    std::optional<Scalar> value = decidedBySizes(evaluateUnary(node.op(), scalar, in(0).element));
    if (!value)
      return false;
    result.elements.push_back(*value);
  }
  return give(std::move(result));
}

bool Evaluator::binary() {
  bool isPower = node.op() == "Pow"; // its exponent may be of another type
  if (node.hasAttribute("axis") || node.inputs() != 2 || (in(0).element != in(1).element && !isPower))
    return false;
  std::string op = node.op().str();
  if (op == "Mod" && node.integer("fmod", 0))
    op = "Rem";
  if (op == "BitShift")
    op = node.text("direction", "") == "LEFT" ? "ShiftLeft" : node.text("direction", "") == "RIGHT" ? "ShiftRight" : "";
  return give(combine(op, in(0), in(1)));
}

/// Evaluates Max, Min, Sum and Mean of any number of operands.
bool Evaluator::fold() {
  StringRef op = node.op() == "Sum" || node.op() == "Mean" ? StringRef("Add") : node.op();
  std::optional<Known> result = in(0);
  for (int i = 1; i < node.inputs() && result; ++i)
    result = in(i).element == result->element ? combine(op, *result, in(i)) : std::nullopt;
  if (result && node.op() == "Mean")
    result = combine("Div", *result, Known{result->element, {}, {Scalar::of(double(node.inputs()))}});
  return give(std::move(result));
}

/// Evaluates Clip. Bounds are attributes before opset 11.
bool Evaluator::clip() {
  if (node.opset() >= 11 && (node.hasAttribute("min") || node.hasAttribute("max")))
    return false; // refused by the converter
  std::optional<Known> result = in(0);
  static constexpr StringRef kNames[] = {"min", "max"}, kOps[] = {"Max", "Min"};
  for (int i : {0, 1}) {
    std::optional<Known> bound;
    if (node.opset() < 11 && node.hasAttribute(kNames[i]))
      bound = Known{result->element, {}, {Scalar::of(node.real(kNames[i], 0))}};
    else if (node.opset() >= 11 && node.has(i + 1))
      bound = in(i + 1);
    if (!bound)
      continue;
    if (bound->elements.size() != 1 || bound->element != result->element)
      return false;
    bound->shape.clear();
    result = combine(kOps[i], *result, *bound);
    if (!result)
      return false;
  }
  return give(std::move(result));
}

bool Evaluator::cast() {
  Type to = node.op() == "CastLike" ? node.element(1) : elementTypeOf(node.integer("to", 0), node.i64().getContext());
  if (!to)
    return false;
  Known result{to, in(0).shape, {}};
  for (const Scalar &scalar : in(0).elements) {
    std::optional<Scalar> value = decidedBySizes(evaluateCast(scalar, in(0).element, to));
    if (!value)
      return false;
    result.elements.push_back(*value);
  }
  return give(std::move(result));
}

bool Evaluator::select() {
  std::optional<std::vector<int64_t>> partial = broadcastShape(in(0).shape, in(1).shape);
  std::optional<std::vector<int64_t>> shape = partial ? broadcastShape(*partial, in(2).shape) : std::nullopt;
  std::optional<int64_t> size = shape ? knownSize(*shape) : std::nullopt;
  if (!size || in(1).element != in(2).element)
    return false;
  Known result{in(1).element, *shape, {}};
  for (int64_t i = 0; i < *size; ++i) {
    auto element = [&](int input) { return in(input).elements[broadcastIndex(i, *shape, in(input).shape)]; };
    std::optional<Scalar> chosen = evaluateChoice(element(0), element(1), element(2), result.element);
    if (!chosen)
      return false;
    result.elements.push_back(*chosen);
  }
  return give(std::move(result));
}

/// Evaluates a reduction over all elements of a list.
bool Evaluator::reduce() {
  std::optional<Integers> axes = node.axesOf(1);
  bool reducesNothing = (!axes || axes->empty()) && node.integer("noop_with_empty_axes", 0);
  if (in(0).rank() != 1 || in(0).elements.empty() || (axes && axes->size() != 1) || reducesNothing)
    return false;
  node.axes(axes.value_or(Integers()), 1);
  if (node.failed())
    return false;
  Type element = in(0).element;
  bool isArithmetic =
      node.op() == "ReduceProd" || node.op() == "ReduceSum" || node.op() == "ReduceMax" || node.op() == "ReduceMin";
  if (!isArithmetic && in(0).isAllNumbers())
    return false; // the interpreter evaluates it
  StringRef kind = node.op().drop_front(6), op = kind == "Prod" ? "Mul" : kind == "Max" || kind == "Min" ? kind : "Add";
  std::optional<Scalar> value;
  for (const Scalar &each : in(0).elements) {
    std::optional<Scalar> next = kind == "SumSquare" || kind == "L2" ? combine("Mul", each, each, element)
                                 : kind == "L1"                      ? decidedBySizes(evaluateUnary("Abs", each, element))
                                                                     : each;
    value = !value || !next ? next : combine(op, *value, *next, element);
    if (!value)
      return false;
  }
  int64_t count = in(0).elements.size();
  if (kind == "Mean")
    value = combine("Div", *value, in(0).isFloat() ? Scalar::of(double(count)) : Scalar::of(Dim(count)), element);
  if (kind == "L2")
    value = in(0).isFloat() ? decidedBySizes(evaluateUnary("Sqrt", *value, element)) : std::nullopt;
  bool keep = node.integer("keepdims", 1);
  return value && give(Known{element, keep ? std::vector<int64_t>{1} : std::vector<int64_t>{}, {*value}});
}

/// Evaluates CumSum of a list.
bool Evaluator::runningSum() {
  bool reverses = node.integer("reverse", 0), excludes = node.integer("exclusive", 0);
  if (in(0).rank() != 1 || in(0).isFloat())
    return false;
  Known result = in(0);
  Scalar sum = Scalar::of(Dim(0));
  for (size_t i = 0, count = result.elements.size(); i < count; ++i) {
    Scalar &element = result.elements[reverses ? count - 1 - i : i];
    std::optional<Scalar> next = combine("Add", sum, element, result.element);
    if (!next)
      return false;
    element = excludes ? sum : *next;
    sum = *next;
  }
  return give(std::move(result));
}
