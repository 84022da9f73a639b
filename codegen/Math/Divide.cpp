// Vector division of integers, for which x86 has no instruction: quotient = truncated float(x) / float(y), and
// remainder = x - quotient * y.
#include "codegen/Math/Math.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

// For n-bit numbers, a quotient that is not an integer differs from the next integer by at least 1/y, 2^-n of itself. That is
// more than the rounding error of the floats used here, f32 for 16 bits and f64 for 32. Truncation therefore gives the exact
// quotient.
Value lathe::elementary::emitDivide(OpBuilder &b, Location loc, Value x, Value y, bool isSigned, bool wantsRemainder) {
  auto type = cast<VectorType>(x.getType());
  Type element = type.getElementTypeBitWidth() <= 16 ? b.getF32Type() : b.getF64Type();
  Type floats = VectorType::get(type.getShape(), element);
  auto widen = [&](Value value) -> Value {
    if (isSigned)
      return arith::SIToFPOp::create(b, loc, floats, value);
    return arith::UIToFPOp::create(b, loc, floats, value);
  };
  Value exact = arith::DivFOp::create(b, loc, widen(x), widen(y));
  Value quotient = isSigned ? arith::FPToSIOp::create(b, loc, type, exact).getResult()
                            : arith::FPToUIOp::create(b, loc, type, exact).getResult();
  return wantsRemainder ? arith::SubIOp::create(b, loc, x, arith::MulIOp::create(b, loc, quotient, y)).getResult() : quotient;
}
