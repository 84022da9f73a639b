// Kernels over rows: several passes over each row, by a group of threads that shares it. Each thread has every n-th element of
// the row in all passes, so that what a pass keeps is in its own hands; reductions are combined by the group. A row of known
// length that its threads' registers hold is read once; else each pass goes through memory.
#include "codegen/GPU/RowPasses/RowPasses.h"
#include "codegen/GPU/RowPasses/Choice.h"
#include "codegen/GPU/Threads/ChainLoop.h"
#include "codegen/GPU/Threads/GroupReduction.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Accumulators = Reduction::Accumulators;

namespace {
/// A part that a thread holds of its row.
struct Step {
  SmallVector<Index> place; // in the row
  Value inside;             // whether the row is so long; null where all are
  PointEvaluator::Known known;
};

class RowPassesEmitter {
public:
  RowPassesEmitter(KernelOp kernel, const RowPassesSchedule &schedule, const FunctionPlace &place)
      : plan(kernel), thread(place.target.thread()), lanes(schedule.lanes), held(schedule.steps),
        perRow(schedule.threadsPerRow), threads(schedule.threads), b(kernel.getContext()), words(wordsOf(kernel, plan.symbols)),
        frame(kernel, plan.symbols, makeFunction(kernel, place.module, place.name, words, threads), threads, thread, b),
        eval(frame.eval), rows(ThreadFrame::product(plan.rowExtents())) {}

  KernelCode emit();

private:
  unsigned rowsPerBlock() const { return threads / perRow; }
  void placeBuffers();
  void makeRowValues(unsigned level);
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
  unsigned lanes, held, perRow, threads; // RowPassesSchedule's
  OpBuilder b;
  unsigned words;
  ThreadFrame frame;
  PointEvaluator &eval;
  const Dim rows;
  Value inRow;                                   // the thread's number in its group
  Value isInside;                                // whether there is a row for the group; null where all that come have one
  SmallVector<Index> place;                      // of the row, then in it
  DenseMap<Value, PointEvaluator::Kept> buffers; // where values live between passes
  std::vector<Step> steps;                       // of a row in registers
  bool readsOthers = false;                      // whether threads behind a row's end read elements of another thread
};

/// The group's threads have all read and written what comes before.
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
    int64_t size = *plan.lineSize();
    Value memory = frame.shared("row" + std::to_string(number++), stored, size * rowsPerBlock());
    Value start = eval.mul(frame.divide(frame.thread, perRow), eval.i64(size));
    buffers[value] = {frame.at(memory, stored, start), tensorOf(plan.lineExtents(), type.getElementType()),
                      llvm::to_vector(llvm::seq<unsigned>(plan.rank, plan.full.size()))};
  }
}

/// Values with one element a row that this pass may read: once a row, not once an element.
void RowPassesEmitter::makeRowValues(unsigned level) {
  auto inBuffers = std::exchange(eval.kept, decltype(eval.kept)()); // places within the row are computed here
  for (NestOp nest : plan.rowValues)
    if (plan.levelOf(nest.getResult()) <= level && !eval.reduced.count(nest.getResult())) {
      // A group without a row reads none: another one may write what is read here.
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

/// Where an element, or a vector of neighbours, is that has this number in the row.
SmallVector<Index> RowPassesEmitter::inLine(Value number) {
  if (lanes > 1)
    return {{number, 1, {}}};
  return frame.indicesOf(number, plan.lineExtents());
}

/// What a pass reduces, with one more element.
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

/// The pass' reductions, and their accumulators before the first element.
SmallVector<Value> RowPassesEmitter::begin(RowPass &pass, SmallVector<Reduction> &reductions) {
  SmallVector<Value> neutral;
  eval.lanes = lanes;
  for (NestOp nest : pass.reductions) {
    reductions.emplace_back(nest, eval);
    llvm::append_range(neutral, reductions.back().neutral());
  }
  return neutral;
}

/// The group's reductions from those of its threads.
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

/// A group without a row goes through the loop no time, and meets the others all the same.
void RowPassesEmitter::emitPass(RowPass &pass) {
  SmallVector<Reduction> reductions;
  SmallVector<Value> carry = begin(pass, reductions);
  Value length = eval.extent(ThreadFrame::product(plan.lineExtents()));
  length = arith::SelectOp::create(b, frame.loc, isInside, length, eval.i64(0));
  Value first = eval.mul(inRow, eval.i64(lanes));
  SmallVector<bool> isSum;
  for (auto [nest, reduction] : llvm::zip_equal(pass.reductions, reductions))
    isSum.append(reduction.size(), isFloatSum(nest));
  std::optional<int64_t> most = plan.lineSize();
  if (most)
    most = llvm::divideCeil(*most, int64_t(perRow) * lanes);
  auto step = [&](Value at, const CodeFrame::Carry &carried) {
    eval.nextPlace();
    place.truncate(plan.rank);
    llvm::append_range(place, inLine(at));
    SmallVector<std::pair<RowBuffer *, Value>> keeps; // stored when all is read: a buffer may be that of an input
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

/// The places that a thread has of the row. One past the end is the thread's first, where nobody else writes; threads that have
/// none read the row's last element.
void RowPassesEmitter::makeSteps() {
  int64_t count = *plan.lineSize() / lanes;
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

/// What is evaluated at a step stays known for the passes behind, in registers. All is read before anything is stored, so that
/// reads are on their way together. Where a result takes an input's place the thread that writes an element is the only one
/// that reads it, and threads need not meet, unless some read another's.
void RowPassesEmitter::emitHeldPass(RowPass &pass) {
  SmallVector<unsigned> stores(pass.stores);
  for (RowBuffer &buffer : plan.buffers)
    if (plan.isOwnResult(buffer) && llvm::is_contained(pass.keeps, buffer.value))
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
    SmallVector<Value> values; // all before the first store: an output may be the buffer of an input
    for (unsigned result : plan.rowResults)
      values.push_back(eval.tensor(plan.roots[result], row));
    for (auto [result, value] : llvm::zip_equal(plan.rowResults, values))
      eval.store(value, frame.outputs[result], cast<RankedTensorType>(plan.roots[result].getType()), row);
  });
}

/// The rows of a block's groups, one each.
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
  for (RowPass &pass : plan.passes) {
    makeRowValues(pass.level);
    held ? emitHeldPass(pass) : emitPass(pass);
  }
  storeRow();
}

KernelCode RowPassesEmitter::emit() {
  frame.wantRegisters();
  eval.alignsVectors = true; // where there are vectors
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
    return chooseRowPasses(kernel, RowPlan(kernel));
  }
  LogicalResult check(KernelOp kernel, const RowPassesSchedule &schedule, const Target &) const override {
    return checkRowPasses(kernel, RowPlan(kernel), schedule);
  }
  FailureOr<KernelCode> emitBy(KernelOp kernel, const RowPassesSchedule &schedule, const FunctionPlace &place) const override {
    return RowPassesEmitter(kernel, schedule, place).emit();
  }
};
} // namespace

const Form &lathe::gpu::rowPassesForm() {
  static const RowPassesForm form;
  return form;
}
