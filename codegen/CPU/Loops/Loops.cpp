// The code of a kernel of nests, with vectors along a parallel loop (left) or along the reduction (right):
//
//   for parallel loops but the vectorised one             for parallel loops
//     for `vectors * lanes` points                          accumulators = neutral        // one for each lane
//       accumulators = neutral                              for outer reduction loops
//       for reduction loops, in chains of long sums           for `vectors * lanes` elements
//         accumulators = step(accumulators, point)              accumulators = step(accumulators, element)
//       results[points] = epilogue(accumulators)            results[point] = epilogue(across lanes(accumulators))
//     for the remainder, `lanes` points, lanes past the end masked off     // likewise for elements
//
// Threads share the points of the outermost parallel loops that are not vectorised (sharedLoops). If there are none, the
// vectorised loop is divided into work items of `piece` elements. Loops of one step are left out.
//
// If several rows of results read the same terms, `rows` of them have their accumulators side by side:
//
//   for parallel loops but the vectorised one, `rows` indices of `row_loop` at once
//     for `vectors * lanes` points
//       accumulators = neutral                                  // of each row
//       for reduction loops
//         for row: accumulators of the row = step(accumulators of the row, point)
//       for row: results[points] = epilogue(accumulators of the row)
//
// A long body without a reduction may be divided into stages (`keep`):
//
//   for blocks of points
//     for `vectors * lanes` points     kept[point] = first stage        // each stage stores one value on the stack
//     for `vectors * lanes` points     results[point] = last stage      // reads the kept values in place of computing them
//
// The loop along the dimension of a concatenation goes over its parts one after the other if the schedule says so (`parts`).
#include "codegen/CPU/Loops/Loops.h"
#include "codegen/CPU/Loops/Choice.h"
#include "codegen/CPU/Loops/Parts.h"
#include "codegen/CPU/Loops/Stages.h"
#include "codegen/CPU/Sums/LongSum.h"
#include "codegen/CPU/Tiles/Frame.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Points/Reduction.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {

/// Returns the outermost of the `parallel` first loops, without the vectorised one and those of one step, as long as they give
/// fewer work items than many threads could share and enough work is left for an item. A named number of steps counts as 1,
/// since it may be.
SmallVector<unsigned> sharedLoops(ArrayRef<Dim> counts, unsigned parallel, std::optional<unsigned> vectorDim) {
  auto known = [&](unsigned dim) { return counts[dim].isStatic() ? counts[dim].constant() : 1; };
  int64_t inside = 1, items = 1;
  for (unsigned dim = 0; dim < counts.size(); ++dim)
    inside *= std::max<int64_t>(known(dim), 1);
  SmallVector<unsigned> shared;
  for (unsigned dim = 0; dim < parallel; ++dim) {
    if (dim == vectorDim || counts[dim].isStatic(1))
      continue;
    inside /= std::max<int64_t>(known(dim), 1);
    if (!shared.empty() && (items >= tuning::kSharedItems || inside < tuning::kLeastItemElements))
      break;
    shared.push_back(dim);
    items *= known(dim);
  }
  return shared;
}

/// Emits the loops of one kernel.
class LoopsEmitter {
public:
  LoopsEmitter(KernelOp kernel, KernelLoops kernelLoops, const LoopsSchedule &schedule, const FunctionPlace &at)
      : frame(kernel, std::move(kernelLoops), at.function, at.target, at.builder), eval(frame.eval), loops(frame.loops),
        schedule(schedule), narrow(schedule.lanes), wide(schedule.lanes * schedule.vectors) {
    if (schedule.vectorLoop >= 0)
      vectorDim = schedule.vectorLoop;
    if (schedule.parts >= 0)
      parts.emplace(frame, nestAt(kernel, schedule.parts));
    counts = loops.extents;
    if (schedule.rows > 1)
      counts[schedule.rowLoop] = Dim(counts[schedule.rowLoop].constant() / schedule.rows);
    shared = sharedLoops(counts, loops.parallel, vectorDim);
    for (unsigned dim : shared)
      sharedCounts.push_back(counts[dim]);
    for (int64_t number : schedule.keep)
      stages.push_back(nestAt(kernel, number));
  }

  KernelCode emit();

private:
  void sharedLoop();
  void innerLoops(unsigned dim);
  void lastLoop();
  void vectorLoop(Value low, Value length, bool isWhole, function_ref<void()> body);
  void stagedLoop(Value low, Value length);
  void point();
  Index firstOf(unsigned dim, Index step);
  void forRows(function_ref<void(unsigned)> body);
  Reduction::Accumulators stepRows(const Reduction &reduction, const Reduction::Accumulators &values, Value mask);
  Reduction::Accumulators reduceLoops(const Reduction &reduction);
  Reduction::Accumulators reduceAlong(unsigned dim, unsigned steps, const Reduction &reduction, Value low, Value high,
                                      bool isLast, Reduction::Accumulators values);

