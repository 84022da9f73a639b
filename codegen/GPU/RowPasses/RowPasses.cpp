// The code of a kernel over rows:
//
//   for row of the group of `threads_per_row` threads      // a loop only if there are more rows than run at once
//     for pass
//       compute the values with one element per row that the pass reads
//       for every threads_per_row-th vector of the row, from the thread's own on
//         keep values for later passes, in the buffer of a result or in shared memory
//         accumulators = step(accumulators, elements)
//         store the results that are complete
//       combine the accumulators of the group's threads
//     first thread: store the results with one element per row
//
// A thread has the same elements in all passes, so that it reads only what it has kept itself. With `steps` > 0 the vectors
// stay in registers and there is no loop over them: the row is loaded once.
#include "codegen/GPU/RowPasses/RowPasses.h"
#include "codegen/GPU/RowPasses/Choice.h"
#include "codegen/GPU/Threads/ChainLoop.h"
#include "codegen/GPU/Threads/GroupReduction.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Accumulators = Reduction::Accumulators;

namespace {
/// A vector of the row that a thread keeps in registers.
struct Step {
  SmallVector<Index> place; // its indices in the row
  Value inside;             // true if it is inside the row; null if all threads' are
  PointEvaluator::Known known;
};

class RowPassesEmitter {
public:
  RowPassesEmitter(KernelOp kernel, RowPlan rowPlan, const RowPassesSchedule &schedule, const FunctionPlace &place)
      : plan(std::move(rowPlan)), thread(place.target.thread()), lanes(schedule.lanes), held(schedule.steps),
        perRow(schedule.threadsPerRow), threads(schedule.threads), b(kernel.getContext()), words(wordsOf(kernel, plan.symbols)),
        frame(kernel, plan.symbols, makeFunction(kernel, place.module, place.name, words, threads), threads, thread, b),
        eval(frame.eval), rows(productOf(plan.rowExtents())) {}

  KernelCode emit();

private:
  unsigned rowsPerBlock() const { return threads / perRow; }
  void placeBuffers();
  void makeRowValues(unsigned pass);
  void emitPass(RowPass &pass);
  void emitHeldPass(RowPass &pass);
  void makeSteps();
  SmallVector<Value> reduce(RowPass &pass, ArrayRef<Reduction> reductions, ValueRange carried);
  SmallVector<Index> inLine(Value number);
  SmallVector<Value> valuesOf(ArrayRef<unsigned> results);
  void store(ArrayRef<unsigned> results, ArrayRef<Value> values);
  SmallVector<Value> begin(RowPass &pass, SmallVector<Reduction> &reductions);
  void combine(RowPass &pass, ArrayRef<Reduction> reductions, ValueRange sums);
  void keep(RowBuffer &buffer, Value value);
  void storeRow();
  void emitRows(Value block);
  void emitRow(Value number);
  void groupBarrier();

