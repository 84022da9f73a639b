#include "codegen/GPU/Threads/Parts.h"
#include "codegen/GPU/Threads/GroupReduction.h"
#include "codegen/GPU/Tuning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Accumulators = Reduction::Accumulators;

static Type stored(Type type) { return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type; }

int64_t Parts::bytesOf(Type type, int64_t points, int64_t parts) {
  constexpr int64_t kAlignment = 16;
  return llvm::alignTo(points * parts * (stored(type).getIntOrFloatBitWidth() / 8), kAlignment);
}

Parts::Parts(ThreadFrame &frame, const Accumulators &like, int64_t points, int64_t parts)
    : frame(frame), memory(frame.scratch()), points(points) {
  for (Value value : like) {
    types.push_back(value.getType());
    starts.push_back(size);
    size += bytesOf(value.getType(), points, parts);
  }
}

Value Parts::at(unsigned accumulator, Value part, Value point) {
  PointEvaluator &eval = frame.eval;
  Value start = frame.at(memory, frame.b.getI8Type(), starts[accumulator]);
  return frame.at(start, stored(types[accumulator]), eval.add(eval.mul(part, eval.i64(points)), point));
}

void Parts::store(const Accumulators &values, Value part, Value point) {
  for (auto [i, value] : llvm::enumerate(values)) {
    Value bits = value;
    if (types[i].isInteger(1))
      bits = arith::ExtUIOp::create(frame.b, frame.loc, stored(types[i]), value);
    frame.storeOne(bits, at(i, part, point));
  }
}

Accumulators Parts::load(Value part, Value point) {
  Accumulators values;
  for (auto [i, type] : llvm::enumerate(types)) {
    Value bits = frame.loadOne(at(i, part, point), stored(type));
    values.push_back(type.isInteger(1) ? arith::TruncIOp::create(frame.b, frame.loc, type, bits).getResult() : bits);
  }
  return values;
}

int64_t lathe::gpu::partsFor(const KernelLoops &loops, int64_t groups, const Division &division) {
  ArrayRef<Dim> extents(loops.extents);
  Dim points = productOf(extents.take_front(loops.parallel));
  Dim length = productOf(extents.drop_front(loops.parallel));
  if (!points.isStatic() || points.constant() == 0 || points.constant() > tuning::kMostDividedPoints)
    return 1;
  int64_t parts = std::min(division.mostParts, division.perProcessor * kMultiprocessors / std::max<int64_t>(groups, 1));
  parts = std::min(parts, length.isStatic() ? length.constant() / division.leastLength : tuning::kPartsOfNamed);
  return std::max<int64_t>(parts, 1);
}

Value lathe::gpu::reduceByThread(ThreadFrame &frame, NestOp nest, ArrayRef<Index> point, ArrayRef<Dim> reduced) {
  PointEvaluator &eval = frame.eval;
  Reduction reduction(nest, eval);
  Value length = eval.extent(productOf(reduced));
  Accumulators total =
      frame.rolledLoop(eval.i64(0), length, reduction.neutral(), [&](Value at, ValueRange carried) -> CodeFrame::Carry {
        eval.nextPlace();
        SmallVector<Index> place(point);
        llvm::append_range(place, frame.indicesOf(at, reduced));
        return reduction.step(Accumulators(carried), place, {});
      });
  eval.nextPlace();
  return reduction.result(total);
}

Value lathe::gpu::finiteOrRecomputed(ThreadFrame &frame, NestOp nest, Value value, ArrayRef<Index> point,
                                     ArrayRef<Dim> reduced) {
  return frame.either(
      frame.isFinite(value), value.getType(), [&] { return value; },
      [&] { return reduceByThread(frame, nest, point, reduced); });
}

SmallVector<Value> lathe::gpu::resultsAt(ThreadFrame &frame, const KernelLoops &loops, ArrayRef<Index> point) {
  return llvm::map_to_vector(loops.roots, [&](Value root) { return frame.eval.tensor(root, point); });
}

void lathe::gpu::storeResults(ThreadFrame &frame, const KernelLoops &loops, ArrayRef<Index> point) {
  storeResults(frame, loops, point, resultsAt(frame, loops, point));
}

void lathe::gpu::storeResults(ThreadFrame &frame, const KernelLoops &loops, ArrayRef<Index> point, ValueRange values) {
  for (auto [root, value, buffer] : llvm::zip_equal(loops.roots, values, frame.outputs))
    frame.eval.store(value, buffer, cast<RankedTensorType>(root.getType()), point);
}

KernelCode::Stage lathe::gpu::emitCombination(KernelOp kernel, const KernelLoops &loops, const FunctionPlace &place,
                                              unsigned words, int64_t points, int64_t parts, bool isExact, unsigned lanes) {
  constexpr unsigned kThreads = 128;
  const unsigned each = parts > tuning::kFewParts ? kWarp : 1;
  VectorTarget thread = place.target.thread();
  OpBuilder b(kernel.getContext());
  LLVM::LLVMFuncOp function = makeFunction(kernel, place.module, (place.name + "_combine").str(), words, kThreads);
  ThreadFrame frame(kernel, loops.symbols, function, kThreads, thread, b);
  PointEvaluator &eval = frame.eval;
  NestOp nest = loops.reduction;
  ArrayRef<Dim> extents(loops.extents);
  Value number = frame.divide(frame.globalThread(), each), inWarp = frame.remainder(frame.thread, each);
  frame.leaveUnless(frame.isBelow(number, eval.i64(points)));
  Reduction reduction(nest, eval);
  eval.lanes = lanes;
  Accumulators neutral = reduction.acrossLanes(reduction.neutral());
  eval.lanes = 1;
  Parts memory(frame, neutral, points, parts);
  Accumulators own = frame.loop(inWarp, eval.i64(parts), each, neutral, [&](Value part, ValueRange carried) {
    return reduction.merge(Accumulators(carried), memory.load(part, number));
  });
  Accumulators total = combineGroup(frame, reduction, own, {1, each});
  frame.when(arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, inWarp, eval.i64(0)), [&] {
    SmallVector<Index> point = frame.indicesOf(number, extents.take_front(loops.parallel));
    Value value = reduction.result(total);
    if (!isExact)
      value = finiteOrRecomputed(frame, nest, value, point, extents.drop_front(loops.parallel));
    eval.nextPoint();
    eval.reduced[nest.getResult()] = value;
    storeResults(frame, loops, point);
  });
  frame.close();
  return {function, kThreads, Dim(points), kThreads / each};
}