  bool vectorIsParallel() const { return vectorDim && *vectorDim < loops.parallel; }
  Value lanesBelow(Value high, Value first);

  KernelFrame frame;
  PointEvaluator &eval;
  KernelLoops &loops;
  const LoopsSchedule &schedule;
  std::optional<unsigned> vectorDim;
  std::optional<Parts> parts;
  SmallVector<unsigned> shared;   // the loops whose points are the work items; empty if these are pieces of the vectorised loop
  Dims counts, sharedCounts;      // steps of all loops, if the vectorised one went over single points, and of the shared ones
  unsigned narrow, wide;          // lanes of the remainder loop and of the main loop
  SmallVector<Index> place;       // index of every loop
  SmallVector<NestOp> stages;     // the values that earlier stages compute
  SmallVector<Value> stageStacks; // and their memory
};

/// Returns the mask of the lanes below `high` in the vector that begins at `first`.
Value LoopsEmitter::lanesBelow(Value high, Value first) {
  Value left = eval.splat(eval.sub(high, first));
  return arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::slt, eval.iota(), left);
}

/// Emits a main loop of `wide` lanes, then one of `narrow` lanes with lanes past the end masked off, unless the length is known
/// to be a multiple of `wide`.
void LoopsEmitter::vectorLoop(Value low, Value length, bool isWhole, function_ref<void()> body) {
  Value high = eval.add(low, length);
  auto run = [&](unsigned lanes, Value from, Value to, bool masked) {
    frame.loop(from, to, lanes, [&](Value first) {
      eval.lanes = lanes;
      place[*vectorDim] = {first, 1, {}};
      if (masked)
        eval.tail = lanesBelow(high, first);
      body();
      eval.tail = {};
    });
  };
  if (isWhole)
    return run(wide, low, high, false);
  Value whole = eval.sub(length, frame.b.createOrFold<arith::RemSIOp>(frame.loc, length, eval.i64(wide)));
  Value middle = eval.add(low, whole);
  run(wide, low, middle, false);
  IntegerAttr rest;
  if (matchPattern(eval.sub(length, whole), m_Constant(&rest)) && rest.getInt() == 0)
    return;
  run(narrow, middle, high, true);
}

/// Emits the stages of blocks of the vectorised loop, one after the other. The kept values of a block are on the stack.
void LoopsEmitter::stagedLoop(Value low, Value length) {
  constexpr int64_t kBlock = tuning::kStagedPoints;
  IntegerAttr known;
  bool isWhole = matchPattern(length, m_Constant(&known)) && known.getInt() % kBlock == 0;
  Value high = eval.add(low, length), block = eval.i64(kBlock);
  frame.loop(low, high, kBlock, [&](Value first) {
    Value points = isWhole ? block : eval.min(block, eval.sub(high, first));
    for (auto [stage, stack] : llvm::zip_equal(stages, stageStacks)) {
      Type element = cast<RankedTensorType>(stage.getType()).getElementType();
      auto type = RankedTensorType::get({kBlock}, element);
      Value buffer = frame.at(stack, element, eval.sub(eval.i64(0), first)); // the loop's index is that of the result
      vectorLoop(first, points, /*isWhole=*/false, [&] {
        eval.nextPoint();
        Value value = eval.tensor(stage.getResult(), ArrayRef(place).take_front(loops.parallel));
        eval.store(value, buffer, type, place[*vectorDim]);
      });
      eval.kept[stage.getResult()] = {buffer, type, {*vectorDim}};
    }
    vectorLoop(first, points, /*isWhole=*/false, [&] { point(); });
    eval.kept.clear();
  });
}

/// Emits the loop over the call's work items.
void LoopsEmitter::sharedLoop() {
  for (Index &index : place)
    index = eval.uniform(eval.i64(0));
  if (shared.empty())
    return innerLoops(0);
  frame.loop(frame.begin, frame.end, 1, [&](Value item) {
    SmallVector<Index> indices = frame.indicesOf(item, sharedCounts);
    for (auto [dim, index] : llvm::zip_equal(shared, indices))
      place[dim] = firstOf(dim, index);
    if (parts && llvm::is_contained(shared, parts->dim))
      return parts->at(place, [&] { innerLoops(0); });
    innerLoops(0);
  });
}

