// Gather and random bits.
#include "codegen/Kernels/LowerToNests.h"
#include "codegen/Kernels/NestBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

static Value lowerGather(GatherOp op, OpBuilder &builder) {
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()));
  unsigned axis = op.getAxis(), batch = op.getBatch(), indexRank = typeOf(op.getIndices()).getRank();
  unsigned tableRank = typeOf(op.getTable()).getRank();
  SmallVector<AffineExpr> place;
  for (unsigned i = 0; i < batch; ++i)
    place.push_back(nest.dim(i));
  for (unsigned i = batch; i < indexRank; ++i)
    place.push_back(nest.dim(axis + i - batch));
  nest.read(op.getIndices(), place);
  return nest.finish([&](OpBuilder &b, Location loc, ValueRange scalars) -> Value {
    Value picked = scalars[0];
    if (!picked.getType().isInteger(64))
      picked = arith::ExtSIOp::create(b, loc, b.getI64Type(), picked);
    SmallVector<Value> indices;
    for (unsigned i = 0; i < tableRank; ++i) {
      unsigned dim = i < axis ? i : i - 1 + indexRank - batch;
      indices.push_back(i == axis ? picked : IndexOp::create(b, loc, b.getI64Type(), dim).getResult());
    }
    return ElementOp::create(b, loc, scalarOf(typeOf(op.getTable()).getElementType()), op.getTable(), indices);
  });
}

namespace {
/// threefry2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), on i32 scalars.
struct Threefry {
  OpBuilder &b;
  Location loc;

  Value constant(uint32_t value) { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(value))); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value exclusiveOr(Value x, Value y) { return arith::XOrIOp::create(b, loc, x, y); }
  Value rotate(Value x, unsigned bits) {
    return arith::OrIOp::create(b, loc, arith::ShLIOp::create(b, loc, x, constant(bits)),
                                arith::ShRUIOp::create(b, loc, x, constant(32 - bits)));
  }

  Value firstWord(Value key0, Value key1, Value x0, Value x1) {
    constexpr unsigned rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
    Value keys[3] = {key0, key1, exclusiveOr(exclusiveOr(key0, key1), constant(0x1BD11BDA))};
    x0 = add(x0, keys[0]);
    x1 = add(x1, keys[1]);
    for (unsigned round = 0; round < 20; ++round) {
      x0 = add(x0, x1);
      x1 = exclusiveOr(rotate(x1, rotations[round % 8]), x0);
      if (round % 4 == 3) {
        unsigned injection = round / 4 + 1;
        x0 = add(x0, keys[injection % 3]);
        x1 = add(add(x1, keys[(injection + 1) % 3]), constant(injection));
      }
    }
    return x0;
  }
};
} // namespace

static Value lowerRandomBits(RandomBitsOp op, OpBuilder &builder) {
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()));
  nest.read(op.getSeed(), {});
  return nest.finish([&](OpBuilder &b, Location loc, ValueRange scalars) {
    Threefry threefry{b, loc};
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    Value place = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(0));
    for (auto [i, extent] : llvm::enumerate(dimsOf(op.getResult())))
      place = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, place, ExtentOp::create(b, loc, i64, extent.toAttr(b.getContext()))),
          IndexOp::create(b, loc, i64, i));
    Value low = arith::TruncIOp::create(b, loc, i32, scalars[0]);
    Value shifted = arith::ShRUIOp::create(b, loc, scalars[0], arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32)));
    Value high = arith::TruncIOp::create(b, loc, i32, shifted);
    return threefry.firstWord(low, high, arith::TruncIOp::create(b, loc, i32, place), threefry.constant(op.getStream()));
  });
}

Value lathe::lowerIndexing(Operation *op, OpBuilder &builder) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](GatherOp o) { return lowerGather(o, builder); })
      .Case([&](RandomBitsOp o) { return lowerRandomBits(o, builder); })
      .Default(Value());
}
