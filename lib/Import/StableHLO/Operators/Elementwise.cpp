// Elementwise ops. Those of booleans are the logical ones: add and maximum are "or", multiply and minimum are "and".
#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

static bool isBool(Type element) { return element && element.isInteger(1); }

template <typename Op>
static void convertPlain(HloNode &node) {
  node.set(0, node.emit<Op>(node.operandRange(0, node.operands())));
}

/// Converts an op of numbers that is another one for booleans.
template <typename Op, typename BoolOp>
static void convertEither(HloNode &node) {
  isBool(node.element(0)) ? convertPlain<BoolOp>(node) : convertPlain<Op>(node);
}

static void convertSameValue(HloNode &node) { node.set(0, node.operand(0)); }

/// Converts a shift of unsigned integers that repeats the highest bit, as if they were signed.
static void shiftRightArithmetic(HloNode &node) {
  Type element = node.element(0);
  Value lhs = node.operand(0), rhs = node.operand(1);
  if (!element.isUnsignedInteger())
    return node.set(0, node.emit<ShiftRightArithmeticOp>({lhs, rhs}));
  Type asSigned = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  auto cast = [&](Value value, Type to) { return node.emit<BitcastOp>(value, node.type("to", to)); };
  Value shifted = node.emit<ShiftRightArithmeticOp>({cast(lhs, asSigned), cast(rhs, asSigned)});
  node.set(0, cast(shifted, element));
}

static void imaginary(HloNode &node) { node.set(0, node.broadcast(node.zero(node.element(0)), {}, node.dims(0))); }

static void convertTo(HloNode &node) {
  Type to = node.resultElement();
  node.set(0, isa<IndexType>(to) ? node.operand(0) : node.convert(node.operand(0), to));
}

Value hloimport::compareBy(HloNode &node, StringRef direction, Value lhs, Value rhs) {
  static const std::pair<StringRef, CompareKind> kKinds[] = {{"EQ", CompareKind::EQ}, {"NE", CompareKind::NE},
                                                             {"LT", CompareKind::LT}, {"LE", CompareKind::LE},
                                                             {"GT", CompareKind::GT}, {"GE", CompareKind::GE}};
  for (auto [name, kind] : kKinds)
    if (direction == name)
      return node.compare(kind, lhs, rhs);
  node.refuse("the direction is '" + direction + "', expected EQ, NE, LT, LE, GT or GE");
  return {};
}

Value hloimport::totalOrderKey(HloNode &node, Value value) {
  Type element = elementOfValue(value);
  if (!isa_and_nonnull<FloatType>(element))
    return value;
  unsigned width = element.getIntOrFloatBitWidth();
  Type integer = IntegerType::get(element.getContext(), width);
  Value bits = node.emit<BitcastOp>(value, node.type("to", integer));
  // A negative float is larger the smaller its bits are: all but the sign are inverted.
  Value sign = node.emit<ShiftRightArithmeticOp>({bits, node.constantInt(width - 1, integer)});
  Value mask = node.emit<AndOp>({sign, node.constantInt(int64_t((uint64_t(1) << (width - 1)) - 1), integer)});
  return node.emit<XorOp>({bits, mask});
}

static void compare(HloNode &node) {
  Value lhs = node.operand(0), rhs = node.operand(1);
  if (node.word("compare_type") == "TOTALORDER") {
    lhs = totalOrderKey(node, lhs);
    rhs = totalOrderKey(node, rhs);
  }
  node.set(0, compareBy(node, node.word("comparison_direction"), lhs, rhs));
}

/// Converts map, whose body is a function of one element of each operand.
static void map(HloNode &node) {
  Dims shape = node.dims(0);
  node.set(node.liftRegion(node.op->getRegion(0), node.operandRange(0, node.operands()), shape));
}

void hloimport::addElementwise(Converters &converters) {
  struct {
    StringRef name;
    Converter convert;
  } const kTable[] = {
      {"abs", convertPlain<AbsOp>},
      {"cbrt", convertPlain<CbrtOp>},
      {"ceil", convertPlain<CeilOp>},
      {"count_leading_zeros", convertPlain<CountLeadingZerosOp>},
      {"cosine", convertPlain<CosOp>},
      {"exponential", convertPlain<ExpOp>},
      {"exponential_minus_one", convertPlain<Expm1Op>},
      {"floor", convertPlain<FloorOp>},
      {"is_finite", convertPlain<IsFiniteOp>},
      {"log", convertPlain<LogOp>},
      {"log_plus_one", convertPlain<Log1pOp>},
      {"logistic", convertPlain<LogisticOp>},
      {"not", convertPlain<NotOp>},
      {"negate", convertPlain<NegOp>},
      {"popcnt", convertPlain<PopcountOp>},
      {"real", convertSameValue},
      {"imag", imaginary},
      {"round_nearest_afz", convertPlain<RoundHalfAwayOp>},
      {"round_nearest_even", convertPlain<RoundOp>},
      {"rsqrt", convertPlain<RsqrtOp>},
      {"sign", convertPlain<SignOp>},
      {"sine", convertPlain<SinOp>},
      {"sqrt", convertPlain<SqrtOp>},
      {"tan", convertPlain<TanOp>},
      {"tanh", convertPlain<TanhOp>},
      {"add", convertEither<AddOp, OrOp>},
      {"and", convertPlain<AndOp>},
      {"atan2", convertPlain<Atan2Op>},
      {"divide", convertPlain<DivOp>},
      {"maximum", convertEither<MaxOp, OrOp>},
      {"minimum", convertEither<MinOp, AndOp>},
      {"multiply", convertEither<MulOp, AndOp>},
      {"or", convertPlain<OrOp>},
      {"power", convertPlain<PowOp>},
      {"remainder", convertPlain<RemOp>},
      {"shift_left", convertPlain<ShiftLeftOp>},
      {"shift_right_arithmetic", shiftRightArithmetic},
      {"shift_right_logical", convertPlain<ShiftRightOp>},
      {"subtract", convertPlain<SubOp>},
      {"xor", convertPlain<XorOp>},
      {"select", convertPlain<SelectOp>},
      {"clamp", convertPlain<ClampOp>},
      {"compare", compare},
      {"convert", convertTo},
      {"map", map},
  };
  for (const auto &[name, convert] : kTable)
    converters[("stablehlo." + name).str()] = convert;
}
