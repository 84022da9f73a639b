// CHLO: elementary functions, ops that broadcast, top_k.
#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

template <typename Op>
static void convertPlain(HloNode &node) {
  node.set(0, node.emit<Op>(node.operandRange(0, node.operands())));
}

static void square(HloNode &node) { node.set(0, node.emit<MulOp>({node.operand(0), node.operand(0)})); }

/// Converts is_pos_inf and is_neg_inf.
template <int sign>
static void isInfinity(HloNode &node) {
  node.set(0, node.compare(CompareKind::EQ, node.operand(0), node.constant(sign * INFINITY, node.element(0))));
}

static void constant(HloNode &node) {
  node.set(0, node.emit<ConstantOp>({}, node.getBuilder().getNamedAttr("value", node.op->getAttr("value"))));
}

static void constantLike(HloNode &node) {
  auto value = cast<TypedAttr>(node.op->getAttr("value"));
  auto elements = DenseElementsAttr::get(RankedTensorType::get({}, value.getType()), Attribute(value));
  Value one = node.emit<ConstantOp>({}, node.getBuilder().getNamedAttr("value", elements));
  node.set(0, node.broadcast(one, {}, node.dims(0)));
}

/// Returns the number next to the first operand in the direction of the second one. Lathe's op takes no halves: theirs are
/// counted by their bits, which grow with the magnitude.
static void nextAfter(HloNode &node) {
  Type element = node.element(0);
  Value x = node.operand(0), y = node.operand(1);
  if (!isHalf(element))
    return node.set(0, node.emit<NextafterOp>({x, y}));
  Type word = node.getBuilder().getI16Type();
  auto number = [&](int64_t value) { return node.constantInt(value, word); };
  auto choose = [&](Value predicate, Value yes, Value no) { return node.emit<SelectOp>({predicate, yes, no}); };
  Value zero = node.constant(0, element), bits = node.emit<BitcastOp>(x, node.type("to", word));
  Value isAway =
      node.emit<NotOp>(node.emit<XorOp>({node.compare(CompareKind::LT, x, zero), node.compare(CompareKind::LT, y, x)}));
  Value sign = choose(node.compare(CompareKind::LT, y, zero), number(-0x8000), number(0));
  Value stepped = node.emit<AddOp>({bits, choose(isAway, number(1), number(-1))});
  stepped = choose(node.compare(CompareKind::EQ, x, zero), node.emit<OrOp>({sign, number(1)}), stepped);
  Value result = choose(node.compare(CompareKind::EQ, x, y), y, node.emit<BitcastOp>(stepped, node.type("to", element)));
  Value isNan = node.emit<OrOp>({node.emit<IsNanOp>(x), node.emit<IsNanOp>(y)});
  node.set(0, choose(isNan, node.constant(NAN, element), result));
}

/// Returns the upper half of the product of two integers.
static void upperProduct(HloNode &node) {
  Type element = node.element(0);
  unsigned width = element.getIntOrFloatBitWidth();
  Value lhs = node.operand(0), rhs = node.operand(1);
  auto shifted = [&](Value value, unsigned by) {
    Value amount = node.constantInt(by, elementOfValue(value));
    return element.isUnsignedInteger() ? node.emit<ShiftRightOp>({value, amount})
                                       : node.emit<ShiftRightArithmeticOp>({value, amount});
  };
  if (width < 64) {
    Type wide = IntegerType::get(element.getContext(), 2 * width, cast<IntegerType>(element).getSignedness());
    Value product = node.emit<MulOp>({node.convert(lhs, wide), node.convert(rhs, wide)});
    return node.set(0, node.convert(shifted(product, width), element));
  }
  // By halves: the lower ones are unsigned, the upper ones have the sign.
  Value mask = node.constantInt(0xffffffff, element);
  auto low = [&](Value value) { return node.emit<AndOp>({value, mask}); };
  auto mul = [&](Value a, Value b) { return node.emit<MulOp>({a, b}); };
  auto add = [&](Value a, Value b) { return node.emit<AddOp>({a, b}); };
  Value lowLhs = low(lhs), lowRhs = low(rhs), highLhs = shifted(lhs, 32), highRhs = shifted(rhs, 32);
  Value carry = node.emit<ShiftRightOp>({mul(lowLhs, lowRhs), node.constantInt(32, element)});
  Value middle = add(mul(highLhs, lowRhs), carry);
  Value other = add(mul(lowLhs, highRhs), low(middle));
  node.set(0, add(mul(highLhs, highRhs), add(shifted(middle, 32), shifted(other, 32))));
}

