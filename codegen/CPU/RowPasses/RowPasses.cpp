// The code of a kernel over rows:
//
//   for `rows` rows                                       // threads share rows
//     for pass                                            // of all these rows in lockstep, or `in_turn`
//       compute the values with one element per row that the pass reads
//       for `vectors` registers of elements, the remainder masked off
//         keep values for later passes, in the buffer of a result or on the stack
//         accumulators of the pass's reductions, for each row
//         store the results that are complete
//       reduce across lanes
//     store the results with one element per row
//
// With `in_registers` there is no loop over elements: values that a pass computes stay in registers for later ones.
#include "codegen/CPU/RowPasses/RowPasses.h"
#include "codegen/CPU/Sums/LongSum.h"
#include "codegen/CPU/Sums/SumLanes.h"
#include "codegen/CPU/Tiles/SkippedKeys.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Points/Reduction.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {

KernelLoops loopsOf(const RowPlan &plan) {
  KernelLoops loops;
  loops.roots = plan.roots;
  loops.symbols = plan.symbols;
  return loops;
}

/// Lanes of a pass: its main loop has `wide` lanes. The remainder uses them too, or `narrow` lanes if the pass has no
/// reductions.
struct PassLanes {
  unsigned wide, narrow;
};

/// Returns the lanes of a register for a pass.
unsigned narrowLanesOf(const RowKernel &rows, const RowPass &pass, const VectorTarget &target) {
  return target.lanes(pass.sumBytes ? pass.sumBytes : rows.elementBytes);
}

/// Returns the extent of the vectorised loop.
const Dim &lengthOf(const RowKernel &rows) { return rows.full[rows.vectorDim()]; }

class RowPassEmitter {
public:
  RowPassEmitter(KernelOp kernel, RowPlan rowPlan, const RowPassesSchedule &schedule, const FunctionPlace &at)
      : plan(std::move(rowPlan)), schedule(schedule), frame(kernel, loopsOf(plan), at.function, at.target, at.builder),
        eval(frame.eval), b(frame.b), length(lengthOf(plan)), kept(keptKeys(frame, kernel, kSkipsElements, length)),
        inRegisters(schedule.inRegisters) {}

  KernelCode emit();

private:
  using Carry = CodeFrame::Carry;
  using KeptValues = DenseMap<Value, PointEvaluator::Kept>;
  /// A vector of a row in registers.
  struct Block {
    Value first, mask;
  };

  struct Row;
  void makeStack(unsigned count);
  void placeBuffers(Row &row, unsigned number);
  void emitRows(Value first, unsigned count);
  void onRow(unsigned row, function_ref<void()> body);
  void makeRowValues(unsigned pass);
  void emitPass(RowPass &pass);
  MutableArrayRef<Row> currentRows() { return MutableArrayRef(rows).slice(begin, end - begin); }
  PassLanes lanesOf(const RowPass &pass) const;
  Block blockAt(int64_t at);
  Carry rowLoops(RowPass &pass, const Carry &carry);
  Carry registerBlocks(RowPass &pass, Carry carry);
  Carry vectorLoop(RowPass &pass, Value low, Value high, bool isLast, const Carry &carry);
  Carry part(RowPass &pass, Value low, Value high, unsigned lanes, bool masked, const Carry &carry);
  Carry points(RowPass &pass, Value first, Value mask, const Carry &carry);
  Carry point(RowPass &pass, const KeptValues &buffers, Value mask, ArrayRef<Value> carry);
  void keep(RowBuffer &buffer, Value value, const KeptValues &buffers);
  void storeRow();

  RowPlan plan;
  const RowPassesSchedule &schedule;
  KernelFrame frame;
  PointEvaluator &eval;
  OpBuilder &b;
  Dim length; // extent of the vectorised loop
  Value kept; // where this loop ends, if the kernel skips the rest
  bool inRegisters;
  /// The state of one of the rows.
  struct Row {
    SmallVector<Index> place; // indices of the row, then in the row
    DenseMap<Value, Value> reduced;
    KeptValues kept, buffers; // values that are complete; and all buffers, including unwritten ones
  };
  std::vector<Row> rows;
  unsigned begin = 0, end = 0;                          // the rows whose loops are emitted
  SmallVector<Index> place;                             // of the current row
  SmallVector<Reduction> reductions;                    // of the current pass
  DenseMap<Value, Value> onStack;                       // buffers of all rows, consecutively
  std::map<std::pair<unsigned, int64_t>, Block> blocks; // by lanes and index
};

