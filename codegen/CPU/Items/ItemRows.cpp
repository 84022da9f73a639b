// A group of w elements, a power of two, is turned by log2(w) rounds that interleave vectors:
//
//   a0 a1 a2 a3    b0 b1 b2 b3    c0 ..    d0 ..       of items 0 to 3: element a, b, c, d
//   a0 c0 a1 c1    a2 c2 a3 c3    b0 d0 b1 d1    ..    each vector with that w / 2 further on
//   a0 b0 c0 d0    a1 b1 c1 d1    ..                   the elements of one item after the other
#include "codegen/CPU/Items/ItemRows.h"

using namespace mlir;
using namespace lathe;

/// Interleaves the lower or the upper halves of two vectors.
static Value interleave(CodeFrame &frame, Value even, Value odd, unsigned lanes, bool upper) {
  SmallVector<int32_t> order;
  for (unsigned i = upper ? lanes / 2 : 0, end = i + lanes / 2; i < end; ++i)
    order.append({int32_t(i), int32_t(lanes + i)});
  return LLVM::ShuffleVectorOp::create(frame.b, frame.loc, even, odd, order);
}

/// Returns vectors that have the elements of the first item, then those of the second, and so on.
static SmallVector<Value> itemByItem(CodeFrame &frame, SmallVector<Value> vectors, unsigned lanes) {
  size_t half = vectors.size() / 2;
  for (size_t round = vectors.size(); round > 1; round /= 2) {
    SmallVector<Value> next;
    for (size_t i = 0; i < half; ++i)
      for (bool upper : {false, true})
        next.push_back(interleave(frame, vectors[i], vectors[i + half], lanes, upper));
    vectors = next;
  }
  return vectors;
}

static Value lanesOf(CodeFrame &frame, Value vector, unsigned first, unsigned count) {
  if (count == 1)
    return LLVM::ExtractElementOp::create(frame.b, frame.loc, vector, frame.eval.i64(first));
  SmallVector<int32_t> order;
  for (unsigned i = first; i < first + count; ++i)
    order.push_back(int32_t(i));
  return LLVM::ShuffleVectorOp::create(frame.b, frame.loc, vector, vector, order);
}

void lathe::cpu::storeItems(CodeFrame &frame, ArrayRef<Value> values, Value to, unsigned lanes) {
  Type element = getElementTypeOrSelf(values.front().getType());
  unsigned bytes = std::max(1u, element.getIntOrFloatBitWidth() / 8);
  int64_t size = values.size();
  for (int64_t done = 0; done < size;) {
    int64_t width = std::min<int64_t>(lanes, llvm::bit_floor(uint64_t(size - done)));
    SmallVector<Value> vectors = itemByItem(frame, SmallVector<Value>(values.slice(done, width)), lanes);
    unsigned perStore = width == size ? lanes : width;
    for (unsigned at = 0; at < lanes * width; at += perStore) {
      Value part = perStore == lanes ? vectors[at / lanes] : lanesOf(frame, vectors[at / lanes], at % lanes, perStore);
      int64_t place = width == size ? at : int64_t(at / width) * size + done;
      LLVM::StoreOp::create(frame.b, frame.loc, part, frame.at(to, element, place), bytes);
    }
    done += width;
  }
}
