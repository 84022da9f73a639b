// The code of a kernel of nests, by its reduction:
//
//   none:                                                  // a thread per `steps` vectors of `lanes` points
//     for chunk of all threads' points                     // a loop only if there are more than run at once
//       values = results at the thread's vectors
//       store the values
//   one per thread (`group_rows` = 1):
//     accumulators = neutral
//     for `steps` elements of the reduction, in chains
//       accumulators = step(accumulators, element)
//     results[point] = epilogue(accumulators)
//   one per `group_rows` threads:
//     for every group_rows-th vector of `lanes` elements from the thread's own on, `steps` at once, in chains
//       accumulators = step(accumulators, elements)
//     combine the accumulators of the threads              // by shuffles or in shared memory
//     first thread: results[point] = epilogue(accumulators)
//
// With `parts` > 1 blocks share the elements of a reduction. The first thread of each group then stores its accumulators to
// scratch memory, and a second function combines them.
//
// Adjacent threads have adjacent elements, so that a warp accesses whole lines of memory. The loads of all steps are in flight
// together.
#include "codegen/GPU/Loops/Loops.h"
#include "codegen/GPU/Loops/Choice.h"
#include "codegen/GPU/Threads/ChainLoop.h"
#include "codegen/GPU/Threads/Parts.h"
#include "codegen/GPU/Threads/ThreadFrame.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "codegen/Points/Reduction.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Accumulators = Reduction::Accumulators;

namespace {
class LoopsEmitter {
public:
  LoopsEmitter(KernelOp kernel, KernelLoops kernelLoops, const LoopsSchedule &schedule, const FunctionPlace &place)
      : kernel(kernel), place(place), loops(std::move(kernelLoops)), schedule(schedule), thread(place.target.thread()),
        group(schedule.group()), lanes(schedule.lanes), b(kernel.getContext()), threads(schedule.threads()),
        parts(schedule.parts), steps(schedule.steps), words(wordsOf(kernel, loops.symbols) + (parts > 1)),
        frame(kernel, loops.symbols, makeFunction(kernel, place.module, place.name, words, threads), threads, thread, b) {}

  KernelCode emit();

private:
  ArrayRef<Dim> parallel() const { return ArrayRef(loops.extents).take_front(loops.parallel); }
  ArrayRef<Dim> reduced() const { return ArrayRef(loops.extents).drop_front(loops.parallel); }
  unsigned pointsPerBlock() const { return schedule.pointsPerBlock(); }
  Dim points() const { return productOf(parallel()); }
  /// Returns the number of points or, without a reduction, of vectors of them.
  Dim vectors() const { return !loops.reduction && lanes > 1 ? *points().dividedBy(lanes) : points(); }
  SmallVector<Index> vectorAt(Value number, ArrayRef<Dim> extents);
  Accumulators reduce(const Reduction &reduction, ArrayRef<Index> point, Value part, Value inside = {});
  SmallVector<Index> pointsOf(Value number);
  struct Place {
    Value number, inside;
  };
  Place placeOf(Value block);
  int64_t unit() const { return pointsPerBlock() * (loops.reduction ? 1 : steps); } // points or vectors per block
  bool isPersistent() const;
  void emitChunk(Value chunk);
  void emitPoints(Value block);
  void emitGroups(Value block);

