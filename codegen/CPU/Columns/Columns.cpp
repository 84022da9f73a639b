// The code of a reduction over columns:
//
//   for outer parallel loops, for block of `columns` columns      // work items have `piece` columns
//     for chain of the reduction                                  // one, unless it sums floats
//       accumulators = neutral                                    // one for each column, in memory
//       for row of the chain, for `terms` terms of it
//         for `vectors * lanes` columns
//           accumulators = step(... step(accumulators, term) ..., term)
//       sums = accumulators, or sums += accumulators
//     results = epilogue(sums)
//
// Sums of groups of chains are added in pairs by a binary counter (PairSums) or one after the other (addGroup), here with all
// columns of a block in memory.
#include "codegen/CPU/Columns/Columns.h"
#include "codegen/CPU/Columns/Choice.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Tiles/Frame.h"
#include "codegen/Points/Reduction.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
class ColumnsEmitter {
public:
  ColumnsEmitter(KernelOp kernel, KernelLoops kernelLoops, const ColumnReductionSchedule &schedule, const FunctionPlace &at)
      : frame(kernel, std::move(kernelLoops), at.function, at.target, at.builder), eval(frame.eval), loops(frame.loops),
        schedule(schedule), columnLoop(schedule.columnLoop), columns(loops.extents[columnLoop]), row(loops.extents.size() - 1),
        outer(outerDims(loops, columnLoop)), reduction(loops.reduction, eval), order(columnOrder(loops)),
        // Only sums of floats have an order.
        chains(frame, order, isFloatSum(loops.reduction) ? elementOfSum() : frame.b.getI32Type(),
               numElements(reducedDims(loops)).value_or(Dim::unknown()), reducedDims(loops).back()) {}

  KernelCode emit();

private:
  using Body = function_ref<void(Value inBlock)>;
  struct Block {
    Value first, end;
  };

  Type elementOfSum() { return loops.reduction.getBody().front().getTerminator()->getOperand(0).getType(); }
  void makeStack();
  int64_t piecesOfLine() const;
  Dim items() const;
  void emitBlocks(Value low, Value high);
  void emitBlock(const Block &block);
  void forColumns(const Block &block, Body body);
  void enterRow(Value number);
  void addChain(const Block &block, const Chains::Terms &terms);
  void addTerms(const Block &block, Value low, Value high);
  void addTerms(const Block &block, Value first, unsigned count);
  void endChain(const Block &block, Value isFirst);
  void endGroup(const Block &block, Value group, Value groups);
  Value load(Value buffer, Type element, Value inBlock);
  Reduction::Accumulators loadAll(Value inBlock);
  void storeAll(const Reduction::Accumulators &values, Value inBlock);

  KernelFrame frame;
  PointEvaluator &eval;
  KernelLoops &loops;
  const ColumnReductionSchedule &schedule;
  unsigned columnLoop;
  Dim columns;
  unsigned row; // the last dimension of the reduction
  Dims outer;   // the parallel loops around columns
  Reduction reduction;
  SumOrder order;
  Chains chains;
  SmallVector<Value> accumulators; // buffers for the columns of a block
  SmallVector<Type> elements;      // of the accumulators
  Value groupSums, totals;         // totals: of all groups, or for each digit of the counter
  SmallVector<Index> place;        // index of every loop
};
} // namespace

void ColumnsEmitter::makeStack() {
  eval.lanes = 1;
  for (Value value : reduction.neutral()) {
    elements.push_back(value.getType());
    accumulators.push_back(frame.stack(value.getType(), schedule.columns));
  }
  if (!chains.areOne())
    groupSums = frame.stack(elements[0], schedule.columns);
  if (!chains.areOneGroup())
    totals = frame.stack(elements[0], schedule.columns * std::max<int64_t>(groupDigits(loops), 1));
}

/// Returns the work items per line of columns; 1 if there are loops around it and its length is not static.
int64_t ColumnsEmitter::piecesOfLine() const {
  return columns.isStatic() ? std::max<int64_t>(llvm::divideCeil(columns.constant(), schedule.piece), 1) : 1;
}

Dim ColumnsEmitter::items() const { return numElements(outer).value_or(Dim::unknown()) * Dim(piecesOfLine()); }

/// Calls the body for all columns of a block: in a main loop of `vectors * lanes` of them, then of `lanes`, with lanes past the
/// end masked off.
void ColumnsEmitter::forColumns(const Block &block, Body body) {
  auto run = [&](unsigned lanes, Value from, Value to, bool isMasked) {
    frame.loop(from, to, lanes, [&](Value column) {
      eval.lanes = lanes;
      eval.nextPoint();
      place[columnLoop] = {column, 1, {}};
      if (isMasked)
        eval.tail = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::slt, eval.iota(),
                                          eval.splat(eval.sub(block.end, column)));
      body(eval.sub(column, block.first));
      eval.tail = {};
    });
  };
  int64_t width = schedule.lanes * schedule.vectors;
  Value length = eval.sub(block.end, block.first);
  Value middle = eval.sub(block.end, frame.remainder(length, width));
  run(width, block.first, middle, false);
  if (!columns.isStatic() || columns.constant() % width || schedule.piece % width)
    run(schedule.lanes, middle, block.end, true);
}

