// Division of integers in vectors, for which no x86 CPU has an instruction.
#include "codegen/Math/Math.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

// A quotient that is no integer is at least 1/y away from the next, 2^-n of itself where numbers have n bits: more than the
// floats here round by, f32 for 16 bits and f64 for 32. So cutting its fraction off gives the true one.
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