  RowPlan plan;
  VectorTarget thread;
  unsigned lanes, held, perRow, threads; // of the RowPassesSchedule
  OpBuilder b;
  unsigned words;
  ThreadFrame frame;
  PointEvaluator &eval;
  const Dim rows;
  Value inRow;                                   // the thread's number in its group
  Value isInside;                                // true if there is a row for the group; null if there always is
  SmallVector<Index> place;                      // indices of the row, then in the row
  DenseMap<Value, PointEvaluator::Kept> buffers; // where values live between passes
  std::vector<Step> steps;                       // the vectors of a row in registers
  bool readsOthers = false;                      // true if threads past a row's end read elements of another thread
};

/// Emits a barrier for the group's threads.
void RowPassesEmitter::groupBarrier() { perRow <= kWarp ? frame.warpBarrier() : frame.barrier(); }

void RowPassesEmitter::placeBuffers() {
  unsigned number = 0;
  for (RowBuffer &buffer : plan.buffers) {
    Value value = buffer.value.getResult();
    auto type = cast<RankedTensorType>(value.getType());
    if (buffer.result) {
      buffers[value] = {frame.outputs[*buffer.result], type, llvm::to_vector(llvm::seq<unsigned>(0, plan.full.size()))};
      continue;
    }
    Type stored = type.getElementType().isInteger(1) ? b.getI8Type() : eval.registerType(scalarOf(type.getElementType()));
    int64_t size = *plan.rowSize();
    Value memory = frame.shared("row" + std::to_string(number++), stored, size * rowsPerBlock());
    Value start = eval.mul(frame.divide(frame.thread, perRow), eval.i64(size));
    buffers[value] = {frame.at(memory, stored, start), tensorOf(plan.innerExtents(), type.getElementType()),
                      llvm::to_vector(llvm::seq<unsigned>(plan.rank, plan.full.size()))};
  }
}

/// Computes the values with one element per row that this pass may read, once per row instead of once per element.
void RowPassesEmitter::makeRowValues(unsigned pass) {
  auto inBuffers = std::exchange(eval.kept, decltype(eval.kept)()); // values within the row are computed here, not loaded
  for (NestOp nest : plan.rowValues)
    if (plan.isKnownBefore(nest.getResult(), pass) && !eval.reduced.count(nest.getResult())) {
      // A group without a row reads nothing, because another group may write there.
      Value value = eval.tensor(nest.getResult(), ArrayRef(place).take_front(plan.rank), isInside);
      eval.reduced[nest.getResult()] = value;
    }
  eval.kept = std::move(inBuffers);
}

void RowPassesEmitter::keep(RowBuffer &buffer, Value value) {
  const PointEvaluator::Kept &kept = buffers.find(buffer.value.getResult())->second;
  SmallVector<Index> inBuffer;
  for (unsigned dim : kept.dims)
    inBuffer.push_back(place[dim]);
  eval.store(value, kept.buffer, kept.type, inBuffer);
}

/// Returns the indices in the row of this element, or of the vector that begins with it.
SmallVector<Index> RowPassesEmitter::inLine(Value number) {
  if (lanes > 1)
    return {{number, 1, {}}};
  return frame.indicesOf(number, plan.innerExtents());
}

/// Returns the accumulators of a pass after one more element.
SmallVector<Value> RowPassesEmitter::reduce(RowPass &pass, ArrayRef<Reduction> reductions, ValueRange carried) {
  SmallVector<Value> next;
  for (auto [nest, reduction] : llvm::zip_equal(pass.reductions, reductions)) {
    llvm::SaveAndRestore<Location> line(eval.loc, nest.getLoc());
    Accumulators values(carried.slice(next.size(), reduction.size()));
    llvm::append_range(next, reduction.step(values, place, {}));
  }
  return next;
}

SmallVector<Value> RowPassesEmitter::valuesOf(ArrayRef<unsigned> results) {
  return llvm::map_to_vector(results, [&](unsigned result) { return eval.tensor(plan.roots[result], place); });
}

void RowPassesEmitter::store(ArrayRef<unsigned> results, ArrayRef<Value> values) {
  for (auto [result, value] : llvm::zip_equal(results, values))
    eval.store(value, frame.outputs[result], cast<RankedTensorType>(plan.roots[result].getType()), place);
}

/// Creates the pass's reductions. Returns their accumulators before the first element.
SmallVector<Value> RowPassesEmitter::begin(RowPass &pass, SmallVector<Reduction> &reductions) {
  SmallVector<Value> neutral;
  eval.lanes = lanes;
  for (NestOp nest : pass.reductions) {
    reductions.emplace_back(nest, eval);
    llvm::append_range(neutral, reductions.back().neutral());
  }
  return neutral;
}

/// Combines the accumulators of the group's threads into the pass's reduced values.
void RowPassesEmitter::combine(RowPass &pass, ArrayRef<Reduction> reductions, ValueRange sums) {
  for (auto [nest, reduction] : llvm::zip_equal(pass.reductions, reductions)) {
    llvm::SaveAndRestore<Location> line(eval.loc, nest.getLoc());
    Accumulators own = reduction.acrossLanes(Accumulators(sums.take_front(reduction.size())));
    Accumulators total = combineGroup(frame, reduction, own, {1, perRow});
    sums = sums.drop_front(reduction.size());
    eval.reduced[nest.getResult()] = reduction.result(total);
  }
  eval.lanes = 1;
}

/// Emits a pass that goes through memory. A group without a row skips the loop, but reaches the barriers.
void RowPassesEmitter::emitPass(RowPass &pass) {
  SmallVector<Reduction> reductions;
  SmallVector<Value> carry = begin(pass, reductions);
  Value length = eval.extent(productOf(plan.innerExtents()));
  length = arith::SelectOp::create(b, frame.loc, isInside, length, eval.i64(0));
  Value first = eval.mul(inRow, eval.i64(lanes));
  SmallVector<bool> isSum;
  for (auto [nest, reduction] : llvm::zip_equal(pass.reductions, reductions))
    isSum.append(reduction.size(), isFloatSum(nest));
  std::optional<int64_t> most = plan.rowSize();
  if (most)
    most = llvm::divideCeil(*most, int64_t(perRow) * lanes);
  auto step = [&](Value at, const CodeFrame::Carry &carried) {
    eval.nextPlace();
    place.truncate(plan.rank);
    llvm::append_range(place, inLine(at));
    SmallVector<std::pair<RowBuffer *, Value>> keeps; // stored after all loads: a buffer may be that of an input
    for (RowBuffer &buffer : plan.buffers)
      if (llvm::is_contained(pass.keeps, buffer.value))
        keeps.emplace_back(&buffer, eval.tensor(buffer.value.getResult(), place));
    SmallVector<Value> next = reduce(pass, reductions, carried), stored = valuesOf(pass.stores);
    for (auto [buffer, value] : keeps)
      keep(*buffer, value);
    store(pass.stores, stored);
    return next;
  };
  CodeFrame::Carry sums = loopInChains(frame, first, length, perRow * lanes, most, carry, isSum, step);
  eval.nextPlace();
  combine(pass, reductions, sums);
  groupBarrier();
  for (NestOp value : pass.keeps)
    eval.kept[value.getResult()] = buffers[value.getResult()];
}

/// Sets the vectors of the row that a thread keeps. A vector past the end is replaced by the thread's first one, which no other
/// thread writes. Threads without any vector read the last one of the row.
void RowPassesEmitter::makeSteps() {
  int64_t count = *plan.rowSize() / lanes;
  readsOthers = count < perRow;
  steps.resize(held);
  for (auto [i, step] : llvm::enumerate(steps)) {
    Value number = eval.add(inRow, eval.i64(i * perRow));
    if (int64_t((i + 1) * perRow) > count) {
      step.inside = frame.isBelow(number, eval.i64(count));
      Value own = count < perRow ? eval.min(inRow, eval.i64(count - 1)) : inRow;
      number = arith::SelectOp::create(b, frame.loc, step.inside, number, own);
    }
    step.place = inLine(eval.mul(number, eval.i64(lanes)));
  }
}

/// Emits a pass over the vectors in registers. Values that it evaluates stay known to later passes. All loads precede the first
/// store, so that they are in flight together. If a result overwrites an input, the thread that writes an element is the only
/// one that reads it, so that no barrier is needed unless some threads read another's.
void RowPassesEmitter::emitHeldPass(RowPass &pass) {
  SmallVector<unsigned> stores(pass.stores);
  for (RowBuffer &buffer : plan.buffers)
    if (llvm::is_contained(pass.keeps, buffer.value))
      stores.push_back(*buffer.result);
  SmallVector<Reduction> reductions;
  SmallVector<Value> sums = begin(pass, reductions);
  std::vector<SmallVector<Value>> values;
  for (Step &step : steps) {
    place.truncate(plan.rank);
    llvm::append_range(place, step.place);
    eval.exchangeKnown(step.known);
    SmallVector<Value> next = reduce(pass, reductions, sums);
    for (auto [sum, with] : llvm::zip_equal(sums, next))
      sum = step.inside ? arith::SelectOp::create(b, frame.loc, step.inside, with, sum).getResult() : with;
    values.push_back(valuesOf(stores));
    eval.exchangeKnown(step.known);
  }
  if (!stores.empty() && readsOthers)
    groupBarrier();
  for (auto [step, stored] : llvm::zip_equal(steps, values)) {
    if (stores.empty())
      break;
    place.truncate(plan.rank);
    llvm::append_range(place, step.place);
    step.inside ? frame.when(step.inside, [&] { store(stores, stored); }) : store(stores, stored);
  }
  combine(pass, reductions, sums);
}

void RowPassesEmitter::storeRow() {
  Value isFirst = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, inRow, eval.i64(0));
  frame.when(eval.both(isInside, isFirst), [&] {
    makeRowValues(~0u);
    ArrayRef<Index> row = ArrayRef(place).take_front(plan.rank);
    SmallVector<Value> values; // all before the first store: an output may be an input's buffer
    for (unsigned result : plan.rowResults)
      values.push_back(eval.tensor(plan.roots[result], row));
    for (auto [result, value] : llvm::zip_equal(plan.rowResults, values))
      eval.store(value, frame.outputs[result], cast<RankedTensorType>(plan.roots[result].getType()), row);
  });
}