/// Emits the other parallel loops from `dim` on.
void LoopsEmitter::innerLoops(unsigned dim) {
  if (dim == loops.parallel)
    return lastLoop();
  if (vectorDim == dim || llvm::is_contained(shared, dim) || counts[dim].isStatic(1))
    return innerLoops(dim + 1);
  Value first = eval.i64(0), end = eval.extent(counts[dim]);
  auto run = [&](Value low, Value high) {
    frame.loop(low, high, 1, [&](Value index) {
      place[dim] = firstOf(dim, eval.uniform(index));
      innerLoops(dim + 1);
    });
  };
  if (parts && parts->dim == dim)
    return parts->each(first, end, place, run);
  run(first, end);
}

/// Emits the vectorised parallel loop, if there is one.
void LoopsEmitter::lastLoop() {
  if (!vectorIsParallel())
    return point();
  Value low = eval.i64(0), length = eval.extent(loops.extents[*vectorDim]);
  if (shared.empty()) {
    low = eval.mul(frame.begin, eval.i64(schedule.piece));
    length = eval.sub(eval.min(eval.mul(frame.end, eval.i64(schedule.piece)), length), low);
  }
  if (!stages.empty())
    return stagedLoop(low, length);
  if (!parts || parts->dim != *vectorDim) {
    const Dim extent = loops.extents[*vectorDim];
    bool isWhole = extent.isStatic() && extent.constant() % wide == 0 && schedule.piece % wide == 0;
    return vectorLoop(low, length, isWhole, [&] { point(); });
  }
  parts->each(low, eval.add(low, length), place,
              [&](Value first, Value end) { vectorLoop(first, eval.sub(end, first), /*isWhole=*/false, [&] { point(); }); });
}

/// Returns the first index of a step of a loop.
Index LoopsEmitter::firstOf(unsigned dim, Index step) {
  return schedule.rows > 1 && dim == schedule.rowLoop ? eval.uniform(eval.mul(eval.materialize(step), eval.i64(schedule.rows)))
                                                      : step;
}

/// Calls the body at a new point for each of the rows that are computed at once.
void LoopsEmitter::forRows(function_ref<void(unsigned)> body) {
  if (schedule.rows == 1) {
    eval.nextPoint();
    return body(0);
  }
  Index &index = place[schedule.rowLoop];
  Index first = index;
  for (unsigned row = 0; row < schedule.rows; ++row) {
    eval.nextPoint();
    index = eval.uniform(eval.add(eval.materialize(first), eval.i64(row)));
    body(row);
  }
  index = first;
}

/// Emits one point of the parallel loops, or a vector of points if one of them is vectorised, in each row.
void LoopsEmitter::point() {
  if (!vectorIsParallel())
    eval.lanes = 1;
  eval.nextPoint();
  auto parallel = ArrayRef(place).take_front(loops.parallel);
  if (!loops.reduction)
    return frame.storeResults(parallel);
  Reduction reduction(loops.reduction, eval);
  Reduction::Accumulators all = reduceLoops(reduction);
  size_t size = all.size() / schedule.rows; // fewer than before where lanes are combined
  forRows([&](unsigned row) {
    Reduction::Accumulators values(ArrayRef(all).slice(row * size, size));
    frame.finish(loops.reduction.getResult(), reduction.result(values), parallel);
  });
}

/// Adds a point of each row to its accumulators.
Reduction::Accumulators LoopsEmitter::stepRows(const Reduction &reduction, const Reduction::Accumulators &values, Value mask) {
  Reduction::Accumulators next;
  forRows([&](unsigned row) {
    Reduction::Accumulators own(ArrayRef(values).slice(row * reduction.size(), reduction.size()));
    llvm::append_range(next, reduction.step(own, place, mask));
  });
  return next;
}

/// Emits the loops over the reduction dimensions. If lanes go along the reduction, the vectorised loop is the innermost, and
/// the lanes' accumulators are live across all loops.
Reduction::Accumulators LoopsEmitter::reduceLoops(const Reduction &reduction) {
  const bool alongLanes = vectorDim && !vectorIsParallel();
  auto neutral = [&] {
    Reduction::Accumulators ofRow = reduction.neutral(), ofRows;
    for (int64_t row = 0; row < schedule.rows; ++row)
      llvm::append_range(ofRows, ofRow);
    return ofRows;
  };
  if (loops.parallel == loops.extents.size())
    return stepRows(reduction, neutral(), {});
  unsigned row = alongLanes ? *vectorDim : loops.extents.size() - 1;
  SmallVector<unsigned> outer;
  for (unsigned dim = loops.parallel; dim < loops.extents.size(); ++dim)
    if (dim != row)
      outer.push_back(dim);
  if (alongLanes)
    eval.lanes = wide;
  SmallVector<bool> isSum(reduction.size() * schedule.rows, isFloatSum(loops.reduction));
  LongSum::Loops sumLoops{{}, loops.extents[row], alongLanes ? wide : 1};
  for (unsigned dim : outer)
    sumLoops.outer.push_back(loops.extents[dim]);
  LongSum sum(frame, frame.function, reduction.sumsProducts() && !alongLanes ? kProductOrder : kTermOrder, sumLoops, isSum);
  unsigned steps = sum.isLong() ? schedule.steps : 1;
  auto enter = [&](unsigned i, Value iv) { place[outer[i]] = eval.uniform(iv); };
  auto add = [&](Value low, Value high, bool isLast, LongSum::Values values) {
    return reduceAlong(row, steps, reduction, low, high, isLast, std::move(values));
  };
  eval.fetchDistance = schedule.fetch;
  Reduction::Accumulators total = sum.run(neutral(), enter, add);
  eval.fetchDistance = 0;
  if (!alongLanes)
    return total;
  total = reduction.acrossLanes(total);
  eval.lanes = 1;
  return total;
}

