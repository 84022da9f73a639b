// scatter. The operand is copied first, unless the result has its place; updates of one element are then combined with it in
// the order of their indices, by one thread, whatever the number of blocks:
//  - few updates, or columns enough: a thread goes through all updates of its column of a line's slices;
//  - else a block owns some rows of a line. Its threads look through the indices together and list those of its rows, in order;
//    then each thread goes through the list for the elements that are its own;
//  - integers that are added or compared come out the same in any order, so there a thread has an update, by atomics.
#include "codegen/CPU/Reduction.h"
#include "codegen/GPU/Rows/RowKernel.h"
#include "codegen/GPU/Rows/Rows.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using cpu::Index;

namespace {
constexpr unsigned kScatterThreads = 256;

/// A tensor as lines of rows of columns: [outer, length, inner], and its updates as [outer, picks, inner].
struct ScatterShape {
  Dim outer{1}, length{1}, inner{1}, picks{1};
  Dim perIndex{1}; // lines that share their indices

  explicit ScatterShape(ScatterOp op) {
    int64_t axis = op.getAxis(), batch = op.getBatch();
    Dims extents = dimsOf(op.getResult());
    outer = ThreadFrame::product(ArrayRef(extents).take_front(axis));
    perIndex = ThreadFrame::product(ArrayRef(extents).take_front(axis).drop_front(batch));
    length = extents[axis];
    inner = ThreadFrame::product(ArrayRef(extents).drop_front(axis + 1));
    picks = ThreadFrame::product(ArrayRef<Dim>(dimsOf(op.getIndices())).drop_front(batch));
  }
};

enum class ScatterForm { Columns, Owners, Atomics };

ScatterForm formOf(ScatterOp op, const ScatterShape &shape) {
  constexpr int64_t kFewPicks = 8, kEnoughColumns = 1 << 15;
  Type element = getElementTypeOrSelf(op.getType());
  bool isOrdered = op.getKind() == ScatterKind::Set || op.getKind() == ScatterKind::Mul || isa<FloatType>(element);
  if (!isOrdered && element.getIntOrFloatBitWidth() >= 32)
    return ScatterForm::Atomics;
  Dim columns = shape.outer * shape.inner;
  bool hasFew = shape.picks.isStatic() && shape.picks.constant() <= kFewPicks;
  return hasFew || (columns.isStatic() && columns.constant() >= kEnoughColumns) ? ScatterForm::Columns : ScatterForm::Owners;
}

class CopyKernel : RowKernel {
public:
  using RowKernel::RowKernel;

  KernelCode emit(ScatterOp op) {
    Type element = b.getIntegerType(std::max(8u, getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth()));
    Dims extents = dimsOf(op.getResult());
    Dim all = ThreadFrame::product(extents);
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

class ScatterKernel : RowKernel {
public:
  ScatterKernel(KernelOp kernel, ScatterOp op, const FunctionPlace &place, StringRef suffix)
      : RowKernel(kernel, place, kScatterThreads, suffix), op(op), shape(op),
        element(eval.registerType(cpu::Lines(cast<RankedTensorType>(op.getType()), 0).element)), output(frame.outputs[0]),
        length(eval.extent(shape.length)), inner(eval.extent(shape.inner)), picks(eval.extent(shape.picks)) {
    if (element.isInteger(1))
      element = b.getI8Type();
  }

  KernelCode emit() {
    switch (formOf(op, shape)) {
    case ScatterForm::Columns:
      return byColumns();
    case ScatterForm::Owners:
      return byOwners();
    case ScatterForm::Atomics:
      return byAtomics();
    }
    llvm_unreachable("every form has a case");
  }

private:
  KernelCode byColumns();
  KernelCode byOwners();
  KernelCode byAtomics();

  /// Where the indices of a line begin.
  Value indicesOf(Value line) { return eval.mul(frame.divide(line, eval.extent(shape.perIndex)), picks); }
  Value updatePlace(Value line, Value pick, Value column) {
    return eval.add(eval.mul(eval.add(eval.mul(line, picks), pick), inner), column);
  }
  Value resultPlace(Value line, Value row, Value column) {
    return eval.add(eval.mul(eval.add(eval.mul(line, length), row), inner), column);
  }
  bool replaces() { return op.getKind() == ScatterKind::Set; }
  Value updated(Value old, Value update) { return replaces() ? update : cpu::combine(b, loc, reduction(), old, update); }
  NestReduction reduction();

  void placeOwner();
  Value listMatches(Value first);
  void applyList(Value first, Value count);

  static constexpr unsigned kRounds = 4; // indices that a thread looks at before a list is used
  static constexpr unsigned kListed = kRounds * kScatterThreads;
  static constexpr unsigned kWarps = kScatterThreads / kWarp;

  ScatterOp op;
  ScatterShape shape;
  Type element; // as memory has it
  Value output, length, inner, picks;

  unsigned columns = 1; // of the block's threads
  int64_t chunks = 1;   // of columns
  Value line, chunk, firstRow, rows;
  Value list, counts; // shared
};

NestReduction ScatterKernel::reduction() {
  switch (op.getKind()) {
  case ScatterKind::Mul:
    return NestReduction::Product;
  case ScatterKind::Max:
    return NestReduction::Max;
  case ScatterKind::Min:
    return NestReduction::Min;
  default:
    return NestReduction::Sum;
  }
}

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

/// From what is known of the sizes while compiling, so that some blocks for each multiprocessor of a large GPU have rows.
static int64_t partsFor(const ScatterShape &shape, int64_t chunks) {
  constexpr int64_t kBlocks = 512, kNamed = 16;
  int64_t parts = kNamed;
  if (shape.outer.isStatic())
    parts = llvm::divideCeil(kBlocks, std::max<int64_t>(shape.outer.constant() * chunks, 1));
  if (shape.length.isStatic())
    parts = std::min(parts, shape.length.constant());
  return std::max<int64_t>(parts, 1);
}

void ScatterKernel::placeOwner() {
  constexpr int64_t kNamedColumns = 32;
  int64_t width = shape.inner.isStatic() ? shape.inner.constant() : kNamedColumns;
  columns = std::min<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(width, 1)), kScatterThreads);
  chunks = llvm::divideCeil(std::max<int64_t>(width, 1), columns);
  int64_t parts = partsFor(shape, chunks);
  Value part = frame.remainder(frame.block, parts), rest = frame.divide(frame.block, parts);
  chunk = frame.remainder(rest, chunks);
  line = frame.divide(rest, chunks);
  Value share = frame.divideUp(length, parts);
  firstRow = eval.mul(part, share);
  rows = frame.max(eval.min(share, eval.sub(length, firstRow)), eval.i64(0));
}

/// Lists the indices of the block's rows among the next ones, as row * kListed + number, and says how many there are. Threads
/// of a warp know by a vote how many of theirs come before them, and from `counts` how many of other warps.
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
  auto countsFrom = [&](Value start, Value end) {
    return frame.loop(eval.i64(0), end, start, [&](Value i, ValueRange sum) -> cpu::CodeFrame::Carry {
      return {eval.add(sum[0], arith::ExtUIOp::create(b, loc, b.getI64Type(), load(counts, i32, i)))};
    })[0];
  };
  for (unsigned round = 0; round < kRounds; ++round) {
    Value number = countsFrom(before[round], eval.add(eval.i64(round * kWarps), warp));
    frame.when(matches[round], [&] { store(entries[round], list, b.getI64Type(), number); });
  }
  Value count = countsFrom(eval.i64(0), eval.i64(kRounds * kWarps));
  frame.barrier();
  return count;
}

