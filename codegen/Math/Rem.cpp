// The remainder of C's fmod, exactly:
//
//   near: a - trunc(a / b) b without a rounding, for quotients that a float holds exactly
//   far, in a branch if any lane needs it: subtract multiples of b 2^k until the quotient is small enough
//
// Every intermediate result is representable, since the dividend minus an integral multiple of the divisor is.
#include "codegen/Math/Functions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace lathe::elementary {

namespace {

/// Returns the limit below which a quotient is truncated to an integer in one step.
double quotientLimit(Real x) { return x.pick(0x1p22, 0x1p50); }

/// Returns a - q b, if that is representable.
Real subtractMultiple(Real a, Real q, Real b) {
  if (a.emitter->hasFMA)
    return fma(-q, b, a);
  // Near the largest numbers the rounded product could overflow; divisors of such dividends can be scaled exactly.
  Mask huge = abs(a) > a.pick(0x1p120, 0x1p1000);
  Real scale = select(huge, 0x1p-4, a.like(1.0));
  Real scaled = b * scale, product = q * scaled;
  return ((a * scale - product) - productError(q, scaled, product)) * select(huge, 0x1p4, a.like(1.0));
}

/// Returns a mod b for 0 <= a < quotientLimit * b.
Real remainderNear(Real a, Real b) {
  Real r = subtractMultiple(a, trunc(a / b), b);
  r = select(r < 0.0, r + b, r); // if the quotient was rounded up to an integer
  return select(a < b, a, r);    // also handles infinite b
}

/// Subtracts a multiple of b from r that leaves a much smaller rest; b times a power of two keeps the quotient finite.
Real reduceFar(Real r, Real b) {
  Real magnitude = abs(r);
  double step = r.pick(0x1p60, 0x1p600);
  for (int i = 0; i < 3; ++i)
    b = select(magnitude * (1.0 / step) >= b, b * step, b);
  Real q = trunc(r / b);
  return subtractMultiple(r, (q.bits() & ~int64_t(1)).real(), b);
}

/// Returns a mod b for a >= 0 and quotients of any size.
Real remainderFar(Real a, Real b) {
  OpBuilder &builder = a.emitter->builder;
  Location loc = a.emitter->loc;
  Real limit = b * quotientLimit(b);
  auto loop = scf::WhileOp::create(builder, loc, a.type(), a.value);
  Block *before = builder.createBlock(&loop.getBefore(), {}, a.type(), loc);
  Real left = {{a.emitter, before->getArgument(0)}};
  scf::ConditionOp::create(builder, loc, (abs(left) >= limit).any(), left.value);
  Block *after = builder.createBlock(&loop.getAfter(), {}, a.type(), loc);
  scf::YieldOp::create(builder, loc, reduceFar({{a.emitter, after->getArgument(0)}}, b).value);
  builder.setInsertionPointAfter(loop);
  Real r = {{a.emitter, loop.getResult(0)}};
  Real rest = remainderNear(abs(r), b);
  return select((r < 0.0) & (rest > 0.0), b - rest, rest);
}

} // namespace

Real rem(Real x, Real y) {
  OpBuilder &builder = x.emitter->builder;
  Location loc = x.emitter->loc;
  Real a = abs(x), b = abs(y);
  Real near = remainderNear(a, b);
  Mask far = a >= b * quotientLimit(b);
  auto branch = scf::IfOp::create(builder, loc, TypeRange{x.type()}, far.any(), true);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, loc, select(far, remainderFar(a, b), near).value);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, near.value);
  }
  return copysign({{x.emitter, branch.getResult(0)}}, x);
}

} // namespace lathe::elementary
