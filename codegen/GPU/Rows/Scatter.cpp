// The code of scatter:
//
//   copy the operand to the result                         // a function of its own; left out if they share a buffer
//   columns (few updates or many columns):                 // a thread per column of a line's slices
//     for update of the line
//       result[row, column] = combine(result[row, column], update[column])
//   owners (other updates):                                // a block per part of a line's rows
//     for 1024 indices of the line
//       list the indices of the block's rows, in order     // all threads, by ballots
//       for index of the list whose row is the thread's    // a thread per column and per row modulo groups
//         result[row, column] = combine(result[row, column], update[column])
//   atomics (integers that are added or compared):         // a thread per element of the updates
//     atomic result[row, column] = combine(result[row, column], update[column])
//
// One thread combines all updates of an element in the order of their indices, so that results do not depend on the number of
// blocks. Integers that are added or compared give the same result in any order.
#include "codegen/GPU/Rows/RowProgram.h"
#include "codegen/GPU/Rows/Rows.h"
#include "codegen/GPU/Tuning.h"
#include "codegen/Points/Reduction.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

namespace {
constexpr unsigned kScatterThreads = 256;

/// The tensor's shape as [outer, length, inner], or lines of rows of columns, and that of its updates as [outer, picks, inner].
struct ScatterShape {
  Dim outer{1}, length{1}, inner{1}, picks{1};
  Dim perIndex{1}; // lines that share their indices

  explicit ScatterShape(ScatterOp op) {
    int64_t axis = op.getAxis(), batch = op.getBatch();
    Dims extents = dimsOf(op.getResult());
    outer = productOf(ArrayRef(extents).take_front(axis));
    perIndex = productOf(ArrayRef(extents).take_front(axis).drop_front(batch));
    length = extents[axis];
    inner = productOf(ArrayRef(extents).drop_front(axis + 1));
    picks = productOf(ArrayRef<Dim>(dimsOf(op.getIndices())).drop_front(batch));
  }
};

enum class ScatterMethod { Columns, Owners, Atomics };
constexpr StringLiteral kScatterMethods[] = {"columns", "owners", "atomics"};

struct ScatterSchedule {
  ScatterMethod method = ScatterMethod::Owners;
  int64_t columns = 1; // adjacent columns of a slice that an owner's threads have at once
  int64_t parts = 1;   // parts of a line's rows, each with a block that owns it

  template <typename Visitor>
  void visit(Visitor &visitor) {
    visitor("method", method, kScatterMethods);
    visitor("columns", columns, 1, kScatterThreads);
    visitor("parts", parts, 1, 1 << 16);
  }
};

/// Returns the columns of a slice, a guess for a named size.
int64_t widthOf(const ScatterShape &shape) {
  return std::max<int64_t>(shape.inner.isStatic() ? shape.inner.constant() : tuning::kNamedColumns, 1);
}

/// True if updates of one element may be combined in any order: integers with an atomic operation.
bool isUnordered(ScatterOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  bool isOrdered = op.getKind() == ScatterKind::Set || op.getKind() == ScatterKind::Mul || isa<FloatType>(element);
  return !isOrdered && element.getIntOrFloatBitWidth() >= 32;
}

ScatterMethod chooseMethod(ScatterOp op, const ScatterShape &shape) {
  if (isUnordered(op))
    return ScatterMethod::Atomics;
  Dim columns = shape.outer * shape.inner;
  bool hasFew = shape.picks.isStatic() && shape.picks.constant() <= tuning::kFewUpdates;
  return hasFew || (columns.isStatic() && columns.constant() >= tuning::kEnoughColumns) ? ScatterMethod::Columns
                                                                                        : ScatterMethod::Owners;
}

/// Returns the number of parts of a line that gives a large GPU several blocks per multiprocessor, as far as sizes are known.
int64_t partsOfLine(const ScatterShape &shape, int64_t chunks) {
  int64_t parts = tuning::kNamedOwners;
  if (shape.outer.isStatic())
    parts = llvm::divideCeil(tuning::kOwnerBlocks, std::max<int64_t>(shape.outer.constant() * chunks, 1));
  if (shape.length.isStatic())
    parts = std::min(parts, shape.length.constant());
  return std::max<int64_t>(parts, 1);
}

ScatterSchedule chooseScatter(ScatterOp op) {
  ScatterShape shape(op);
  ScatterSchedule schedule;
  schedule.method = chooseMethod(op, shape);
  if (schedule.method != ScatterMethod::Owners)
    return schedule;
  schedule.columns = std::min<int64_t>(llvm::PowerOf2Ceil(widthOf(shape)), kScatterThreads);
  schedule.parts = partsOfLine(shape, llvm::divideCeil(widthOf(shape), schedule.columns));
  return schedule;
}

class CopyKernel : RowProgram {
public:
  using RowProgram::RowProgram;

