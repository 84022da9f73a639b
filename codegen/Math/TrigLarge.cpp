// Range reduction of large operands of sin and cos (Payne and Hanek), in a branch that is taken if any lane is large:
//
//   for lane that is large
//     words = the 192 digits of 2/pi that x's exponent selects    // selects, no memory
//     x 2/pi mod 4 = mantissa * words, in 64-bit integers
//     n = the nearest integer, r = the rest * pi/2
#include "codegen/Math/Functions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace lathe::elementary {

namespace {

/// A word of zeros, then the binary digits of 2/pi after the point.
constexpr uint64_t twoOverPi[] = {0,
                                  0xa2f9836e4e441529,
                                  0xfc2757d1f534ddc0,
                                  0xdb6295993c439041,
                                  0xfe5163abdebbc561,
                                  0xb7246e3a424dd2e0,
                                  0x06492eea09d1921c,
                                  0xfe1deb1cb129a73e,
                                  0xe88235f52ebb4484,
                                  0xe99c7026b45f7e41,
                                  0x3991d639835339f4,
                                  0x9c845f8bbdf9283b,
                                  0x1ff897ffde05980f,
                                  0xef2f118b5a0a6d1f,
                                  0x6d367ecf27cb09b7,
                                  0x4f463f669e5fea2d,
                                  0x7527bac7ebe5f17b,
                                  0x3d0739f78a5292ea,
                                  0x6bfb5fb11f8d5d08,
                                  0x56033046fc7b6bab};

Bits multiply(Bits a, Bits b) {
  return {{a.emitter, arith::MulIOp::create(a.emitter->builder, a.emitter->loc, a.value, b.value)}};
}

/// Returns the upper half of the 128-bit product.
Bits multiplyHigh(Bits a, Bits b) {
  return {{a.emitter, arith::MulUIExtendedOp::create(a.emitter->builder, a.emitter->loc, a.value, b.value).getHigh()}};
}

/// Returns 1 if a + b = sum wrapped around.
Bits carry(Bits a, Bits sum) {
  OpBuilder &builder = a.emitter->builder;
  Value wrapped = arith::CmpIOp::create(builder, a.emitter->loc, arith::CmpIPredicate::ult, sum.value, a.value);
  return {{a.emitter, arith::ExtUIOp::create(builder, a.emitter->loc, a.type(), wrapped)}};
}

/// Returns all ones if the top bit is set.
Bits signFill(Bits a) {
  return {{a.emitter, arith::ShRSIOp::create(a.emitter->builder, a.emitter->loc, a.value, a.like(63).value)}};
}

/// Converts to f64; the top bit must be clear.
Real toReal(Bits a) {
  OpBuilder &builder = a.emitter->builder;
  return {{a.emitter, arith::SIToFPOp::create(builder, a.emitter->loc, builder.getF64Type(), a.value)}};
}

/// Returns four words from `index` on, with one round of selects per bit of the index. Requires 0 <= index < 2 * firstStep.
SmallVector<Bits> wordsFrom(Bits index, unsigned firstStep) {
  constexpr unsigned needed = 4;
  SmallVector<Bits> words;
  for (uint64_t word : twoOverPi)
    words.push_back(index.like(static_cast<int64_t>(word)));
  for (unsigned step = firstStep; step; step /= 2) {
    Mask shifted = (index & step) != 0;
    for (unsigned i = 0; i < needed + step - 1; ++i) // ascending: a word is read before it is overwritten
      words[i] = select(shifted, i + step < words.size() ? words[i + step] : index.like(0), words[i]);
    words.resize(needed + step - 1, index.like(0));
  }
  return words;
}

/// Returns the 64 bits that begin `shift` bits into high:low.
Bits window(Bits high, Bits low, Bits shift) {
  OpBuilder &builder = high.emitter->builder;
  Location loc = high.emitter->loc;
  Value left = arith::ShLIOp::create(builder, loc, high.value, shift.value);
  // Shift right in two steps: a shift by 64 would be undefined.
  Value right = arith::ShRUIOp::create(builder, loc, (low >> 1).value, (shift ^ shift.like(63)).value);
  return Bits{{high.emitter, left}} | Bits{{high.emitter, right}};
}

/// Reduces one f64 x = m 2^e, e >= -41. Digits of 2/pi whose product with x is a multiple of 4 are skipped; the next 192 digits
/// give x 2/pi mod 4 to 126 bits.
Quadrant reduceScalar(Real x, bool wasSingle) {
  Bits bits = x.bits();
  Bits mantissa = (bits & 0x000fffffffffffff) | 0x0010000000000000;
  Bits skipped = (bits >> 52) - 1013;
  SmallVector<Bits> words = wordsFrom(skipped >> 6, wasSingle ? 2 : 16);
  Bits shift = skipped & 63;
  Bits t2 = window(words[0], words[1], shift), t1 = window(words[1], words[2], shift);
  Bits t0 = window(words[2], words[3], shift);
  Bits middle = multiply(mantissa, t1);
  Bits low = middle + multiplyHigh(mantissa, t0);
  Bits high = multiply(mantissa, t2) + multiplyHigh(mantissa, t1) + carry(middle, low);
  // high:low has two digits before the point: its nearest integer is the quadrant.
  Bits n = (high + (int64_t(1) << 61)) >> 62;
  Bits rest = high - (n << 62);
  Bits negative = signFill(rest);
  // Cut into parts that are not rounded.
  Bits top = rest ^ negative, bottom = low ^ negative;
  Real upper = toReal(top & ~int64_t(0x7ff)) * 0x1p-62, next = toReal(((top & 0x7ff) << 41) | (bottom >> 23)) * 0x1p-103;
  Real lower = toReal(bottom & 0x7fffff) * 0x1p-126;
  Pair turns = exactSumOrdered(upper, next);
  turns.low = turns.low + lower;
  Real halfPi = x.like(0x1.921fb54442d18p+0), r = turns.high * halfPi;
  r = r + (productError(turns.high, halfPi, r) + fma(turns.high, 0x1.1a62633145c07p-54, turns.low * halfPi));
  return {n, copysign(r, negative.real()) + (x - x)}; // infinity gives NaN
}

/// Reduces a scalar; returns `fast` if it is below the limit.
Quadrant reduceIfLarge(Real x, Quadrant fast, double limit) {
  OpBuilder &builder = x.emitter->builder;
  Location loc = x.emitter->loc;
  auto branch = scf::IfOp::create(builder, loc, TypeRange{fast.n.type(), fast.r.type()}, (x >= limit).value, true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  Quadrant large = reduceScalar(x.isSingle() ? widen(x) : x, x.isSingle());
  Value n = large.n.value;
  if (x.isSingle())
    n = arith::TruncIOp::create(builder, loc, builder.getI32Type(), n);
  scf::YieldOp::create(builder, loc, ValueRange{n, (x.isSingle() ? narrow(large.r) : large.r).value});
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, ValueRange{fast.n.value, fast.r.value});
  return {{{x.emitter, branch.getResult(0)}}, {{x.emitter, branch.getResult(1)}}};
}

/// Calls reduceIfLarge for each lane in a loop.
scf::ForOp reduceLanes(Real x, Quadrant fast, double limit) {
  OpBuilder &builder = x.emitter->builder;
  Location loc = x.emitter->loc;
  int64_t lanes = cast<VectorType>(x.type()).getNumElements();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value end = arith::ConstantIndexOp::create(builder, loc, lanes);
  auto loop = scf::ForOp::create(builder, loc, zero, end, one, ValueRange{fast.n.value, fast.r.value});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar(), n = loop.getRegionIterArg(0), r = loop.getRegionIterArg(1);
  auto at = [&](Value vector) -> Value { return vector::ExtractOp::create(builder, loc, vector, OpFoldResult(lane)); };
  Quadrant result = reduceIfLarge({{x.emitter, at(x.value)}}, {{{x.emitter, at(n)}}, {{x.emitter, at(r)}}}, limit);
  n = vector::InsertOp::create(builder, loc, result.n.value, n, OpFoldResult(lane));
  r = vector::InsertOp::create(builder, loc, result.r.value, r, OpFoldResult(lane));
  scf::YieldOp::create(builder, loc, ValueRange{n, r});
  return loop;
}

} // namespace

Quadrant reduceLarge(Real x, Quadrant fast, double limit) {
  if (!isa<VectorType>(x.type()))
    return reduceIfLarge(x, fast, limit);
  OpBuilder &builder = x.emitter->builder;
  Location loc = x.emitter->loc;
  auto branch = scf::IfOp::create(builder, loc, TypeRange{fast.n.type(), fast.r.type()}, (x >= limit).any(), true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, reduceLanes(x, fast, limit).getResults());
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, ValueRange{fast.n.value, fast.r.value});
  return {{{x.emitter, branch.getResult(0)}}, {{x.emitter, branch.getResult(1)}}};
}

} // namespace lathe::elementary
