// Functions of f32 from the approximations of 2^x and 1 / x that GPUs have as instructions. These are documented to be within 2
// and 1 ULP, with results below the normal numbers flushed to 0. The bounds here follow from these and from the roundings here;
// docs/gpu.md lists them.
#include "codegen/Math/Functions.h"
#include "codegen/Math/Math.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace lathe::elementary {

constexpr double kLog2OfE = 0x1.71547652b82fep0;

/// Calls a scalar intrinsic for each lane.
static Real eachLane(StringRef intrinsic, ArrayRef<Real> operands) {
  Emitter &emitter = *operands.front().emitter;
  OpBuilder &b = emitter.builder;
  auto call = [&](ArrayRef<Value> values) {
    return LLVM::CallIntrinsicOp::create(b, emitter.loc, b.getF32Type(), b.getStringAttr(intrinsic), values)->getResult(0);
  };
  auto type = dyn_cast<VectorType>(operands.front().type());
  if (!type)
    return {{&emitter, call(llvm::map_to_vector(operands, [](Real operand) { return operand.value; }))}};
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
    lanes.push_back(call(llvm::map_to_vector(
        operands, [&](Real operand) -> Value { return vector::ExtractOp::create(b, emitter.loc, operand.value, lane); })));
  return {{&emitter, vector::FromElementsOp::create(b, emitter.loc, type, lanes)}};
}

static Real powerOfTwo(Real x) { return eachLane("llvm.nvvm.ex2.approx.ftz.f32", {x}); }
Real approximateReciprocal(Real x) { return eachLane("llvm.nvvm.rcp.approx.ftz.f", {x}); }

/// Computes 2^n 2^f with n from -126 to 126 and log2(e) x = n + f. |f| is at most a half unless n is clamped: then f is the
/// rest, possibly infinite, and 2^f or the product goes to 0 or infinity. A NaN propagates through f. 4 ULP: 2 of 2^f,
/// roundings of f, which weigh most for f near 2, and one of a denormal product.
Real approximateExp(Real x) {
  constexpr double kHigh = 0x1.715476p0, kLow = kLog2OfE - kHigh;
  constexpr double kLeast = 126, kSpan = 2 * kLeast, kRounding = 0x1.8p23;
  Real part = eachLane("llvm.nvvm.fma.rn.sat.f", {x, x.like(kLog2OfE / kSpan), x.like(0.5)}); // from 0 to 1
  // Floats as large as the rounding constant are integers: the low bits are n + 127, an exponent field.
  Real shifted = fma(part, kSpan, kRounding + 127 - kLeast);
  Real n = shifted - (kRounding + 127);
  Real f = fma(x, kLow, fma(x, kHigh, -n));
  return powerOfTwo(f) * (shifted.bits() << 23).real();
}

/// Returns 1 / (1 + e^-|x|), times e^-|x| if x is negative, so that the small result does not cancel. 6 ULP.
Real approximateLogistic(Real x) {
  Real e = approximateExp(-abs(x)), large = approximateReciprocal(e + 1.0);
  return select(x < 0.0, e * large, large);
}

/// Computes tanh as in Exp.cpp. 3 ULP.
Real approximateTanh(Real x) {
  Real magnitude = abs(x);
  Real e = powerOfTwo(magnitude * (2 * kLog2OfE));
  Real large = fma(approximateReciprocal(e + 1.0), -2.0, 1.0);
  return copysign(select(magnitude < kTanhCancels, tanhNearZero(x), large), x);
}

Value emitApproximateQuotient(OpBuilder &builder, Location loc, Value x, Value y) {
  Emitter emitter{builder, loc, /*hasFMA=*/true};
  return eachLane("llvm.nvvm.div.full", {{{&emitter, x}}, {{&emitter, y}}}).value;
}

// Let p be the bits of a half's significand, 8 or 11. A quotient of two halves is never in the middle between two halves unless
// it is denormal: the middle, an odd number of p + 1 bits, times y of p bits has more bits than x, except for powers of two.
// The quotient therefore differs from any middle by at least 2^-(2p + 1) of itself. For bf16, the approximation of 1 / y times
// x is closer than that; f16 needs one more Newton step. This is exact if the quotient is an f32, as all middles of f16's
// denormals are. Zeros, non-finite values and bf16 near its limits use a division.
Value emitHalfQuotient(OpBuilder &builder, Location loc, Value xValue, Value yValue, Type type) {
  Emitter emitter{builder, loc, /*hasFMA=*/true};
  Real x{{&emitter, xValue}}, y{{&emitter, yValue}};
  Real inverse = approximateReciprocal(y), quotient = x * inverse;
  if (type.isF16())
    quotient = fma(fma(-quotient, y, x), inverse, quotient);
  Real size = abs(quotient);
  Mask isUsual = (size > 0x1p-120) & (size < 0x1p120);
  return ifAny(!isUsual, quotient, [&] { return x / y; }).value;
}

} // namespace lathe::elementary