Value ColumnsEmitter::load(Value buffer, Type element, Value inBlock) {
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  return LLVM::LoadOp::create(frame.b, frame.loc, eval.vectorOf(element), frame.at(buffer, element, inBlock), bytes);
}

Reduction::Accumulators ColumnsEmitter::loadAll(Value inBlock) {
  Reduction::Accumulators values;
  for (auto [buffer, element] : llvm::zip_equal(accumulators, elements))
    values.push_back(load(buffer, element, inBlock));
  return values;
}

static void store(KernelFrame &frame, Value value, Value buffer, Type element, Value inBlock) {
  LLVM::StoreOp::create(frame.b, frame.loc, value, frame.at(buffer, element, inBlock), element.getIntOrFloatBitWidth() / 8);
}

void ColumnsEmitter::storeAll(const Reduction::Accumulators &values, Value inBlock) {
  for (auto [value, buffer, element] : llvm::zip_equal(values, accumulators, elements))
    store(frame, value, buffer, element, inBlock);
}

/// Sets the indices of the reduction's dimensions before the last one.
void ColumnsEmitter::enterRow(Value number) {
  llvm::copy(frame.indicesOf(number, reducedDims(loops).drop_back()), place.begin() + loops.parallel);
}

void ColumnsEmitter::addTerms(const Block &block, Value first, unsigned count) {
  forColumns(block, [&](Value inBlock) {
    Reduction::Accumulators values = loadAll(inBlock);
    eval.fetchDistance = schedule.fetch;
    for (unsigned term = 0; term < count; ++term) {
      place[row] = eval.uniform(eval.add(first, eval.i64(term)));
      values = reduction.step(values, place, {});
    }
    eval.fetchDistance = 0;
    storeAll(values, inBlock);
  });
}

/// Adds the terms [low, high) of a row.
void ColumnsEmitter::addTerms(const Block &block, Value low, Value high) {
  Value whole = eval.sub(high, frame.remainder(eval.sub(high, low), schedule.terms));
  frame.loop(low, whole, schedule.terms, [&](Value first) { addTerms(block, first, schedule.terms); });
  if (schedule.terms > 1)
    frame.loop(whole, high, 1, [&](Value term) { addTerms(block, term, 1u); });
}

/// Computes the accumulators of a chain, which consists of whole rows or lies within one.
void ColumnsEmitter::addChain(const Block &block, const Chains::Terms &terms) {
  forColumns(block, [&](Value inBlock) { storeAll(reduction.neutral(), inBlock); });
  Value end = eval.add(terms.start, terms.length);
  if (row == loops.parallel)
    return addTerms(block, terms.start, end);
  Value length = frame.max(eval.extent(loops.extents[row]), eval.i64(1));
  Value rowsEnd = frame.divide(eval.add(end, eval.sub(length, eval.i64(1))), length);
  frame.loop(frame.divide(terms.start, length), rowsEnd, 1, [&](Value number) {
    Value origin = eval.mul(number, length);
    enterRow(number);
    addTerms(block, frame.max(eval.sub(terms.start, origin), eval.i64(0)), eval.min(eval.sub(end, origin), length));
  });
}

void ColumnsEmitter::endChain(const Block &block, Value isFirst) {
  forColumns(block, [&](Value inBlock) {
    Value chain = load(accumulators[0], elements[0], inBlock);
    Value both = arith::AddFOp::create(frame.b, frame.loc, load(groupSums, elements[0], inBlock), chain);
    store(frame, arith::SelectOp::create(frame.b, frame.loc, isFirst, chain, both), groupSums, elements[0], inBlock);
  });
}