PassLanes RowPassEmitter::lanesOf(const RowPass &pass) const {
  unsigned narrow = narrowLanesOf(plan, pass, frame.target);
  return {unsigned(narrow * schedule.vectors[&pass - plan.passes.data()]), narrow};
}

/// Returns a block of a row in registers. Its index is the same value in all passes, so that later passes reuse what earlier
/// ones computed.
RowPassEmitter::Block RowPassEmitter::blockAt(int64_t at) {
  Block &block = blocks[{eval.lanes, at}];
  if (block.first)
    return block;
  block.first = eval.i64(at);
  if (int64_t left = length.constant() - at; left < int64_t(eval.lanes))
    block.mask = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt, eval.iota(), eval.splat(eval.i64(left)));
  return block;
}

static int64_t bytesOf(Value value, int64_t elements) {
  return elements * std::max(1u, cast<RankedTensorType>(value.getType()).getElementTypeBitWidth() / 8);
}

void RowPassEmitter::makeStack(unsigned count) {
  for (RowBuffer &buffer : plan.buffers)
    if (!buffer.result && !inRegisters)
      onStack[buffer.value.getResult()] =
          frame.stack(b.getI8Type(), count * bytesOf(buffer.value.getResult(), *plan.rowSize()));
}

void RowPassEmitter::placeBuffers(Row &row, unsigned number) {
  for (RowBuffer &buffer : plan.buffers) {
    Value value = buffer.value.getResult();
    auto type = cast<RankedTensorType>(value.getType());
    if (buffer.result) {
      row.buffers[value] = {frame.output(*buffer.result), type, llvm::to_vector(llvm::seq<unsigned>(0, plan.full.size()))};
      continue;
    }
    if (inRegisters)
      continue;
    Value place = frame.at(onStack.lookup(value), b.getI8Type(), int64_t(number) * bytesOf(value, *plan.rowSize()));
    row.buffers[value] = {place, tensorOf(plan.innerExtents(), type.getElementType()),
                          llvm::to_vector(llvm::seq<unsigned>(plan.rank, plan.full.size()))};
  }
}

/// Evaluates the values with one element per row that this pass may read, once per row instead of once per element.
void RowPassEmitter::makeRowValues(unsigned pass) {
  eval.lanes = 1;
  auto inBuffers = std::exchange(eval.kept, KeptValues()); // indices within the row are computed here
  for (NestOp nest : plan.rowValues)
    if (plan.isKnownBefore(nest.getResult(), pass) && !eval.reduced.count(nest.getResult())) {
      Value value = eval.tensor(nest.getResult(), ArrayRef(place).take_front(plan.rank));
      eval.reduced[nest.getResult()] = value;
    }
  eval.kept = std::move(inBuffers);
}

void RowPassEmitter::onRow(unsigned row, function_ref<void()> body) {
  std::swap(eval.reduced, rows[row].reduced);
  std::swap(place, rows[row].place);
  std::swap(eval.kept, rows[row].kept);
  body();
  std::swap(eval.kept, rows[row].kept);
  std::swap(eval.reduced, rows[row].reduced);
  std::swap(place, rows[row].place);
}

void RowPassEmitter::emitRows(Value first, unsigned count) {
  eval.nextPoint();
  blocks.clear();
  rows.assign(count, Row());
  for (unsigned i = 0; i < count; ++i) {
    placeBuffers(rows[i], i);
    rows[i].place = frame.indicesOf(eval.add(first, eval.i64(i)), plan.rowExtents());
    rows[i].place.resize(plan.full.size(), eval.uniform(eval.i64(0)));
  }
  for (auto [number, pass] : llvm::enumerate(plan.passes)) {
    for (unsigned i = 0; i < count; ++i)
      onRow(i, [&] { makeRowValues(number); });
    for (unsigned i = 0, step = schedule.inTurn ? 1 : count; i < count; i += step) {
      begin = i, end = i + step;
      emitPass(pass);
    }
    for (NestOp value : pass.keeps)
      for (Row &row : rows)
        if (!inRegisters)
          row.kept[value.getResult()] = row.buffers[value.getResult()];
  }
  for (unsigned i = 0; i < count; ++i)
    onRow(i, [&] { storeRow(); });
}

