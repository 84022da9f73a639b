// Powers of integers by repeated squaring. The number of iterations depends on the largest exponent of the lanes.
#include "codegen/Math/Functions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace lathe::elementary {

Bits integerPower(Bits x, Bits y) {
  OpBuilder &builder = x.emitter->builder;
  Location loc = x.emitter->loc;
  auto emitter = x.emitter;
  auto times = [&](Bits a, Bits b) { return Bits{{emitter, arith::MulIOp::create(builder, loc, a.value, b.value)}}; };
  Mask negative = {{emitter, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, y.value, y.like(0).value)}};
  Value start[] = {x.like(1).value, x.value, select(negative, y.like(0), y).value};
  SmallVector<Type> types(3, x.type());
  SmallVector<Location> places(3, loc);
  auto loop = scf::WhileOp::create(builder, loc, types, start);
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *before = builder.createBlock(&loop.getBefore(), {}, types, places);
    Bits left = {{emitter, before->getArgument(2)}};
    scf::ConditionOp::create(builder, loc, (left != 0).any(), before->getArguments());
    Block *after = builder.createBlock(&loop.getAfter(), {}, types, places);
    Bits power = {{emitter, after->getArgument(0)}}, base = {{emitter, after->getArgument(1)}},
         exponent = {{emitter, after->getArgument(2)}};
    power = select((exponent & 1) != 0, times(power, base), power);
    scf::YieldOp::create(builder, loc, ValueRange{power.value, times(base, base).value, (exponent >> 1).value});
  }
  Bits power = {{emitter, loop.getResult(0)}};
  // A negative exponent gives 1 / x^-y as lathe.div defines it: 0, except for -1, 0 and 1.
  Bits minus = select((y & 1) != 0, x.like(-1), x.like(1));
  Bits inverse = select(x == 1, x, select(x == -1, minus, select(x == 0, x.like(-1), x.like(0))));
  return select(negative, inverse, power);
}

} // namespace lathe::elementary