/// Counts a group: after the last one, `groupSums` is the sum of all. Digit d of the counter holds the sum of 2^d groups. A
/// group carries through the trailing digits that are set; the last one is added to all that are.
void ColumnsEmitter::endGroup(const Block &block, Value group, Value groups) {
  OpBuilder &b = frame.b;
  Location loc = frame.loc;
  int64_t digits = groupDigits(loops);
  Type vector = VectorType::get(schedule.lanes, elements[0]);
  if (!digits)
    return addGroup(frame, vector, groupSums, totals, eval.i64(schedule.columns / schedule.lanes), group, groups);
  Value isLast = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, eval.add(group, eval.i64(1)), groups);
  Value trailing = math::CountTrailingZerosOp::create(b, loc, arith::XOrIOp::create(b, loc, group, eval.i64(-1)));
  auto digitAt = [&](Value digit) { return frame.at(totals, elements[0], eval.mul(digit, eval.i64(schedule.columns))); };
  frame.loop(eval.i64(0), eval.i64(digits), 1, [&](Value digit) {
    Value bit = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, group, digit), eval.i64(1));
    Value isSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, eval.i64(0));
    Value carries = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, digit, trailing);
    frame.when(arith::SelectOp::create(b, loc, isLast, isSet, carries), [&] {
      forColumns(block, [&](Value inBlock) {
        Value there = load(digitAt(digit), elements[0], inBlock), sum = load(groupSums, elements[0], inBlock);
        store(frame, arith::AddFOp::create(b, loc, there, sum), groupSums, elements[0], inBlock);
      });
    });
  });
  frame.when(frame.isNot(isLast), [&] {
    forColumns(block, [&](Value inBlock) {
      store(frame, load(groupSums, elements[0], inBlock), digitAt(trailing), elements[0], inBlock);
    });
  });
}

void ColumnsEmitter::emitBlock(const Block &block) {
  chains.forEach(
      [&](Value chain, Value isFirst) {
        addChain(block, chains.terms(chain));
        if (!chains.areOne())
          endChain(block, isFirst);
      },
      [&](Value group, Value groups) { endGroup(block, group, groups); });
  forColumns(block, [&](Value inBlock) {
    Reduction::Accumulators values =
        groupSums ? Reduction::Accumulators{load(groupSums, elements[0], inBlock)} : loadAll(inBlock);
    frame.finish(loops.reduction.getResult(), reduction.result(values), ArrayRef(place).take_front(loops.parallel));
  });
}

void ColumnsEmitter::emitBlocks(Value low, Value high) {
  frame.loop(low, high, schedule.columns,
             [&](Value first) { emitBlock({first, eval.min(eval.add(first, eval.i64(schedule.columns)), high)}); });
}

KernelCode ColumnsEmitter::emit() {
  makeStack();
  place.assign(loops.extents.size(), eval.uniform(eval.i64(0)));
  Value extent = eval.extent(columns), piece = eval.i64(schedule.piece);
  if (outer.empty()) {
    emitBlocks(eval.mul(frame.begin, piece), eval.min(eval.mul(frame.end, piece), extent));
  } else {
    frame.loop(frame.begin, frame.end, 1, [&](Value item) {
      int64_t pieces = piecesOfLine();
      Value low = eval.mul(frame.remainder(item, pieces), piece), line = frame.divide(item, pieces);
      for (unsigned dim = loops.parallel; dim-- > 0;) {
        if (dim == columnLoop)
          continue;
        Value size = eval.extent(loops.extents[dim]);
        place[dim] = eval.uniform(frame.remainder(line, size));
        line = frame.divide(line, size);
      }
      emitBlocks(low, pieces == 1 ? extent : eval.min(eval.add(low, piece), extent));
    });
  }
  frame.close();
  KernelCode code;
  code.function = frame.function;
  code.symbols = loops.symbols;
  code.extent = outer.empty() ? columns : items();
  code.unit = outer.empty() ? schedule.piece : 1;
  for (const Dim &dim : loops.extents)
    code.work = code.work * dim;
  code.threadWork = tuning::kThreadTerms;
  return code;
}

namespace {
class ColumnsForm : public FormOf<ColumnReductionSchedule> {
public:
  ColumnsForm() : FormOf("column_reduction") {}

  bool takes(KernelOp kernel, const VectorTarget &target) const override {
    if (!isOfNests(kernel) || llvm::none_of(kernel.getBody().getOps<NestOp>(),
                                            [](NestOp nest) { return nest.getReduction() != NestReduction::None; }))
      return false;
    FailureOr<KernelLoops> loops = analyseLoops(kernel);
    return succeeded(loops) && chooseColumns(kernel, *loops, target);
  }

protected:
  FailureOr<ColumnReductionSchedule> chooseFor(KernelOp kernel, const VectorTarget &target) const override {
    return *chooseColumns(kernel, *analyseLoops(kernel), target);
  }
  LogicalResult check(KernelOp kernel, const ColumnReductionSchedule &schedule, const VectorTarget &) const override {
    return checkColumns(kernel, *analyseLoops(kernel), schedule);
  }
  FailureOr<KernelCode> emitBy(KernelOp kernel, const ColumnReductionSchedule &schedule,
                               const FunctionPlace &at) const override {
    return ColumnsEmitter(kernel, *analyseLoops(kernel), schedule, at).emit();
  }
};
} // namespace

const Form &lathe::cpu::columnsForm() {
  static const ColumnsForm form;
  return form;
}