/// Emits a pass over the current rows.
void RowPassEmitter::emitPass(RowPass &pass) {
  reductions.clear();
  Carry carry;
  eval.lanes = lanesOf(pass).wide;
  for (NestOp nest : pass.reductions)
    reductions.emplace_back(nest, eval);
  for (unsigned row = begin; row < end; ++row)
    for (Reduction &reduction : reductions)
      llvm::append_range(carry, reduction.neutral());
  carry = inRegisters ? registerBlocks(pass, carry) : rowLoops(pass, carry);
  ArrayRef<Value> left = carry;
  for (Row &row : currentRows())
    for (auto [nest, reduction] : llvm::zip_equal(pass.reductions, reductions)) {
      llvm::SaveAndRestore<Location> line(eval.loc, nest.getLoc());
      Reduction::Accumulators total = reduction.acrossLanes(Reduction::Accumulators(left.take_front(reduction.size())));
      left = left.drop_front(reduction.size());
      row.reduced[nest.getResult()] = reduction.result(total);
    }
  eval.lanes = 1;
}

/// Emits a pass without a loop. No chain of a sum ends within it, because the row is short.
RowPassEmitter::Carry RowPassEmitter::registerBlocks(RowPass &pass, Carry carry) {
  PassLanes lanes = lanesOf(pass);
  for (int64_t at = 0; at < length.constant(); at += lanes.wide) {
    eval.lanes = lanes.wide;
    Block block = blockAt(at);
    carry = points(pass, block.first, block.mask, carry);
  }
  return carry;
}

RowPassEmitter::Carry RowPassEmitter::rowLoops(RowPass &pass, const Carry &carry) {
  SmallVector<bool> isSum;
  for (unsigned row = begin; row < end; ++row)
    for (auto [nest, reduction] : llvm::zip_equal(pass.reductions, reductions))
      isSum.append(reduction.size(), isFloatSum(nest));
  LongSum sum(frame, frame.function, kTermOrder,
              {Dims(ArrayRef(plan.full).slice(plan.rank, plan.vectorDim() - plan.rank)), length, lanesOf(pass).wide, kept},
              isSum);
  auto enter = [&](unsigned dim, Value iv) {
    for (Row &row : currentRows())
      row.place[plan.rank + dim] = eval.uniform(iv);
  };
  auto add = [&](Value low, Value high, bool isLast, const Carry &values) {
    return vectorLoop(pass, low, high, isLast, values);
  };
  return sum.run(carry, enter, add);
}

RowPassEmitter::Carry RowPassEmitter::vectorLoop(RowPass &pass, Value low, Value high, bool isLast, const Carry &init) {
  PassLanes lanes = lanesOf(pass);
  if (!isLast)
    return part(pass, low, high, lanes.wide, false, init);
  Value whole = eval.sub(high, frame.remainder(eval.sub(high, low), eval.i64(lanes.wide)));
  Carry carry = part(pass, low, whole, lanes.wide, false, init);
  if (length.isStatic() && length.constant() % lanes.wide == 0 && (!kept || fillsSteps(lanes.wide)))
    return carry;
  return part(pass, whole, high, pass.reductions.empty() ? lanes.narrow : lanes.wide, true, carry);
}

RowPassEmitter::Carry RowPassEmitter::part(RowPass &pass, Value low, Value high, unsigned lanes, bool masked,
                                           const Carry &carry) {
  return frame.loop(low, high, lanes, carry, [&](Value first, ValueRange carried) {
    eval.lanes = lanes;
    eval.nextPlace();
    Value mask;
    if (masked)
      mask = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::slt, eval.iota(), eval.splat(eval.sub(high, first)));
    Carry next = points(pass, first, mask, Carry(carried));
    eval.nextPlace();
    return next;
  });
}

/// Emits one vector of each row.
RowPassEmitter::Carry RowPassEmitter::points(RowPass &pass, Value first, Value mask, const Carry &carry) {
  Carry next;
  size_t size = carry.size() / (end - begin);
  eval.tail = mask;
  for (unsigned i = begin; i < end; ++i) {
    rows[i].place[plan.vectorDim()] = {first, eval.lanes > 1, {}};
    onRow(i, [&] {
      llvm::append_range(next, point(pass, rows[i].buffers, mask, ArrayRef(carry).slice((i - begin) * size, size)));
    });
  }
  eval.tail = {};
  return next;
}