/// Adds the elements [low, high) of a reduction dimension to the accumulators, with the loop unrolled by `steps`. Lanes past
/// the end are masked off in the last chain.
Reduction::Accumulators LoopsEmitter::reduceAlong(unsigned dim, unsigned steps, const Reduction &reduction, Value low,
                                                  Value high, bool isLast, Reduction::Accumulators values) {
  const bool isVector = vectorDim == dim;
  const int64_t width = isVector ? wide : 1;
  auto run = [&](Value to, unsigned count, bool isMasked) {
    values = frame.loop(low, to, count * width, values, [&](Value first, ValueRange carried) {
      Reduction::Accumulators next(carried);
      for (unsigned step = 0; step < count; ++step) {
        place[dim] = {eval.add(first, eval.i64(step * width)), isVector ? 1 : 0, {}};
        Value outside = eval.tail; // mask of a vectorised parallel loop
        if (isMasked)
          eval.tail = lanesBelow(high, first);
        next = stepRows(reduction, next, isVector ? eval.tail : Value());
        eval.tail = outside;
      }
      return next;
    });
    low = to;
  };
  auto isKnownEnd = [&](Value end) {
    IntegerAttr rest;
    return matchPattern(eval.sub(high, end), m_Constant(&rest)) && rest.getInt() == 0;
  };
  auto wholeOf = [&](int64_t length) {
    return eval.sub(high, frame.b.createOrFold<arith::RemSIOp>(frame.loc, eval.sub(high, low), eval.i64(length)));
  };
  if (!isLast) {
    run(high, steps, /*isMasked=*/false); // whole chains: their length is a multiple of any `steps`
    return values;
  }
  // If the extent is static, handle the remainder with each smaller unroll factor at most once.
  for (unsigned count = loops.extents[dim].isStatic() ? steps : 1; count > 0; count /= 2)
    if (Value end = wholeOf(count * width); end != low)
      run(end, count, /*isMasked=*/false);
  if (isVector && !isKnownEnd(low))
    run(high, 1, /*isMasked=*/true);
  return values;
}

KernelCode LoopsEmitter::emit() {
  place.resize(loops.extents.size());
  for (NestOp stage : stages)
    stageStacks.push_back(frame.stack(cast<RankedTensorType>(stage.getType()).getElementType(), tuning::kStagedPoints));
  sharedLoop();
  frame.close();
  KernelCode code;
  code.function = frame.function;
  code.symbols = loops.symbols;
  if (shared.empty() && vectorIsParallel()) {
    code.extent = loops.extents[*vectorDim];
    code.unit = schedule.piece;
  }
  for (const Dim &extent : sharedCounts)
    code.extent = code.extent * extent;
  for (const Dim &extent : loops.extents)
    code.work = code.work * extent;
  if (loops.reduction)
    code.threadWork = tuning::kThreadTerms;
  return code;
}

class LoopsForm : public FormOf<LoopsSchedule> {
public:
  LoopsForm() : FormOf("loops") {}

  bool takes(KernelOp kernel, const VectorTarget &) const override { return isOfNests(kernel); }

protected:
  FailureOr<LoopsSchedule> chooseFor(KernelOp kernel, const VectorTarget &target) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    if (failed(loops))
      return failure();
    return chooseLoops(kernel, *loops, target);
  }
  LogicalResult check(KernelOp kernel, const LoopsSchedule &schedule, const VectorTarget &target) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    return failed(loops) ? failure() : checkLoops(kernel, *loops, schedule, target);
  }
  FailureOr<KernelCode> emitBy(KernelOp kernel, const LoopsSchedule &schedule, const FunctionPlace &at) const override {
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    if (failed(loops))
      return failure();
    return LoopsEmitter(kernel, std::move(*loops), schedule, at).emit();
  }
};
} // namespace

const Form &lathe::cpu::loopsForm() {
  static const LoopsForm form;
  return form;
}
