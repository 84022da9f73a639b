// Slices at data-dependent positions, gather, scatter and random bits.
#include "dialects/Lathe/IR/Threefry.h"
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "dialects/Lathe/Interpreter/Scalars.h"
#include "dialects/Lathe/Interpreter/Sum.h"
#include "llvm/ADT/TypeSwitch.h"
#include <bit>

using namespace mlir;
using namespace lathe;

/// Calls f(index in the block, index in the tensor) for each element of a block that starts at `starts`, clamped.
template <typename F>
static void forEachOfBlock(ArrayRef<int64_t> block, ArrayRef<int64_t> shape, ArrayRef<const Tensor *> starts, F f) {
  Extents strides = rowMajorStrides(shape);
  int64_t first = 0;
  for (auto [size, extent, stride, start] : llvm::zip_equal(block, shape, strides, starts))
    first += std::clamp<int64_t>(indexAt(*start, 0), 0, extent - size) * stride;
  forEachPlace(block, strides, first, f);
}

static Tensor dynamicSlice(const Tensor &x, ArrayRef<const Tensor *> starts, ArrayRef<int64_t> shape) {
  Tensor result(x.getElement(), shape);
  visitAny(x.getElement(), [&](auto zero) {
    using T = decltype(zero);
    forEachOfBlock(shape, x.getShape(), starts, [&](int64_t to, int64_t from) { result.data<T>()[to] = x.data<T>()[from]; });
    return true;
  });
  return result;
}

static Tensor dynamicUpdateSlice(const Tensor &x, const Tensor &update, ArrayRef<const Tensor *> starts) {
  Tensor result = x;
  visitAny(x.getElement(), [&](auto zero) {
    using T = decltype(zero);
    forEachOfBlock(update.getShape(), x.getShape(), starts,
                   [&](int64_t from, int64_t to) { result.data<T>()[to] = update.data<T>()[from]; });
    return true;
  });
  return result;
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

template <typename T>
static T combine(ScatterKind kind, T old, T update) {
  if constexpr (!std::is_same_v<T, bool>)
    switch (kind) {
    case ScatterKind::Mul:
      return scalar::mul(old, update);
    case ScatterKind::Max:
      return scalar::max(old, update);
    case ScatterKind::Min:
      return scalar::min(old, update);
    case ScatterKind::Add: // see scatterAdd
    case ScatterKind::Set:
      break;
    }
  return update;
}

/// Adds updates to sums that start with the elements of `into`.
template <typename T>
static Tensor scatterAdd(ScatterOp op, const Tensor &into, const Tensor &indices, const Tensor &updates) {
  std::vector<scalar::Sum<T>> sums(into.size());
  for (int64_t i = 0, size = into.size(); i < size; ++i)
    sums[i].add(into.data<T>()[i]);
  forEachSlice(into.getShape(), indices, op.getAxis(), op.getBatch(), [&](int64_t to, int64_t from, int64_t count) {
    for (int64_t i = 0; i < count && to >= 0; ++i)
      sums[to + i].add(updates.data<T>()[from + i]);
  });
  return tensorOfSums(into.getElement(), into.getShape(), sums);
}

static Tensor scatter(ScatterOp op, const Tensor &into, const Tensor &indices, const Tensor &updates) {
  Tensor result = into;
  visitComputable(into.getElement(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (!std::is_same_v<T, bool>)
      if (op.getKind() == ScatterKind::Add) {
        result = scatterAdd<T>(op, into, indices, updates);
        return true;
      }
    forEachSlice(into.getShape(), indices, op.getAxis(), op.getBatch(), [&](int64_t to, int64_t from, int64_t count) {
      for (int64_t i = 0; i < count && to >= 0; ++i)
        result.data<T>()[to + i] = combine(op.getKind(), result.data<T>()[to + i], updates.data<T>()[from + i]);
    });
    return true;
  });
  return result;
}

namespace {
struct NumberWords {
  uint32_t number(uint32_t value) { return value; }
  uint32_t add(uint32_t x, uint32_t y) { return x + y; }
  uint32_t exclusiveOr(uint32_t x, uint32_t y) { return x ^ y; }
  uint32_t rotate(uint32_t x, unsigned bits) { return std::rotl(x, int(bits)); }
};
} // namespace

std::pair<uint32_t, uint32_t> lathe::threefry2x32(std::pair<uint32_t, uint32_t> key, std::pair<uint32_t, uint32_t> counter) {
  return threefry2x32(NumberWords(), key, counter);
}

static Tensor randomBits(RandomBitsOp op, const Tensor &seed, ArrayRef<int64_t> shape) {
  bool isWide = op.getElement().isInteger(64);
  Tensor result(isWide ? Element::I64 : Element::I32, shape);
  uint64_t key = seed.data<int64_t>()[0];
  for (int64_t i = 0, size = result.size(); i < size; ++i) {
    auto [first, second] = threefry2x32({uint32_t(key), uint32_t(key >> 32)}, {uint32_t(i), uint32_t(op.getStream())});
    if (isWide)
      result.data<int64_t>()[i] = int64_t(uint64_t(second) << 32 | first);
    else
      result.data<int32_t>()[i] = int32_t(first);
  }
  return result;
}

Result lathe::evaluateIndexing(const Call &call) {
  return llvm::TypeSwitch<Operation *, Result>(call.op)
      .Case([&](DynamicSliceOp) { return dynamicSlice(call.operand(), ArrayRef(call.operands).drop_front(), call.shape); })
      .Case([&](DynamicUpdateSliceOp) {
        return dynamicUpdateSlice(call.operand(0), call.operand(1), ArrayRef(call.operands).drop_front(2));
      })
      .Case([&](GatherOp op) { return gather(op, call.operand(0), call.operand(1), call.shape); })
      .Case([&](ScatterOp op) { return scatter(op, call.operand(0), call.operand(1), call.operand(2)); })
      .Case([&](RandomBitsOp op) { return randomBits(op, call.operand(), call.shape); })
      .Default([](Operation *) { return std::nullopt; });
}
