#include "codegen/GPU/Contraction/ProductPoints.h"
#include "codegen/GPU/Parts.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

ProductPoints::ProductPoints(ThreadFrame &frame, const KernelLoops &loops, const Product &product)
    : place(loops.extents.size(), frame.eval.uniform(frame.eval.i64(0))), frame(frame), loops(loops), nest(product.nest) {}

void ProductPoints::set(ArrayRef<unsigned> dims, Value linear) {
  Dims extents;
  for (unsigned dim : dims)
    extents.push_back(loops.extents[dim]);
  for (auto [dim, index] : llvm::zip_equal(dims, frame.indicesOf(linear, extents)))
    place[dim] = index;
}

void ProductPoints::set(ArrayRef<Span> spans, ArrayRef<Value> firsts, Value inBox) {
  for (size_t i = spans.size(); i-- > 0; inBox = frame.divide(inBox, spans[i].box)) {
    Value more = i > 0 ? frame.remainder(inBox, spans[i].box) : inBox;
    place[spans[i].dims.front()] = frame.eval.uniform(frame.eval.add(firsts[i], more));
  }
}

void ProductPoints::store(Value sum) {
  frame.eval.reduced[nest.getResult()] = sum;
  storeResults(frame, loops, ofResults());
}
