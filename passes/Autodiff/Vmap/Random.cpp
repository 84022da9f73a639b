// The batching rule of random_bits for a batch of seeds. Each element gets the bits of its own seed, so the function in the
// op's description is emitted as ops; with one seed for all elements there is nothing to batch.
#include "passes/Autodiff/Vmap/Vmap.h"
#include <array>

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

namespace {
/// Emits threefry2x32 of one counter for each position, with a key for each batch element.
struct Threefry {
  Emit &e;
  RankedTensorType type; // [batch, positions] of i32

  Value number(uint32_t value) { return e.splat(type, int32_t(value)); }
  Value rotated(Value value, uint32_t by) {
    return e.make<OrOp>(e.make<ShiftLeftOp>(value, number(by)), e.make<ShiftRightOp>(value, number(32 - by)));
  }
  Value mixed(Value a, Value b) { return e.make<XorOp>(a, b); }

  /// Returns both words.
  std::pair<Value, Value> run(Value low, Value high, Value counter, uint32_t stream) {
    static constexpr std::array<uint32_t, 8> rotations = {13, 15, 26, 6, 17, 29, 16, 24};
    std::array<Value, 3> keys = {low, high, mixed(mixed(low, high), number(0x1BD11BDA))};
    Value x = e.add(counter, keys[0]), y = e.add(number(stream), keys[1]);
    for (uint32_t round = 0; round < 20; ++round) {
      x = e.add(x, y);
      y = mixed(rotated(y, rotations[round % rotations.size()]), x);
      if (round % 4 != 3)
        continue;
      uint32_t injection = round / 4 + 1;
      x = e.add(x, keys[injection % 3]);
      y = e.add(e.add(y, keys[(injection + 1) % 3]), number(injection));
    }
    return {x, y};
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
  Threefry threefry{e, tensorOf(all, i32)};
  auto [bits, second] = threefry.run(half(seeds), half(upper), counter, uint32_t(op.getStream()));
  if (op.getElement().isInteger(64)) { // the first word is the low half
    Value low = e.convert(bits, i64), high = e.convert(second, i64);
    bits = e.make<OrOp>(e.make<ShiftLeftOp>(high, e.splatLike(high, 32)),
                        e.make<ShiftRightOp>(e.make<ShiftLeftOp>(low, e.splatLike(low, 32)), e.splatLike(low, 32)));
  }
  return e.reshape(bits, b.over(shape));
}

void autodiff::addRandomBatching(BatchRules &rules) { rules.add<RandomBitsOp>(batchedBits); }