/// Emits the values that a pass keeps, reduces and stores in the current row. All are computed before the first store, since a
/// buffer may be that of an input.
RowPassEmitter::Carry RowPassEmitter::point(RowPass &pass, const KeptValues &buffers, Value mask, ArrayRef<Value> carry) {
  SmallVector<std::pair<RowBuffer *, Value>> keeps;
  for (RowBuffer &buffer : plan.buffers)
    if (llvm::is_contained(pass.keeps, buffer.value))
      keeps.emplace_back(&buffer, eval.tensor(buffer.value.getResult(), place));
  Carry next;
  ArrayRef<Value> left = carry;
  for (auto [nest, reduction] : llvm::zip_equal(pass.reductions, reductions)) {
    llvm::SaveAndRestore<Location> line(eval.loc, nest.getLoc());
    size_t size = reduction.size();
    Reduction::Accumulators values = reduction.step(Reduction::Accumulators(left.take_front(size)), place, mask);
    left = left.drop_front(size);
    llvm::append_range(next, values);
  }
  SmallVector<Value> stored;
  for (unsigned result : pass.stores)
    stored.push_back(eval.tensor(plan.roots[result], place));
  for (auto [buffer, value] : keeps)
    keep(*buffer, value, buffers);
  for (auto [result, value] : llvm::zip_equal(pass.stores, stored))
    eval.store(value, frame.output(result), cast<RankedTensorType>(plan.roots[result].getType()), place);
  return next;
}

void RowPassEmitter::keep(RowBuffer &buffer, Value value, const KeptValues &buffers) {
  const PointEvaluator::Kept &kept = buffers.find(buffer.value.getResult())->second;
  SmallVector<Index> inBuffer;
  for (unsigned dim : kept.dims)
    inBuffer.push_back(place[dim]);
  eval.store(value, kept.buffer, kept.type, inBuffer);
}

void RowPassEmitter::storeRow() {
  makeRowValues(~0u);
  ArrayRef<Index> row = ArrayRef(place).take_front(plan.rank);
  SmallVector<Value> values; // evaluate all before the first store: an output may share an input's buffer
  for (unsigned result : plan.rowResults)
    values.push_back(eval.tensor(plan.roots[result], row));
  for (auto [result, value] : llvm::zip_equal(plan.rowResults, values))
    eval.store(value, frame.output(result), cast<RankedTensorType>(plan.roots[result].getType()), row);
}

/// A work item is `rows` rows, so that only the last one may have fewer.
KernelCode RowPassEmitter::emit() {
  const unsigned count = schedule.rows;
  KernelCode code;
  code.function = frame.function;
  code.symbols = plan.symbols;
  code.unit = count;
  code.work = Dim(plan.passes.size());
  code.threadWork = tuning::kThreadTerms;
  for (const Dim &extent : plan.rowExtents())
    code.extent = code.extent * extent;
  for (const Dim &extent : plan.full)
    code.work = code.work * extent;

  makeStack(count);
  Value begin = eval.mul(frame.begin, eval.i64(count)), last = eval.mul(frame.end, eval.i64(count));
  bool isDivided = code.extent.isStatic() && code.extent.constant() % count == 0;
  Value rowsEnd = isDivided ? last : eval.min(last, eval.extent(code.extent)), whole = rowsEnd;
  if (!isDivided)
    whole = eval.sub(rowsEnd, frame.remainder(eval.sub(rowsEnd, begin), count));
  frame.loop(begin, whole, count, [&](Value row) { emitRows(row, count); });
  if (!isDivided)
    frame.loop(whole, rowsEnd, 1, [&](Value row) { emitRows(row, 1); });
  frame.close();
  return code;
}

/// True if the registers can hold all values of a row.
bool fitsRegisters(const RowKernel &rows, const VectorTarget &target) {
  int64_t most = target.vectorRegisters / 4 * target.lanes(rows.elementBytes);
  const Dim &length = lengthOf(rows);
  return rows.vectorDim() == rows.rank && length.isStatic() && length.constant() <= most;
}

/// Returns the vectors of a row of known length.
int64_t vectorsOf(const RowKernel &rows, const VectorTarget &target) {
  return llvm::divideCeil(std::max<int64_t>(lengthOf(rows).constant(), 1), target.lanes(rows.elementBytes));
}

/// Returns the number of rows at a time: reductions across lanes take a large part of the time of short rows, and overlap with
/// other rows. Eight rows of one vector would take 0.8 of the time of four on a Zen 5, but twice as long to compile.
int64_t rowsAtOnce(const RowKernel &rows, bool inRegisters, const VectorTarget &target) {
  const Dim &length = lengthOf(rows);
  std::optional<Dim> count = numElements(rows.rowExtents());
  if (count && count->isStatic(1))
    return 1;
  if (!inRegisters)
    return length.isStatic() && length.constant() > tuning::kShortRow ? 1 : 2;
  return vectorsOf(rows, target) < tuning::kVectorsOfLongRow ? 4 : 2;
}