  KernelCode emit(ScatterOp op) {
    Type element = b.getIntegerType(std::max(8u, getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth()));
    Dims extents = dimsOf(op.getResult());
    Dim all = productOf(extents);
    unsigned lanes = lanesFor(all, element);
    Dim vectors = *all.dividedBy(lanes);
    Value number = frame.globalThread();
    frame.when(frame.isBelow(number, eval.extent(vectors)), [&] {
      Value place = eval.mul(number, eval.i64(lanes));
      store(load(buffer(op.getInto()), element, place, lanes), frame.outputs[0], element, place, lanes);
    });
    KernelCode code = frame.finish(symbols, vectors, "");
    code.unit = kScatterThreads;
    return code;
  }
};

class ScatterKernel : RowProgram {
public:
  ScatterKernel(KernelOp kernel, ScatterOp op, const ScatterSchedule &schedule, const FunctionPlace &place, StringRef suffix)
      : RowProgram(kernel, place, kScatterThreads, suffix), op(op), schedule(schedule), shape(op),
        element(eval.registerType(Lines(cast<RankedTensorType>(op.getType()), 0).element)), output(frame.outputs[0]),
        length(eval.extent(shape.length)), inner(eval.extent(shape.inner)), picks(eval.extent(shape.picks)) {
    if (element.isInteger(1))
      element = b.getI8Type();
  }

  KernelCode emit() {
    switch (schedule.method) {
    case ScatterMethod::Columns:
      return byColumns();
    case ScatterMethod::Owners:
      return byOwners();
    case ScatterMethod::Atomics:
      return byAtomics();
    }
    llvm_unreachable("every method has a case");
  }

private:
  KernelCode byColumns();
  KernelCode byOwners();
  KernelCode byAtomics();

  /// Returns the offset of a line's indices.
  Value indicesOf(Value line) { return eval.mul(frame.divide(line, eval.extent(shape.perIndex)), picks); }
  Value updatePlace(Value line, Value pick, Value column) {
    return eval.add(eval.mul(eval.add(eval.mul(line, picks), pick), inner), column);
  }
  Value resultPlace(Value line, Value row, Value column) {
    return eval.add(eval.mul(eval.add(eval.mul(line, length), row), inner), column);
  }
  bool replaces() { return op.getKind() == ScatterKind::Set; }
  Value updated(Value old, Value update) {
    return replaces() ? update : lathe::combine(b, loc, reductionOf(op.getKind()), old, update);
  }

  void placeOwner();
  Value listMatches(Value first);
  void applyList(Value first, Value count);
  SmallVector<Value> takeUpdate(ValueRange state, Value row, Value update, Value column);
  void writeState(ValueRange state, Value column);
  SmallVector<Value> eitherState(Value condition, function_ref<SmallVector<Value>()> take, ValueRange old);

  static constexpr unsigned kRounds = 4; // indices that a thread reads for each list
  static constexpr unsigned kListed = kRounds * kScatterThreads;
  static constexpr unsigned kWarps = kScatterThreads / kWarp;

