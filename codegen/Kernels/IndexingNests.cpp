// Dynamic slices, gather and random bits.
#include "codegen/Kernels/LowerToNests.h"
#include "codegen/Kernels/NestBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

namespace {
/// Integer arithmetic on indices.
struct Places {
  OpBuilder &b;
  Location loc;

  Value number(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }
  Value extent(const Dim &dim) { return ExtentOp::create(b, loc, b.getI64Type(), dim.toAttr(b.getContext())); }
  Value index(unsigned dim) { return IndexOp::create(b, loc, b.getI64Type(), dim); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value wide(Value index) {
    return index.getType().isInteger(64) ? index : arith::ExtSIOp::create(b, loc, b.getI64Type(), index).getResult();
  }
  /// Clamps a start so that the slice fits; returns null if 0 is the only valid start.
  Value clamped(Value start, const Dim &largest) {
    if (largest.isStatic(0))
      return {};
    return arith::MaxSIOp::create(b, loc, number(0), arith::MinSIOp::create(b, loc, wide(start), extent(largest)));
  }
};
} // namespace

static Value lowerDynamicSlice(DynamicSliceOp op, OpBuilder &builder) {
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()));
  for (Value start : op.getStarts())
    nest.read(start, {});
  return nest.finish([&](OpBuilder &b, Location loc, ValueRange starts) -> Value {
    Places places{b, loc};
    SmallVector<Value> indices;
    for (auto [i, start, extent, size] : llvm::enumerate(starts, dimsOf(op.getOperand()), dimsOf(op.getResult()))) {
      Value first = places.clamped(start, extent - size);
      indices.push_back(first ? places.add(places.index(i), first) : places.index(i));
    }
    return ElementOp::create(b, loc, scalarOf(typeOf(op.getResult()).getElementType()), op.getOperand(), indices,
                             /*inside=*/true);
  });
}

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
    Places places{b, loc};
    Value picked = places.wide(scalars[0]);
    SmallVector<Value> indices;
    for (unsigned i = 0; i < tableRank; ++i) {
      unsigned dim = i < axis ? i : i - 1 + indexRank - batch;
      indices.push_back(i == axis ? picked : places.index(dim));
    }
    return ElementOp::create(b, loc, scalarOf(typeOf(op.getTable()).getElementType()), op.getTable(), indices,
                             /*inside=*/false);
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

  std::pair<Value, Value> words(Value key0, Value key1, Value x0, Value x1) {
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
    return {x0, x1};
  }
};
} // namespace

static Value lowerRandomBits(RandomBitsOp op, OpBuilder &builder) {
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()));
  nest.read(op.getSeed(), {});
  return nest.finish([&](OpBuilder &b, Location loc, ValueRange scalars) -> Value {
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
    auto [first, second] =
        threefry.words(low, high, arith::TruncIOp::create(b, loc, i32, place), threefry.constant(op.getStream()));
    if (op.getElement().isInteger(32))
      return first;
    Value wide = arith::ExtUIOp::create(b, loc, i64, second), by = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
    return arith::OrIOp::create(b, loc, arith::ShLIOp::create(b, loc, wide, by), arith::ExtUIOp::create(b, loc, i64, first))
        .getResult();
  });
}

Value lathe::lowerIndexing(Operation *op, OpBuilder &builder) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](DynamicSliceOp o) { return lowerDynamicSlice(o, builder); })
      .Case([&](GatherOp o) { return lowerGather(o, builder); })
      .Case([&](RandomBitsOp o) { return lowerRandomBits(o, builder); })
      .Default(Value());
}