static void topK(HloNode &node) {
  Value operand = node.operand(0);
  int64_t last = node.rank(0) - 1;
  if (last < 0)
    return node.refuse("expected an operand of rank 1 or more");
  // A NaN is the largest number here, and the smallest of Lathe's op: it sees integers.
  Value key = operand;
  if (isa<FloatType>(node.element(0)))
    key = totalOrderKey(node, operand);
  else if (node.element(0).isInteger(1))
    key = node.convert(operand, node.getBuilder().getI32Type());
  Value indices = node.emit<TopKOp>(key, {node.number("dim", last), node.shape("count", Dim(node.integer("k")))});
  node.set(0, node.gather(operand, indices, last, last));
  node.set(1, node.convert(indices, node.resultElement(1)));
}

/// Converts an op that broadcasts: one of StableHLO, on operands aligned as the attribute says, or else at their last
/// dimensions.
static void broadcasting(HloNode &node) {
  SmallVector<Value> operands = node.operandRange(0, 2);
  if (auto dims = node.op->getAttrOfType<DenseI64ArrayAttr>("broadcast_dimensions")) {
    int64_t rank = std::max(node.rank(0), node.rank(1));
    for (Value &operand : operands)
      if (rankOf(operand) < rank || node.rank(0) == node.rank(1)) {
        Dims aligned(rank, Dim(1)), own = dimsOfValue(operand);
        if (dims.size() != rankOf(operand) ||
            llvm::any_of(dims.asArrayRef(), [&](int64_t dim) { return dim < 0 || dim >= rank; }))
          return node.refuse("broadcast_dimensions do not fit the operands");
        for (auto [from, to] : llvm::zip(own, dims.asArrayRef()))
          aligned[to] = from;
        operand = node.reshape(operand, aligned);
      }
  }
  StringRef name = node.op->getName().stripDialect();
  name.consume_front("broadcast_");
  if (name == "compare")
    return node.set(0, compareBy(node, node.word("comparison_direction"), operands[0], operands[1]));
  struct {
    StringRef name, op;
  } const kOps[] = {{"add", AddOp::getOperationName()},
                    {"atan2", Atan2Op::getOperationName()},
                    {"divide", DivOp::getOperationName()},
                    {"maximum", MaxOp::getOperationName()},
                    {"minimum", MinOp::getOperationName()},
                    {"multiply", MulOp::getOperationName()},
                    {"next_after", NextafterOp::getOperationName()},
                    {"power", PowOp::getOperationName()},
                    {"remainder", RemOp::getOperationName()},
                    {"shift_left", ShiftLeftOp::getOperationName()},
                    {"shift_right_arithmetic", ShiftRightArithmeticOp::getOperationName()},
                    {"shift_right_logical", ShiftRightOp::getOperationName()},
                    {"subtract", SubOp::getOperationName()},
                    {"and", AndOp::getOperationName()},
                    {"or", OrOp::getOperationName()},
                    {"xor", XorOp::getOperationName()}};
  for (const auto &[each, op] : kOps)
    if (name == each)
      return node.set(0, node.emitNamed(op, operands));
  node.refuse("the op is not supported");
}

void hloimport::addChlo(Converters &converters) {
  struct {
    StringRef name;
    Converter convert;
  } const kTable[] = {
      {"acos", convertPlain<AcosOp>},
      {"acosh", convertPlain<AcoshOp>},
      {"asin", convertPlain<AsinOp>},
      {"asinh", convertPlain<AsinhOp>},
      {"atan", convertPlain<AtanOp>},
      {"atanh", convertPlain<AtanhOp>},
      {"cosh", convertPlain<CoshOp>},
      {"sinh", convertPlain<SinhOp>},
      {"tan", convertPlain<TanOp>},
      {"digamma", convertPlain<DigammaOp>},
      {"erf", convertPlain<ErfOp>},
      {"erf_inv", convertPlain<ErfInvOp>},
      {"erfc", convertPlain<ErfcOp>},
      {"is_inf", convertPlain<IsInfOp>},
      {"is_pos_inf", isInfinity<1>},
      {"is_neg_inf", isInfinity<-1>},
      {"lgamma", convertPlain<LgammaOp>},
      {"square", square},
      {"next_after", nextAfter},
      {"mulhi", upperProduct},
      {"top_k", topK},
      {"constant", constant},
      {"constant_like", constantLike},
      {"broadcast_select", convertPlain<SelectOp>},
  };
  for (const auto &[name, convert] : kTable)
    converters[("chlo." + name).str()] = convert;
  for (StringRef name :
       {"add", "and", "atan2", "compare", "divide", "maximum", "minimum", "multiply", "next_after", "or", "power", "remainder",
        "shift_left", "shift_right_arithmetic", "shift_right_logical", "subtract", "xor"})
    converters[("chlo.broadcast_" + name).str()] = broadcasting;
}
