// Gather, scatter and random bits.
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "dialects/Lathe/Interpreter/Scalars.h"
#include "llvm/ADT/TypeSwitch.h"
#include <bit>

using namespace mlir;
using namespace lathe;

static int64_t indexAt(const Tensor &indices, int64_t i) {
  return indices.getElement() == Element::I32 ? indices.data<int32_t>()[i] : indices.data<int64_t>()[i];
}

/// Calls f(offset in the table or -1, offset in the picked slices, length) for each slice, in row-major order.
template <typename F>
static void forEachSlice(ArrayRef<int64_t> table, const Tensor &indices, int64_t axis, int64_t batch, F f) {
  int64_t batches = product(table.take_front(batch)), outer = product(table.take_front(axis).drop_front(batch));
  int64_t extent = table[axis], inner = product(table.drop_front(axis + 1)),
          picks = product(indices.getShape().drop_front(batch));
  for (int64_t b = 0; b < batches; ++b)
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t k = 0; k < picks; ++k) {
        int64_t index = indexAt(indices, b * picks + k), row = b * outer + o;
        bool inside = index >= 0 && index < extent;
        f(inside ? (row * extent + index) * inner : -1, (row * picks + k) * inner, inner);
      }
}

static Tensor gather(GatherOp op, const Tensor &table, const Tensor &indices, ArrayRef<int64_t> shape) {
  Tensor result(table.getElement(), shape);
  visitAny(table.getElement(), [&](auto zero) {
    using T = decltype(zero);
    forEachSlice(table.getShape(), indices, op.getAxis(), op.getBatch(), [&](int64_t from, int64_t to, int64_t count) {
      if (from >= 0)
        std::copy_n(table.data<T>() + from, count, result.data<T>() + to);
    });
    return true;
  });
  return result;
}

static Tensor scatter(ScatterOp op, const Tensor &into, const Tensor &indices, const Tensor &updates) {
  Tensor result = into;
  visitNumber(into.getElement(), [&](auto zero) {
    using T = decltype(zero);
    forEachSlice(into.getShape(), indices, op.getAxis(), op.getBatch(), [&](int64_t to, int64_t from, int64_t count) {
      for (int64_t i = 0; i < count && to >= 0; ++i)
        result.data<T>()[to + i] = scalar::add(result.data<T>()[to + i], updates.data<T>()[from + i]);
    });
    return true;
  });
  return result;
}

std::pair<uint32_t, uint32_t> lathe::threefry2x32(std::pair<uint32_t, uint32_t> key, std::pair<uint32_t, uint32_t> counter) {
  static constexpr int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t keys[3] = {key.first, key.second, key.first ^ key.second ^ 0x1BD11BDAu};
  uint32_t x = counter.first + keys[0], y = counter.second + keys[1];
  for (uint32_t round = 0; round < 20; ++round) {
    x += y;
    y = std::rotl(y, rotations[round % 8]) ^ x;
    if (round % 4 != 3)
      continue;
    uint32_t injection = round / 4 + 1;
    x += keys[injection % 3];
    y += keys[(injection + 1) % 3] + injection;
  }
  return {x, y};
}

static Tensor randomBits(RandomBitsOp op, const Tensor &seed, ArrayRef<int64_t> shape) {
  Tensor result(Element::I32, shape);
  uint64_t key = seed.data<int64_t>()[0];
  for (int64_t i = 0, size = result.size(); i < size; ++i)
    result.data<int32_t>()[i] =
        threefry2x32({uint32_t(key), uint32_t(key >> 32)}, {uint32_t(i), uint32_t(op.getStream())}).first;
  return result;
}

Result lathe::evaluateIndexing(const Call &call) {
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](GatherOp op) { return gather(op, call.operand(0), call.operand(1), call.shape); })
      .Case([&](ScatterOp op) { return scatter(op, call.operand(0), call.operand(1), call.operand(2)); })
      .Case([&](RandomBitsOp op) { return randomBits(op, call.operand(), call.shape); })
      .Default([](Operation *) { return std::nullopt; });
}