/// Emits the rows of a block's groups, one each.
void RowPassesEmitter::emitRows(Value block) {
  Value number = eval.add(eval.mul(block, eval.i64(rowsPerBlock())), frame.divide(frame.thread, perRow));
  Value count = eval.extent(rows);
  if (held) {
    bool hasEach = rowsPerBlock() == 1 || (rows.isStatic() && rows.constant() % rowsPerBlock() == 0);
    return hasEach ? emitRow(number) : frame.when(frame.isBelow(number, count), [&] { emitRow(number); });
  }
  isInside = frame.isBelow(number, count);
  emitRow(eval.min(number, eval.sub(count, eval.i64(1))));
}

void RowPassesEmitter::emitRow(Value number) {
  inRow = frame.remainder(frame.thread, perRow);
  place = frame.indicesOf(number, plan.rowExtents());
  held ? makeSteps() : placeBuffers();
  for (auto [number, pass] : llvm::enumerate(plan.passes)) {
    makeRowValues(number);
    held ? emitHeldPass(pass) : emitPass(pass);
  }
  storeRow();
}

KernelCode RowPassesEmitter::emit() {
  frame.wantRegisters();
  eval.alignsVectors = true; // applies where there are vectors
  bool isPersistent = frame.exceedsOneWave(rows, rowsPerBlock());
  frame.eachBlock(isPersistent, frame.divideUp(eval.extent(rows), rowsPerBlock()), [&](Value block) { emitRows(block); });
  frame.hoistLoads();
  KernelCode code = frame.finish(plan.symbols, rows,
                                 std::to_string(perRow) + " threads for each row" +
                                     (held ? ", which they keep in " + std::to_string(held) + " steps" : ""));
  code.unit = rowsPerBlock();
  code.isPersistent = isPersistent;
  return code;
}