class RowPassesForm : public FormOf<RowPassesSchedule> {
public:
  RowPassesForm() : FormOf("row_passes") {}

  bool skipsKeys() const override { return true; }

  bool takes(KernelOp kernel, const VectorTarget &) const override { return kernel->hasAttr(kRowsAttr); }

protected:
  FailureOr<RowPassesSchedule> chooseFor(KernelOp kernel, const VectorTarget &target) const override {
    RowKernel rows(kernel);
    RowPassesSchedule schedule;
    schedule.passes = choosePasses(rows, tuning::kRowStackBytes);
    schedule.inRegisters = fitsRegisters(rows, target);
    if (schedule.inRegisters)
      schedule.passes = passesInRegisters(rows, schedule.passes);
    schedule.rows = rowsAtOnce(rows, schedule.inRegisters, target);
    // x86-64 overlaps the passes over two rows by itself. On a Zen 4 with AVX-512, softmax, normalisation and k-means take 0.88
    // to 0.97 of the time in turn, although there are registers for the sums of two rows in lockstep.
    bool isLockstepFaster = target.level == 0 && target.vectorRegisters >= 32;
    bool isShort = schedule.inRegisters && vectorsOf(rows, target) < tuning::kVectorsOfLongRow;
    schedule.inTurn = schedule.rows > 1 && !isShort && !isLockstepFaster;
    FailureOr<RowPlan> plan = RowPlan::of(rows, schedule.passes, tuning::kRowStackBytes);
    if (failed(plan))
      return failure();
    for (const RowPass &pass : plan->passes)
      schedule.vectors.push_back(vectorsAlong(lengthOf(rows), narrowLanesOf(rows, pass, target)));
    return schedule;
  }

  LogicalResult check(KernelOp kernel, const RowPassesSchedule &schedule, const VectorTarget &target) const override {
    RowKernel rows(kernel);
    FailureOr<RowPlan> plan = RowPlan::of(rows, schedule.passes, tuning::kRowStackBytes);
    if (failed(plan))
      return failure();
    if (schedule.inRegisters && !fitsRegisters(rows, target))
      return kernel.emitError("a schedule with 'in_registers' for rows of ")
             << lengthOf(rows).str() << " elements, which the registers of '" << target.name() << "' do not hold";
    if (schedule.inRegisters && passesInRegisters(rows, schedule.passes).keep != schedule.passes.keep)
      return kernel.emitError(
          "a schedule with 'in_registers' that keeps values in memory; expected only values that are results, "
          "kept in their own memory");
    if (schedule.vectors.size() != plan->passes.size())
      return kernel.emitError("a schedule with 'vectors' for ")
             << schedule.vectors.size() << " passes over a row; 'reduce_in' and 'store_in' have " << plan->passes.size();
    for (auto [pass, vectors] : llvm::zip_equal(plan->passes, schedule.vectors)) {
      if (!llvm::isPowerOf2_64(vectors))
        return kernel.emitError("a schedule with 'vectors' ") << vectors << "; expected 1, 2 or 4";
      if (pass.sumBytes && failed(checkSumLanes(kernel, narrowLanesOf(rows, pass, target) * unsigned(vectors), pass.sumBytes,
                                                lengthOf(rows), target)))
        return failure();
    }
    return success();
  }

  std::string describeBy(KernelOp kernel, const RowPassesSchedule &schedule) const override {
    FailureOr<RowPlan> plan = RowPlan::of(RowKernel(kernel), schedule.passes, tuning::kRowStackBytes);
    return succeeded(plan) ? plan->describe(schedule.inRegisters) : "";
  }

  FailureOr<KernelCode> emitBy(KernelOp kernel, const RowPassesSchedule &schedule, const FunctionPlace &at) const override {
    FailureOr<RowPlan> plan = RowPlan::of(RowKernel(kernel), schedule.passes, tuning::kRowStackBytes);
    if (failed(plan))
      return failure();
    return RowPassEmitter(kernel, std::move(*plan), schedule, at).emit();
  }
};
} // namespace

const Form &lathe::cpu::rowPassesForm() {
  static const RowPassesForm form;
  return form;
}