  ScatterOp op;
  const ScatterSchedule &schedule;
  ScatterShape shape;
  Type element; // its type in memory
  Value output, length, inner, picks;

  unsigned columns = 1; // that the block's threads have at once
  int64_t chunks = 1;   // chunks of columns of a slice
  Value line, chunk, firstRow, rows;
  Value list, counts; // in shared memory
  Value values;       // in shared memory: the list's updates if slices have one element, else null
};

KernelCode ScatterKernel::byColumns() {
  Value number = frame.globalThread();
  Dim all = shape.outer * shape.inner;
  frame.when(frame.isBelow(number, eval.extent(all)), [&] {
    SmallVector<Index> at = frame.indicesOf(number, {shape.outer, shape.inner});
    Value line = at[0].base, column = at[1].base, indices = indicesOf(line);
    frame.loop(eval.i64(0), picks, 1, [&](Value pick) {
      Value row = wordAt(op.getIndices(), eval.add(indices, pick));
      frame.when(isWithin(row, length), [&] {
        Value place = resultPlace(line, row, column);
        Value update = load(buffer(op.getUpdates()), element, updatePlace(line, pick, column));
        store(updated(replaces() ? Value() : load(output, element, place), update), output, element, place);
      });
    });
  });
  KernelCode code = frame.finish(symbols, all, "a thread for each column of the slices");
  code.unit = kScatterThreads;
  return code;
}

KernelCode ScatterKernel::byAtomics() {
  Value number = frame.globalThread();
  Dim all = shape.outer * shape.picks * shape.inner;
  auto kind = op.getKind() == ScatterKind::Add   ? LLVM::AtomicBinOp::add
              : op.getKind() == ScatterKind::Max ? LLVM::AtomicBinOp::max
                                                 : LLVM::AtomicBinOp::min;
  frame.when(frame.isBelow(number, eval.extent(all)), [&] {
    SmallVector<Index> at = frame.indicesOf(number, {shape.outer, shape.picks, shape.inner});
    Value row = wordAt(op.getIndices(), eval.add(indicesOf(at[0].base), at[1].base));
    frame.when(isWithin(row, length), [&] {
      Value to = frame.at(output, element, resultPlace(at[0].base, row, at[2].base));
      LLVM::AtomicRMWOp::create(b, loc, kind, to, load(buffer(op.getUpdates()), element, number),
                                LLVM::AtomicOrdering::monotonic, "device");
    });
  });
  KernelCode code = frame.finish(symbols, all, "a thread for each update, by integer atomics");
  code.unit = kScatterThreads;
  return code;
}

// ---- Blocks that own rows

void ScatterKernel::placeOwner() {
  columns = schedule.columns;
  chunks = llvm::divideCeil(widthOf(shape), int64_t(columns));
  int64_t parts = schedule.parts;
  Value part = frame.remainder(frame.block, parts), rest = frame.divide(frame.block, parts);
  chunk = frame.remainder(rest, chunks);
  line = frame.divide(rest, chunks);
  Value share = frame.divideUp(length, parts);
  firstRow = eval.mul(part, share);
  rows = frame.max(eval.min(share, eval.sub(length, firstRow)), eval.i64(0));
}

/// Lists the indices of the block's rows among the next kListed ones, as row * kListed + number. Returns their count. A ballot
/// gives the matches before a thread in its warp, and `counts` those of other warps.
Value ScatterKernel::listMatches(Value first) {
  Value warp = frame.divide(frame.thread, kWarp), lane = frame.remainder(frame.thread, kWarp), indices = indicesOf(line);
  Type i32 = b.getI32Type();
  Value below = arith::SubIOp::create(b, loc, arith::ShLIOp::create(b, loc, eval.i64(1), lane), eval.i64(1));
  SmallVector<Value> matches, entries, before;
  for (unsigned round = 0; round < kRounds; ++round) {
    Value number = eval.add(frame.thread, eval.i64(round * kScatterThreads)), pick = eval.add(first, number);
    Value row = either(
        frame.isBelow(pick, picks), b.getI64Type(),
        [&] { return eval.sub(wordAt(op.getIndices(), eval.add(indices, pick)), firstRow); }, [&] { return eval.i64(-1); });
    matches.push_back(isWithin(row, rows));
    entries.push_back(eval.add(eval.mul(row, eval.i64(kListed)), number));
    Value vote = NVVM::VoteSyncOp::create(b, loc, i32, frame.number(-1), matches.back(), NVVM::VoteSyncKind::ballot);
    Value votes = arith::ExtUIOp::create(b, loc, b.getI64Type(), vote);
    before.push_back(math::CtPopOp::create(b, loc, arith::AndIOp::create(b, loc, votes, below)));
    frame.when(isEqual(lane, eval.i64(0)), [&] {
      Value count = math::CtPopOp::create(b, loc, vote);
      store(count, counts, i32, eval.add(eval.i64(round * kWarps), warp));
    });
  }
  frame.barrier();
  // Each warp scans the counts of all warps and rounds: lane round * kWarps + warp has the count of that warp in that round.
  static_assert(kRounds * kWarps == kWarp);
  Value sum = load(counts, i32, lane), own = sum;
  for (unsigned distance = 1; distance < kWarp; distance *= 2) {
    Value more = arith::AddIOp::create(b, loc, sum, frame.fromBefore(sum, distance));
    sum = choose(compare(arith::CmpIPredicate::uge, lane, eval.i64(distance)), more, sum);
  }
  Value start = arith::SubIOp::create(b, loc, sum, own), thisWarp = arith::TruncIOp::create(b, loc, i32, warp);
  auto wide = [&](Value count) { return arith::ExtUIOp::create(b, loc, b.getI64Type(), count).getResult(); };
  for (unsigned round = 0; round < kRounds; ++round) {
    Value of = arith::AddIOp::create(b, loc, thisWarp, frame.number(round * kWarps));
    Value place = eval.add(wide(frame.fromThread(start, of)), before[round]);
    frame.when(matches[round], [&] {
      store(entries[round], list, b.getI64Type(), place);
      if (values) {
        Value pick = eval.add(first, frame.remainder(entries[round], kListed));
        store(load(buffer(op.getUpdates()), element, updatePlace(line, pick, eval.i64(0))), values, element, place);
      }
    });
  }
  Value count = wide(frame.fromThread(sum, frame.number(kWarp - 1)));
  frame.barrier();
  return count;
}

/// Applies an update to the state (row, value), the row that the thread has updated last and its current value. The row is -1
/// at first. Writes the state back if the row changes.
SmallVector<Value> ScatterKernel::takeUpdate(ValueRange state, Value row, Value update, Value column) {
  Value old = either(
      isEqual(row, state[0]), element, [&] { return state[1]; },
      [&] {
        writeState(state, column);
        return replaces() ? update : load(output, element, resultPlace(line, eval.add(firstRow, row), column));
      });
  return {row, updated(old, update)};
}

void ScatterKernel::writeState(ValueRange state, Value column) {
  frame.when(compare(arith::CmpIPredicate::sge, state[0], eval.i64(0)),
             [&] { store(state[1], output, element, resultPlace(line, eval.add(firstRow, state[0]), column)); });
}

/// Applies the list: each element has one thread, which combines its updates in the list's order. Consecutive updates of a row
/// stay in a register. A thread that has all rows of its column prefetches some updates.
void ScatterKernel::applyList(Value first, Value count) {
  unsigned groups = kScatterThreads / columns, ahead = groups == 1 ? 4 : 1;
  Value group = frame.divide(frame.thread, columns), inGroup = frame.remainder(frame.thread, columns);
  count = choose(frame.isBelow(group, rows), count, eval.i64(0)); // none if the thread has no rows
  Value last = eval.sub(count, eval.i64(1));
  SmallVector<Value> none = {eval.i64(-1), arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element)))};
  frame.loop(eval.add(eval.mul(chunk, eval.i64(columns)), inGroup), inner, chunks * columns, [&](Value column) {
    auto updateOf = [&](Value entry) {
      return load(buffer(op.getUpdates()), element,
                  updatePlace(line, eval.add(first, frame.remainder(entry, kListed)), column));
    };
    SmallVector<Value> state = frame.loop(eval.i64(0), count, ahead, none, [&](Value i, ValueRange carried) {
      SmallVector<Value> next(carried), entries, updates;
      for (unsigned j = 0; j < ahead; ++j) {
        entries.push_back(load(list, b.getI64Type(), eval.min(eval.add(i, eval.i64(j)), last)));
        if (ahead > 1)
          updates.push_back(updateOf(entries[j]));
      }
      for (unsigned j = 0; j < ahead; ++j) {
        Value row = frame.divide(entries[j], kListed), isOwn = isEqual(frame.remainder(row, groups), group);
        if (j > 0)
          isOwn = both(isOwn, frame.isBelow(eval.add(i, eval.i64(j)), count));
        next = eitherState(
            isOwn,
            [&] {
              Value update = ahead > 1 ? updates[j] : values ? load(values, element, i) : updateOf(entries[j]);
              return takeUpdate(next, row, update, column);
            },
            next);
      }
      return next;
    });
    writeState(state, column);
  });
}

