// Bits of numbers: casts between widths, and reduced precision.
#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

static Value cast(HloNode &node, Value value, Type to) {
  return elementOfValue(value) == to ? value : node.emit<BitcastOp>(value, node.type("to", to));
}

static Type unsignedOf(Type element) {
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
}

/// Splits each element into narrower ones, the lowest bits first, along a new last dimension.
static Value split(HloNode &node, Value value, Type to) {
  unsigned wide = elementOfValue(value).getIntOrFloatBitWidth(), narrow = to.getIntOrFloatBitWidth();
  Dims dims = dimsOfValue(value);
  Type word = unsignedOf(elementOfValue(value));
  dims.push_back(Dim(1));
  Integers shifts;
  for (unsigned at = 0; at < wide; at += narrow)
    shifts.push_back(at);
  Value bits = node.reshape(cast(node, value, word), dims);
  Value parts = node.emit<ShiftRightOp>({bits, node.constants(shifts, {int64_t(shifts.size())}, word)});
  return cast(node, node.convert(parts, unsignedOf(to)), to);
}

/// Joins the elements of the last dimension into wider ones, the lowest bits first.
static Value join(HloNode &node, Value value, Type to) {
  unsigned wide = to.getIntOrFloatBitWidth(), narrow = elementOfValue(value).getIntOrFloatBitWidth();
  Type word = unsignedOf(to);
  Integers shifts;
  for (unsigned at = 0; at < wide; at += narrow)
    shifts.push_back(at);
  int64_t last = rankOf(value) - 1;
  if (last < 0 || dimsOfValue(value)[last] != Dim(shifts.size())) {
    node.refuse("the operand's last dimension must have " + Twine(shifts.size()) + " elements");
    return {};
  }
  Value parts = node.convert(cast(node, value, unsignedOf(elementOfValue(value))), word);
  parts = node.emit<ShiftLeftOp>({parts, node.constants(shifts, {int64_t(shifts.size())}, word)});
  return cast(node, node.reduce(ReduceKind::Or, parts, last, /*keep=*/false), to);
}

static void bitcastConvert(HloNode &node) {
  Type from = node.element(0), to = node.resultElement();
  unsigned before = from.getIntOrFloatBitWidth(), after = to.getIntOrFloatBitWidth();
  Value value = node.operand(0);
  if (before != after && (from.isInteger(1) || to.isInteger(1)))
    return node.refuse("booleans cannot be cast to numbers of several bits");
  node.set(0, before == after ? cast(node, value, to) : before > after ? split(node, value, to) : join(node, value, to));
}

/// Rounds to a format of fewer bits: the mantissa to nearest, ties to even; above the largest exponent is infinity, and below
/// the least one is zero, as XLA does it.
static void reducePrecision(HloNode &node) {
  Type element = node.element(0);
  auto real = dyn_cast_or_null<FloatType>(element);
  if (!real)
    return node.refuse("expected floats");
  unsigned width = real.getWidth(), mantissa = real.getFPMantissaWidth() - 1, exponent = width - 1 - mantissa;
  unsigned toMantissa = node.integer("mantissa_bits"), toExponent = node.integer("exponent_bits");
  Value value = node.operand(0);
  Type word = unsignedOf(real);
  auto constant = [&](uint64_t bits) { return node.constantInt(int64_t(bits), word); };
  Value bits = cast(node, value, word);
  if (toMantissa < mantissa) {
    unsigned cut = mantissa - toMantissa;
    Value odd = node.emit<AndOp>({node.emit<ShiftRightOp>({bits, constant(cut)}), constant(1)});
    bits = node.emit<AddOp>({bits, node.emit<AddOp>({odd, constant((uint64_t(1) << (cut - 1)) - 1)})});
    bits = node.emit<AndOp>({bits, constant(~((uint64_t(1) << cut) - 1))});
  }
  if (toExponent < exponent) {
    uint64_t exponents = ((uint64_t(1) << exponent) - 1) << mantissa, sign = uint64_t(1) << (width - 1);
    uint64_t bias = (uint64_t(1) << (exponent - 1)) - 1, toBias = (uint64_t(1) << (toExponent - 1)) - 1;
    Value signs = node.emit<AndOp>({bits, constant(sign)}), size = node.emit<AndOp>({bits, constant(exponents)});
    Value isLarge = node.compare(CompareKind::GT, size, constant((bias + toBias) << mantissa));
    Value isSmall = node.compare(CompareKind::LE, size, constant((bias - toBias) << mantissa));
    bits = node.emit<SelectOp>({isLarge, node.emit<OrOp>({signs, constant(exponents)}), bits});
    bits = node.emit<SelectOp>({isSmall, signs, bits});
  }
  Value nan = toMantissa ? value : node.constant(INFINITY, element); // without a mantissa there is only infinity
  node.set(0, node.emit<SelectOp>({node.emit<IsNanOp>(value), nan, cast(node, bits, element)}));
}

void hloimport::addBits(Converters &converters) {
  converters["stablehlo.bitcast_convert"] = bitcastConvert;
  converters["stablehlo.reduce_precision"] = reducePrecision;
}