/// Each element has one thread, which combines with it in the list's order. A run of one row stays in a register.
void ScatterKernel::applyList(Value first, Value count) {
  unsigned groups = kScatterThreads / columns;
  Value group = frame.divide(frame.thread, columns), inGroup = frame.remainder(frame.thread, columns);
  Type i64 = b.getI64Type();
  Value column = eval.add(eval.mul(chunk, eval.i64(columns)), inGroup);
  auto placeOf = [&](Value row, Value column) { return resultPlace(line, eval.add(firstRow, row), column); };
  frame.loop(column, inner, chunks * columns, [&](Value column) {
    Value none = eval.i64(-1);
    Value start = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element)));
    SmallVector<Value> last =
        frame.loop(eval.i64(0), count, {none, start}, [&](Value i, ValueRange carried) -> cpu::CodeFrame::Carry {
          Value entry = load(list, i64, i), row = frame.divide(entry, kListed), known = carried[0];
          Value pick = eval.add(first, frame.remainder(entry, kListed));
          auto isOwn = scf::IfOp::create(b, loc, TypeRange{i64, element}, isEqual(frame.remainder(row, groups), group), true);
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(isOwn.thenBlock());
          Value update = load(buffer(op.getUpdates()), element, updatePlace(line, pick, column));
          Value old = either(
              isEqual(row, known), element, [&] { return carried[1]; },
              [&] {
                frame.when(compare(arith::CmpIPredicate::sge, known, eval.i64(0)),
                           [&] { store(carried[1], output, element, placeOf(known, column)); });
                return replaces() ? start : load(output, element, placeOf(row, column));
              });
          scf::YieldOp::create(b, loc, ValueRange{row, updated(old, update)});
          b.setInsertionPointToStart(isOwn.elseBlock());
          scf::YieldOp::create(b, loc, carried);
          return {isOwn.getResult(0), isOwn.getResult(1)};
        });
    frame.when(compare(arith::CmpIPredicate::sge, last[0], eval.i64(0)),
               [&] { store(last[1], output, element, placeOf(last[0], column)); });
  });
}

KernelCode ScatterKernel::byOwners() {
  placeOwner();
  list = frame.shared("list", b.getI64Type(), kListed);
  counts = frame.shared("counts", b.getI32Type(), kRounds * kWarps);
  frame.loop(eval.i64(0), picks, kListed, [&](Value first) {
    Value count = listMatches(first);
    applyList(first, count);
  });
  int64_t parts = partsFor(shape, chunks);
  return frame.finish(symbols, shape.outer * Dim(chunks * parts),
                      "a block for the rows of each of " + std::to_string(parts) + " parts of a line");
}
} // namespace

KernelCode lathe::gpu::emitScatter(KernelOp kernel, ScatterOp op, const FunctionPlace &place) {
  if (kernel->hasAttr(kInPlaceAttr))
    return ScatterKernel(kernel, op, place, "").emit();
  KernelCode code = CopyKernel(kernel, place, kScatterThreads).emit(op);
  KernelCode updates = ScatterKernel(kernel, op, place, "_updates").emit();
  code.second = {updates.function, updates.threads, updates.extent, updates.unit};
  code.form = updates.form + ", behind a copy";
  return code;
}
