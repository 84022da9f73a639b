// The loads of a k-slice to shared memory, for each thread's runs of contiguous elements:
//
//   copied:   cp.async from the operand, with zeros for the bytes that are out of range    // begin
//   computed: evaluate the operand's nest into registers                                   // begin
//             store them to shared memory after the products of the slice before           // end
#include "codegen/GPU/Contraction/Staging.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

Staging::Staging(ThreadFrame &frame, ProductPoints &points, const KernelLoops &loops, const Product &product,
                 const ProductOperand &operand, ArrayRef<unsigned> own, unsigned length, unsigned depth)
    : layout(product.element, length, depth, operand.isContiguousAlongDepth), frame(frame), points(points), loops(loops),
      product(product), operand(operand), own(own), length(length), depth(depth) {
  unsigned share = length * depth / frame.threads;
  width = std::min(std::max(operand.copied, 1u), share);
  count = share / width;
}

/// Returns the thread's i-th run. Adjacent threads have adjacent runs.
Staging::Run Staging::run(unsigned i) {
  unsigned across = layout.inner / width, step = frame.threads / across;
  Value thread = frame.narrow(frame.thread);
  Value line = frame.b.createOrFold<arith::DivUIOp>(frame.loc, thread, frame.number(across));
  Value place =
      frame.eval.mul(frame.b.createOrFold<arith::RemUIOp>(frame.loc, thread, frame.number(across)), frame.number(width));
  return layout.hasDepthInside ? Run{line, place, i * step, 0} : Run{place, line, 0, i * step};
}

/// Tests an index against the product of these extents. Returns null if that is a multiple of `multiple`, so that no test is
/// needed.
Value Staging::bound(Value at, ArrayRef<unsigned> dims, unsigned multiple) {
  Dim all = extentOf(loops, dims);
  return all.isStatic() && all.constant() % multiple == 0 ? Value() : frame.isBelow(at, frame.eval.extent(all));
}

std::pair<Value, Value> Staging::place(const Run &run, Value depthLow) {
  PointEvaluator &eval = frame.eval;
  eval.nextPlace();
  auto plus = [&](Value low, Value lane, unsigned more) { return eval.add(eval.add(low, frame.widen(lane)), eval.i64(more)); };
  ownAt = plus(first, run.own, run.ownMore);
  depthAt = plus(depthLow, run.depth, run.depthMore);
  points.set(own, ownAt);
  points.set(product.depth, depthAt);
  return {bound(ownAt, own, length), bound(depthAt, product.depth, depth)};
}

/// Returns the bytes of a run that a copy reads; the rest becomes zeros. `inside` tells whether the first element is in range
/// (null: it is). Returns null if all of the run is read.
Value Staging::runBytes(Value inside) {
  PointEvaluator &eval = frame.eval;
  OpBuilder &b = frame.b;
  Dim all = extentOf(loops, layout.hasDepthInside ? ArrayRef(product.depth) : own);
  Value bytes;
  if (!all.isStatic() || all.constant() % width != 0) {
    Value left = eval.sub(eval.extent(all), layout.hasDepthInside ? depthAt : ownAt);
    bytes = eval.mul(frame.narrow(eval.min(left, eval.i64(width))), frame.number(layout.elementBytes));
  }
  if (!inside)
    return bytes;
  return arith::SelectOp::create(b, frame.loc, inside, bytes ? bytes : frame.number(width * layout.elementBytes),
                                 frame.number(0));
}

void Staging::copy(const Run &run, Value depthLow, Value exists, Value to) {
  PointEvaluator &eval = frame.eval;
  auto [inOwn, inDepth] = place(run, depthLow);
  auto source = eval.sourceOf(product.nest, operand.input, operand.tensor, points.place, operand.isGuarded);
  Value bytes = runBytes(eval.both(eval.both(inOwn, inDepth), eval.both(source.inside, exists)));
  unsigned size = width * layout.elementBytes;
  // Copies of 16 bytes bypass the L1 cache, from which nothing would be read again.
  auto cache = size == 16 ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  Value place = layout.at(frame, to, run.own, run.ownMore, run.depth, run.depthMore);
  NVVM::CpAsyncOp::create(frame.b, frame.loc, place, frame.global(source.address), size, cache, bytes);
}

Value Staging::fetch(const Run &run, Value depthLow, Value exists) {
  PointEvaluator &eval = frame.eval;
  auto [inOwn, inDepth] = place(run, depthLow);
  Value mask = eval.both(eval.both(exists, inOwn), inDepth);
  Value value = eval.input(product.nest, operand.input, operand.tensor, points.place, mask, operand.isGuarded);
  if (inDepth)
    value = arith::SelectOp::create(frame.b, frame.loc, inDepth, value, eval.constant(value.getType(), 0));
  return value;
}

void Staging::begin(Value depthLow, Value exists, Value to, bool hasZeros) {
  auto copyAll = [&] {
    for (unsigned i = 0; i < count; ++i)
      copy(run(i), depthLow, hasZeros ? exists : Value(), to);
  };
  fetched.clear();
  if (!isCopied())
    for (unsigned i = 0; i < count; ++i)
      fetched.push_back(fetch(run(i), depthLow, exists));
  else if (exists && !hasZeros)
    frame.when(exists, copyAll);
  else
    copyAll();
  frame.eval.nextPlace();
}

void Staging::end(Value to) {
  for (auto [i, value] : llvm::enumerate(fetched)) {
    Run one = run(i);
    frame.storeOne(value, layout.at(frame, to, one.own, one.ownMore, one.depth, one.depthMore));
  }
}
