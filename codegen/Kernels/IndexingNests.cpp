// Dynamic slices, gather and random bits as nests whose bodies compute on indices:
//
//   dynamic_slice:  result[i] = operand[clamp(start) + i]
//   gather:         result[i, j] = table[indices[i], j], or 0 if the index is out of range
//   random_bits:    result[i] = threefry2x32(seed, (i, stream))
//
// An affine access cannot read at an index that is data, so that the body has an ElementOp for it.
#include "codegen/Kernels/LowerToNests.h"
#include "codegen/Kernels/NestBuilder.h"
#include "dialects/Lathe/IR/Threefry.h"
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

static Value lowerRandomBits(RandomBitsOp op, OpBuilder &builder) {
  NestBuilder nest(builder, op.getLoc(), typeOf(op.getResult()));
  nest.read(op.getSeed(), {});
  return nest.finish([&](OpBuilder &b, Location loc, ValueRange scalars) -> Value {
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    // Only the low word of the place counts. In 64 bits, vectors would have half of the lanes.
    Value counter = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    for (auto [i, extent] : llvm::enumerate(dimsOf(op.getResult()))) {
      Value size = arith::TruncIOp::create(b, loc, i32, ExtentOp::create(b, loc, i64, extent.toAttr(b.getContext())));
      Value index = arith::TruncIOp::create(b, loc, i32, IndexOp::create(b, loc, i64, i));
      counter = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, counter, size), index);
    }
    Value low = arith::TruncIOp::create(b, loc, i32, scalars[0]);
    Value shifted = arith::ShRUIOp::create(b, loc, scalars[0], arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32)));
    Value high = arith::TruncIOp::create(b, loc, i32, shifted);
    Value stream = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(op.getStream())));
    auto word = [&](StringRef function) -> Value {
      Value given[] = {low, high, counter, stream};
      return ApplyOp::create(b, loc, i32, b.getStringAttr(function), given, IntegerAttr());
    };
    Value first = word(kThreefry);
    if (op.getElement().isInteger(32))
      return first;
    Value wide = arith::ExtUIOp::create(b, loc, i64, word(kThreefrySecond)),
          by = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
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