  KernelOp kernel;
  const FunctionPlace &place;
  KernelLoops loops;
  const LoopsSchedule &schedule;
  VectorTarget thread;
  Group group;
  unsigned lanes;
  OpBuilder b;
  unsigned threads;
  int64_t parts;
  unsigned steps;
  unsigned words;
  ThreadFrame frame;
  int64_t scratchBytes = 0;
};

/// Emits the thread's share of a part of the reduction: every `rows`-th element from its own row on.
Accumulators LoopsEmitter::reduce(const Reduction &reduction, ArrayRef<Index> point, Value part, Value inside) {
  PointEvaluator &eval = frame.eval;
  Value row = group.rows == 1 ? eval.i64(0) : frame.divide(frame.thread, group.columns);
  if (group.columns == 1 && group.rows > 1)
    row = frame.remainder(frame.thread, group.rows);
  Value low = row, high = eval.extent(productOf(inVectors(reduced(), lanes)));
  if (parts > 1) { // contiguous elements stay in one part
    Value size = frame.divideUp(high, parts), start = eval.mul(part, size);
    low = eval.add(start, row);
    high = eval.min(high, eval.add(start, size));
  }
  if (inside) // a thread past the end reads nothing, because another thread may write there
    high = arith::SelectOp::create(b, frame.loc, inside, high, eval.i64(0));
  eval.lanes = lanes;
  Dim length = productOf(inVectors(reduced(), lanes));
  std::optional<int64_t> most;
  if (length.isStatic())
    most = llvm::divideCeil(llvm::divideCeil(length.constant(), parts), int64_t(group.rows) * steps);
  SmallVector<bool> isSum(reduction.size(), isFloatSum(loops.reduction));
  auto step = [&](Value first, const Accumulators &carried) {
    Accumulators values(carried);
    for (unsigned i = 0; i < steps; ++i) {
      eval.nextPlace();
      SmallVector<Index> place(point);
      llvm::append_range(place, vectorAt(eval.add(first, eval.i64(i * group.rows)), reduced()));
      values = reduction.step(values, place, {});
    }
    return values;
  };
  Accumulators values = loopInChains(frame, low, high, group.rows * steps, most, reduction.neutral(), isSum, step);
  eval.nextPlace();
  values = reduction.acrossLanes(values);
  eval.lanes = 1;
  return values;
}

/// Returns the indices of the vector with this number.
SmallVector<Index> LoopsEmitter::vectorAt(Value number, ArrayRef<Dim> extents) {
  SmallVector<Index> place = frame.indicesOf(number, inVectors(extents, lanes));
  if (lanes > 1)
    place.back() = {frame.eval.mul(place.back().base, frame.eval.i64(lanes)), 1, {}};
  return place;
}

SmallVector<Index> LoopsEmitter::pointsOf(Value number) {
  frame.eval.lanes = lanes;
  return vectorAt(number, parallel());
}

/// Returns the number of the thread's point, and whether it is in range.
LoopsEmitter::Place LoopsEmitter::placeOf(Value block) {
  PointEvaluator &eval = frame.eval;
  // Threads of one column share a point. They are adjacent if there is one column, else `columns` apart.
  Value inBlock = group.columns > 1 ? frame.remainder(frame.thread, group.columns) : frame.divide(frame.thread, group.rows);
  if (group.rows == 1)
    inBlock = frame.thread;
  Value number = eval.add(eval.mul(block, eval.i64(pointsPerBlock())), inBlock);
  return {number, frame.isBelow(number, eval.extent(vectors()))};
}

/// True if the kernel is persistent: without a reduction, or for reduced rows, if it has more blocks than run at once. Other
/// reductions have indices of several dimensions, which would occupy registers throughout the loop.
bool LoopsEmitter::isPersistent() const {
  bool isOfRows = group.columns == 1 && group.rows > 1;
  return parts == 1 && (!loops.reduction || isOfRows) && frame.exceedsOneWave(vectors(), unit());
}

/// Emits the points that a block's threads have at once. All loads precede the first store.
void LoopsEmitter::emitChunk(Value chunk) {
  PointEvaluator &eval = frame.eval;
  if (steps == 1) {
    Place place = placeOf(chunk);
    return frame.when(place.inside, [&] { storeResults(frame, loops, pointsOf(place.number)); });
  }
  std::vector<std::pair<SmallVector<Index>, SmallVector<Value>>> points;
  for (unsigned i = 0; i < steps; ++i) {
    Value number = eval.add(eval.mul(chunk, eval.i64(steps)), eval.i64(i));
    number = eval.add(eval.mul(number, eval.i64(threads)), frame.thread);
    eval.nextPoint();
    SmallVector<Index> point = pointsOf(number);
    points.push_back({point, resultsAt(frame, loops, point)});
  }
  for (auto &[point, values] : points)
    storeResults(frame, loops, point, values);
}

/// Emits one reduction per thread.
void LoopsEmitter::emitPoints(Value block) {
  Place place = placeOf(block);
  frame.when(place.inside, [&] {
    SmallVector<Index> point = frame.indicesOf(place.number, parallel());
    Reduction reduction(loops.reduction, frame.eval);
    Accumulators values = reduce(reduction, point, frame.eval.i64(0));
    frame.eval.nextPoint();
    frame.eval.reduced[loops.reduction.getResult()] = reduction.result(values);
    storeResults(frame, loops, point);
  });
}

/// Emits one reduction per group of threads, or a part of one. All threads reach the barriers; a thread past the end reduces
/// nothing and stores nothing.
void LoopsEmitter::emitGroups(Value block) {
  PointEvaluator &eval = frame.eval;
  int64_t blocks = parts > 1 ? llvm::divideCeil(points().constant(), int64_t(pointsPerBlock())) : 1;
  Value part = parts > 1 ? frame.divide(block, blocks) : eval.i64(0);
  Place place = placeOf(parts > 1 ? frame.remainder(block, blocks) : block);
  Value last = eval.sub(eval.extent(points()), eval.i64(1));
  SmallVector<Index> point = frame.indicesOf(eval.min(place.number, last), parallel());
  Reduction reduction(loops.reduction, eval);
  Accumulators values = combineGroup(frame, reduction, reduce(reduction, point, part, place.inside), group);
  Value row = group.columns > 1 ? frame.divide(frame.thread, group.columns) : frame.remainder(frame.thread, group.rows);
  Value isFirst = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, row, eval.i64(0));
  frame.when(arith::AndIOp::create(b, frame.loc, place.inside, isFirst), [&] {
    if (parts > 1) {
      Parts memory(frame, values, points().constant(), parts);
      scratchBytes = memory.bytes();
      return memory.store(values, part, place.number);
    }
    eval.nextPoint();
    eval.reduced[loops.reduction.getResult()] = reduction.result(values);
    storeResults(frame, loops, point);
  });
}

