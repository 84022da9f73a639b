#include "codegen/Points/SortKeys.h"
#include "codegen/Math/Arithmetic.h"

using namespace mlir;
using namespace lathe;

static Value widened(const SortKeys &keys, Value value) {
  OpBuilder &b = keys.b;
  bool isFloat = isa<FloatType>(keys.element);
  Type type = isFloat ? Type(b.getF32Type()) : Type(b.getI32Type());
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  return isFloat ? arith::ExtFOp::create(b, keys.loc, type, value).getResult()
                 : arith::ExtSIOp::create(b, keys.loc, type, value).getResult();
}

Value SortKeys::of(Value value) const {
  elementary::Emitter emitter{b, loc, hasFMA};
  unsigned width = type().getWidth();
  int64_t sign = int64_t(1) << (width - 1);
  if (element.getIntOrFloatBitWidth() < 32)
    value = widened(*this, value);
  if (!isa<FloatType>(element)) {
    elementary::Bits key = elementary::Bits{{&emitter, value}} ^ elementary::Bits{{&emitter, value}}.like(sign);
    return descending ? (key ^ key.like(-1)).value : key.value;
  }
  elementary::Real number = elementary::Real{{&emitter, value}} + 0.0; // gives both zeros one key
  elementary::Bits bits = number.bits(), negative = bits.like(0) - (bits >> (width - 1));
  elementary::Bits key = bits ^ (negative | sign);
  if (descending)
    key = key ^ key.like(-1);
  return select(number.isNaN(), key.like(-1), key).value;
}
