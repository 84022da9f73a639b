#include "codegen/CPU/Items/ItemRows.h"
#include "codegen/CPU/Tiles/Interleave.h"

using namespace mlir;
using namespace lathe;

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
    SmallVector<Value> vectors(values.slice(done, width));
    interleaveLanes(frame, vectors); // the elements of the first item, then those of the second, and so on
    unsigned perStore = width == size ? lanes : width;
    for (unsigned at = 0; at < lanes * width; at += perStore) {
      Value part = perStore == lanes ? vectors[at / lanes] : lanesOf(frame, vectors[at / lanes], at % lanes, perStore);
      int64_t place = width == size ? at : int64_t(at / width) * size + done;
      LLVM::StoreOp::create(frame.b, frame.loc, part, frame.at(to, element, place), bytes);
    }
    done += width;
  }
}