KernelCode LoopsEmitter::emit() {
  frame.eval.alignsVectors = true; // applies where there are vectors
  frame.eachBlock(isPersistent(), frame.divideUp(frame.eval.extent(vectors()), unit()), [&](Value block) {
    !loops.reduction ? emitChunk(block) : group.rows == 1 ? emitPoints(block) : emitGroups(block);
  });
  frame.hoistLoads();
  KernelCode code =
      frame.finish(loops.symbols, vectors(),
                   group.rows > 1                  ? std::to_string(group.rows) + " threads for each result"
                   : lanes > 1 && !loops.reduction ? "a thread for each " + std::to_string(lanes) + " contiguous elements"
                                                   : "a thread for each point");
  code.unit = unit();
  code.isPersistent = isPersistent();
  if (loops.reduction && lanes > 1)
    code.form += ", " + std::to_string(lanes) + " contiguous elements";
  if (steps > 1)
    code.form += ", " + std::to_string(steps) + " at once";
  if (parts > 1) {
    code.extent = Dim(parts * llvm::divideCeil(points().constant(), int64_t(pointsPerBlock())));
    code.unit = 1;
    code.second = emitCombination(kernel, loops, place, words, points().constant(), parts, /*isExact=*/true, lanes);
    code.scratchBytes = scratchBytes;
    code.form += " in " + std::to_string(parts) + " parts";
  }
  return code;
}

class LoopsForm : public FormOf<LoopsSchedule> {
public:
  LoopsForm() : FormOf("loops") {}

  bool takes(KernelOp kernel, const Target &) const override { return isOfNests(kernel); }

private:
  FailureOr<LoopsSchedule> chooseFor(KernelOp kernel, const Target &) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    if (failed(loops))
      return failure();
    return chooseLoops(kernel, *loops);
  }
  LogicalResult check(KernelOp kernel, const LoopsSchedule &schedule, const Target &) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    return failed(loops) ? failure() : checkLoops(kernel, *loops, schedule);
  }
  FailureOr<KernelCode> emitBy(KernelOp kernel, const LoopsSchedule &schedule, const FunctionPlace &place) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    if (failed(loops))
      return failure();
    return LoopsEmitter(kernel, std::move(*loops), schedule, place).emit();
  }
};
} // namespace

const Form &lathe::gpu::loopsForm() {
  static const LoopsForm form;
  return form;
}
