#include "codegen/GPU/Contraction/ProductPoints.h"
#include "codegen/GPU/Threads/Parts.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

ProductPoints::ProductPoints(ThreadFrame &frame, const KernelLoops &loops, const Product &product)
    : place(loops.extents.size(), frame.eval.uniform(frame.eval.i64(0))), frame(frame), loops(loops), product(product) {}

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

SmallVector<Index> ProductPoints::ofResults() {
  PointEvaluator &eval = frame.eval;
  SmallVector<Index> results(ArrayRef(place).take_front(loops.parallel));
  for (const Residue &residue : product.residues) {
    Value more = eval.add(eval.mul(place[residue.residue].base, eval.i64(residue.sign)), eval.i64(residue.first));
    results[residue.dim].base = eval.add(eval.mul(place[residue.dim].base, eval.i64(residue.step)), more);
  }
  return results;
}

Value ProductPoints::isInside(ArrayRef<Span> spans) {
  PointEvaluator &eval = frame.eval;
  Value all;
  SmallVector<Index> results = ofResults();
  for (const Residue &residue : product.residues) {
    Value at = results[residue.dim].base;
    Value isBelow = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::ult, at, eval.extent(residue.extent));
    all = eval.both(all, isBelow); // unsigned, so that negative numbers are large
  }
  for (const Span &span : spans) {
    Dim extent = extentOf(loops, span.dims);
    if (!extent.isStatic() || extent.constant() % span.box != 0)
      all = eval.both(all, frame.isBelow(place[span.dims.front()].base, eval.extent(extent)));
  }
  return all;
}

void ProductPoints::store(Value sum) {
  NestOp nest = product.nest;
  frame.eval.reduced[nest.getResult()] = sum;
  storeResults(frame, loops, ofResults());
}
