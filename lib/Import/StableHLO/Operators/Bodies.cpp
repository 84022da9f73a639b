#include "lib/Import/StableHLO/Operators/Bodies.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

StringRef hloimport::combinerOf(Region &body) {
  if (!body.hasOneBlock() || body.front().empty())
    return "";
  Block &block = body.front();
  Operation &end = block.back();
  if (block.getNumArguments() != 2 || end.getNumOperands() != 1)
    return "";
  if (&block.front() == &end)
    return end.getOperand(0) == block.getArgument(1) ? "second" : "";
  Operation &op = block.front();
  Value result = end.getOperand(0);
  Operation *last = &end; // without annotations of the result
  while (Operation *annotation = result.getDefiningOp()) {
    if (annotation->getName().getStringRef() != "sdy.sharding_constraint" || annotation->getNextNode() != last)
      break;
    last = annotation;
    result = annotation->getOperand(0);
  }
  Value first = block.getArgument(0), second = block.getArgument(1);
  bool isPair = op.getNumOperands() == 2 && op.getNumResults() == 1 && result == op.getResult(0) && op.getNextNode() == last &&
                op.getName().getDialectNamespace() == "stablehlo";
  if (!isPair)
    return "";
  bool isSwapped = op.getOperand(0) == second && op.getOperand(1) == first;
  StringRef name = op.getName().stripDialect();
  bool commutes = llvm::is_contained({"add", "multiply", "maximum", "minimum", "and", "or", "xor"}, name);
  return (op.getOperand(0) == first && op.getOperand(1) == second) || (isSwapped && commutes) ? name : "";
}

std::optional<ReduceKind> hloimport::reduceKindOf(StringRef combiner, Type element) {
  bool isBool = element.isInteger(1), isInteger = element.isIntOrIndex();
  if (combiner == "add")
    return isBool ? ReduceKind::Or : ReduceKind::Sum;
  if (combiner == "multiply")
    return isBool ? ReduceKind::And : ReduceKind::Product;
  if (combiner == "maximum")
    return isBool ? ReduceKind::Or : ReduceKind::Max;
  if (combiner == "minimum")
    return isBool ? ReduceKind::And : ReduceKind::Min;
  if (isInteger && combiner == "and")
    return ReduceKind::And;
  if (isInteger && combiner == "or")
    return ReduceKind::Or;
  if (isInteger && combiner == "xor")
    return ReduceKind::Xor;
  return std::nullopt;
}

Value hloimport::combine(HloNode &node, ReduceKind kind, Value lhs, Value rhs) {
  switch (kind) {
  case ReduceKind::Sum:
    return node.emit<AddOp>({lhs, rhs});
  case ReduceKind::Product:
    return node.emit<MulOp>({lhs, rhs});
  case ReduceKind::Max:
    return node.emit<MaxOp>({lhs, rhs});
  case ReduceKind::Min:
    return node.emit<MinOp>({lhs, rhs});
  case ReduceKind::And:
    return node.emit<AndOp>({lhs, rhs});
  case ReduceKind::Or:
    return node.emit<OrOp>({lhs, rhs});
  case ReduceKind::Xor:
    return node.emit<XorOp>({lhs, rhs});
  }
  return {};
}

std::optional<Attribute> hloimport::splatOf(Value value) {
  while (auto broadcast = value ? value.getDefiningOp<BroadcastOp>() : BroadcastOp())
    value = broadcast.getOperand();
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<Attribute>();
}

std::optional<int64_t> hloimport::integerOf(Value value) {
  std::optional<Attribute> element = splatOf(value);
  auto integer = element ? dyn_cast<IntegerAttr>(*element) : IntegerAttr();
  if (!integer || integer.getValue().getBitWidth() > 64)
    return std::nullopt;
  return integer.getType().isUnsignedInteger() || integer.getType().isInteger(1) ? int64_t(integer.getValue().getZExtValue())
                                                                                 : integer.getValue().getSExtValue();
}

bool hloimport::isNeutral(ReduceKind kind, Value value) {
  std::optional<Attribute> element = splatOf(value);
  if (!element)
    return false;
  if (auto real = dyn_cast<FloatAttr>(*element)) {
    const APFloat &number = real.getValue();
    return kind == ReduceKind::Sum       ? number.isZero()
           : kind == ReduceKind::Product ? number.isExactlyValue(1.0)
           : kind == ReduceKind::Max     ? number.isInfinity() && number.isNegative()
                                         : kind == ReduceKind::Min && number.isInfinity() && !number.isNegative();
  }
  auto integer = dyn_cast<IntegerAttr>(*element);
  if (!integer)
    return false;
  const APInt &number = integer.getValue();
  bool isUnsigned = integer.getType().isUnsignedInteger();
  switch (kind) {
  case ReduceKind::Product:
    return number.isOne();
  case ReduceKind::Max:
    return isUnsigned ? number.isMinValue() : number.isMinSignedValue();
  case ReduceKind::Min:
    return isUnsigned ? number.isMaxValue() : number.isMaxSignedValue();
  case ReduceKind::And:
    return number.isAllOnes();
  default:
    return number.isZero();
  }
}

SmallVector<Value> hloimport::reduceByTree(HloNode &node, Region &body, SmallVector<Value> values, int64_t steps,
                                           ArrayRef<Dim> rest) {
  while (steps > 1 && !node.failed()) {
    int64_t pairs = steps / 2;
    SmallVector<Value> arguments;
    for (int64_t start : {0, 1})
      for (Value value : values)
        arguments.push_back(node.slice(value, 0, Dim(start), Dim(2 * pairs - 1 + start), 2));
    Dims shape{Dim(pairs)};
    shape.append(rest.begin(), rest.end());
    SmallVector<Value> combined = node.liftRegion(body, arguments, shape);
    if (node.failed() || combined.size() != values.size())
      return {};
    for (auto [value, result] : llvm::zip(values, combined))
      value = steps % 2 ? node.concatenate({result, node.slice(value, 0, Dim(2 * pairs), Dim(steps))}, 0) : result;
    steps = pairs + steps % 2;
  }
  for (Value &value : values)
    value = node.reshape(value, rest);
  return values;
}
