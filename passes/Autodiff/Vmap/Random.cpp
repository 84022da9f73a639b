// The batching rule of random_bits for a batch of seeds. Each element gets the bits of its own seed, so the function in the
// op's description is emitted as ops; with one seed for all elements there is nothing to batch.
#include "dialects/Lathe/IR/Threefry.h"
#include "passes/Autodiff/Vmap/Vmap.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

namespace {
/// Words of threefry2x32 for each batch element and position, as ops.
struct WordOps {
  Emit &e;
  RankedTensorType type; // [batch, positions] of i32

  Value number(uint32_t value) { return e.splat(type, int32_t(value)); }
  Value add(Value x, Value y) { return e.add(x, y); }
  Value exclusiveOr(Value x, Value y) { return e.make<XorOp>(x, y); }
  Value rotate(Value x, unsigned bits) {
    return e.make<OrOp>(e.make<ShiftLeftOp>(x, number(bits)), e.make<ShiftRightOp>(x, number(32 - bits)));
  }
};
} // namespace

static Value batchedBits(Batch &b, RandomBitsOp op, Lifteds in) {
  Emit &e = b.e;
  Type i64 = e.getBuilder().getI64Type(), i32 = e.getBuilder().getI32Type();
  Dims shape = dimsOf(op.getShape());
  std::optional<Dim> places = numElements(shape);
  if (!places)
    return b.fail(op, "on a batch of seeds overflows 63 bits");
  Dims all = {b.size, *places};
  auto half = [&](Value seeds) { return e.broadcast(e.convert(seeds, i32), {0}, all); };
  Value seeds = in[0].value, upper = e.make<ShiftRightOp>(seeds, e.splatLike(seeds, 32));
  Value counter = e.convert(e.make<IotaOp>(1, shapeOf(op.getContext(), all), i64), i32);
  WordOps words{e, tensorOf(all, i32)};
  std::pair key(half(seeds), half(upper)), place(counter, words.number(uint32_t(op.getStream())));
  auto [bits, second] = threefry2x32(words, key, place);
  if (op.getElement().isInteger(64)) { // the first word is the low half
    Value low = e.convert(bits, i64), high = e.convert(second, i64);
    bits = e.make<OrOp>(e.make<ShiftLeftOp>(high, e.splatLike(high, 32)),
                        e.make<ShiftRightOp>(e.make<ShiftLeftOp>(low, e.splatLike(low, 32)), e.splatLike(low, 32)));
  }
  return e.reshape(bits, b.over(shape));
}

void autodiff::addRandomBatching(BatchRules &rules) { rules.add<RandomBitsOp>(batchedBits); }