class RowPassesForm : public FormOf<RowPassesSchedule> {
public:
  RowPassesForm() : FormOf("row_passes") {}

  bool takes(KernelOp kernel, const Target &) const override { return kernel->hasAttr(kRowsAttr); }

private:
  FailureOr<RowPassesSchedule> chooseFor(KernelOp kernel, const Target &) const override {
    return chooseRowPasses(RowKernel(kernel));
  }
  LogicalResult check(KernelOp kernel, const RowPassesSchedule &schedule, const Target &) const override {
    return checkRowPasses(RowKernel(kernel), schedule);
  }
  std::string describeBy(KernelOp kernel, const RowPassesSchedule &schedule) const override {
    FailureOr<RowPlan> plan = planOf(kernel, schedule);
    return succeeded(plan) ? plan->describe(schedule.steps > 0) : "";
  }
  FailureOr<KernelCode> emitBy(KernelOp kernel, const RowPassesSchedule &schedule, const FunctionPlace &place) const override {
    FailureOr<RowPlan> plan = planOf(kernel, schedule);
    if (failed(plan))
      return failure();
    return RowPassesEmitter(kernel, std::move(*plan), schedule, place).emit();
  }
  static FailureOr<RowPlan> planOf(KernelOp kernel, const RowPassesSchedule &schedule) {
    return RowPlan::of(RowKernel(kernel), schedule.passes, schedule.keptBytes());
  }
};
} // namespace

const Form &lathe::gpu::rowPassesForm() {
  static const RowPassesForm form;
  return form;
}
