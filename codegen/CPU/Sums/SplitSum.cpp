#include "codegen/CPU/Sums/SplitSum.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// The rounding error is Knuth's TwoSum.
SplitSum lathe::cpu::carryUp(OpBuilder &b, Location loc, SplitSum sum) {
  auto [high, low] = sum;
  auto add = [&](Value x, Value y) { return arith::AddFOp::create(b, loc, x, y).getResult(); };
  auto subtract = [&](Value x, Value y) { return arith::SubFOp::create(b, loc, x, y).getResult(); };
  Value total = add(high, low), added = subtract(total, high);
  Value error = add(subtract(high, subtract(total, added)), subtract(low, added));
  Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, error, error);
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(error.getType()));
  return {total, arith::SelectOp::create(b, loc, isNumber, error, zero)};
}

ScalarTotal::Values ScalarTotal::zero() const {
  Value zero = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(0));
  return element.isF64() ? Values{zero, zero} : Values{zero};
}

ScalarTotal::Values ScalarTotal::add(const Values &total, Value term) const {
  if (!element.isF64())
    return {arith::AddFOp::create(b, loc, total[0], arith::ExtFOp::create(b, loc, b.getF64Type(), term))};
  SplitSum sum = carryUp(b, loc, {total[0], term});
  return {sum.high, arith::AddFOp::create(b, loc, total[1], sum.low)};
}

Value ScalarTotal::rounded(const Values &total) const {
  if (!element.isF64())
    return arith::TruncFOp::create(b, loc, element, total[0]);
  return arith::AddFOp::create(b, loc, total[0], total[1]);
}