/// Emits a branch: the state is that of `take` if the condition holds, else `old`.
SmallVector<Value> ScatterKernel::eitherState(Value condition, function_ref<SmallVector<Value>()> take, ValueRange old) {
  return frame.branch(condition, TypeRange(old), take, [&] { return llvm::to_vector(old); });
}

KernelCode ScatterKernel::byOwners() {
  placeOwner();
  list = frame.shared("list", b.getI64Type(), kListed);
  if (shape.inner.isStatic(1))
    values = frame.shared("values", element, kListed);
  counts = frame.shared("counts", b.getI32Type(), kRounds * kWarps);
  frame.loop(eval.i64(0), picks, kListed, [&](Value first) {
    Value count = listMatches(first);
    applyList(first, count);
  });
  int64_t parts = schedule.parts;
  return frame.finish(symbols, shape.outer * Dim(chunks * parts),
                      "a block for the rows of each of " + std::to_string(parts) + " parts of a line");
}

class ScatterForm : public RowForm<ScatterSchedule, ScatterOp> {
public:
  ScatterForm() : RowForm("scatter") {}

private:
  ScatterSchedule chooseRows(KernelOp, Operation *op) const override { return chooseScatter(cast<ScatterOp>(op)); }
  LogicalResult checkRows(KernelOp, Operation *op, const ScatterSchedule &schedule) const override {
    if (schedule.method == ScatterMethod::Atomics && !isUnordered(cast<ScatterOp>(op)))
      return op->emitError("a schedule with 'method' atomics for updates whose order counts");
    if (!llvm::isPowerOf2_64(schedule.columns))
      return op->emitError("a schedule with 'columns' ") << schedule.columns << "; expected a power of two";
    return success();
  }
  /// Emits the copy and the updates, or only the updates if the result shares the operand's buffer.
  KernelCode emitRows(KernelOp kernel, Operation *op, const ScatterSchedule &schedule,
                      const FunctionPlace &place) const override {
    auto scatter = cast<ScatterOp>(op);
    if (kernel->hasAttr(kInPlaceAttr))
      return ScatterKernel(kernel, scatter, schedule, place, "").emit();
    KernelCode code = CopyKernel(kernel, place, kScatterThreads).emit(scatter);
    KernelCode updates = ScatterKernel(kernel, scatter, schedule, place, "_updates").emit();
    code.second = {updates.function, updates.threads, updates.extent, updates.unit};
    code.form = updates.form + ", after a copy";
    return code;
  }
};
} // namespace

const Form &lathe::gpu::scatterForm() {
  static const ScatterForm form;
  return form;
}
