// Kernels over rows: several passes over each row, by a group of threads that shares it. Each thread has every n-th element of
// the row in all passes, so that what a pass keeps is in its own hands; reductions are combined by the group.
#include "codegen/GPU/Forms.h"
#include "codegen/GPU/GroupReduction.h"
#include "codegen/GPU/Vectors.h"
#include "codegen/Points/RowPlan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Accumulators = Reduction::Accumulators;

namespace {
/// Threads that share a row: up to a warp for a short one.
unsigned threadsPerRow(const RowPlan &plan, unsigned lanes) {
  constexpr int64_t kWarpRow = 1024, kLongRow = 8192;
  std::optional<int64_t> size = plan.lineSize();
  if (!size)
    return 256;
  *size /= lanes;
  if (*size <= kWarpRow)
    return std::clamp<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(*size, 1)), 1, kWarp);
  return *size <= kLongRow ? 256 : 512;
}

class RowPassesEmitter {
public:
  RowPassesEmitter(KernelOp kernel, const FunctionPlace &place)
      : plan(kernel), thread(place.target.thread()), lanes(plan.lineExtents().size() == 1 ? vectorLanes(kernel, plan.full) : 1),
        perRow(threadsPerRow(plan, lanes)), threads(std::max(perRow, kBlock)), b(kernel.getContext()),
        words(wordsOf(kernel, plan.symbols)),
        frame(kernel, plan.symbols, makeFunction(kernel, place.module, place.name, words, threads), threads, thread, b),
        eval(frame.eval) {}

  KernelCode emit();

private:
  unsigned rowsPerBlock() const { return threads / perRow; }
  void placeBuffers();
  void makeRowValues(unsigned level);
  void emitPass(RowPass &pass);
  SmallVector<Value> element(RowPass &pass, ArrayRef<Reduction> reductions, ValueRange carried);
  void keep(RowBuffer &buffer);
  void storeRow();
  void meet();

  static constexpr unsigned kBlock = 128; // threads of a block of short rows

  RowPlan plan;
  VectorTarget thread;
  unsigned lanes; // neighbours that a thread has at once
  unsigned perRow, threads;
  OpBuilder b;
  unsigned words;
  ThreadFrame frame;
  PointEvaluator &eval;
  Value inRow;                                   // the thread's number in its group
  Value isInside;                                // whether there is a row for the group
  SmallVector<Index> place;                      // of the row, then in it
  DenseMap<Value, PointEvaluator::Kept> buffers; // where values live between passes
};

/// The group's threads see what they have written.
void RowPassesEmitter::meet() { perRow <= kWarp ? frame.warpBarrier() : frame.barrier(); }

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

void RowPassesEmitter::keep(RowBuffer &buffer) {
  Value value = buffer.value.getResult();
  const PointEvaluator::Kept &kept = buffers.find(value)->second;
  SmallVector<Index> inBuffer;
  for (unsigned dim : kept.dims)
    inBuffer.push_back(place[dim]);
  eval.store(eval.tensor(value, place), kept.buffer, kept.type, inBuffer);
}

/// What a pass does with one element: what it keeps, what it reduces, what it stores.
SmallVector<Value> RowPassesEmitter::element(RowPass &pass, ArrayRef<Reduction> reductions, ValueRange carried) {
  for (RowBuffer &buffer : plan.buffers)
    if (llvm::is_contained(pass.keeps, buffer.value))
      keep(buffer);
  SmallVector<Value> next;
  for (auto [nest, reduction] : llvm::zip_equal(pass.reductions, reductions)) {
    llvm::SaveAndRestore<Location> line(eval.loc, nest.getLoc());
    Accumulators values(carried.slice(next.size(), reduction.size()));
    llvm::append_range(next, reduction.step(values, place, {}));
  }
  SmallVector<Value> stored;
  for (unsigned result : pass.stores)
    stored.push_back(eval.tensor(plan.roots[result], place));
  for (auto [result, value] : llvm::zip_equal(pass.stores, stored))
    eval.store(value, frame.outputs[result], cast<RankedTensorType>(plan.roots[result].getType()), place);
  return next;
}

/// A group without a row goes through the loop no time, and meets the others all the same.
void RowPassesEmitter::emitPass(RowPass &pass) {
  SmallVector<Reduction> reductions;
  SmallVector<Value> carry;
  eval.lanes = lanes;
  for (NestOp nest : pass.reductions) {
    reductions.emplace_back(nest, eval);
    llvm::append_range(carry, reductions.back().neutral());
  }
  Value length = eval.extent(ThreadFrame::product(plan.lineExtents()));
  length = arith::SelectOp::create(b, frame.loc, isInside, length, eval.i64(0));
  Value first = eval.mul(inRow, eval.i64(lanes));
  auto loop = scf::ForOp::create(b, frame.loc, first, length, eval.i64(perRow * lanes), carry);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    eval.nextPlace();
    place.truncate(plan.rank);
    if (lanes > 1)
      place.push_back({loop.getInductionVar(), 1, {}});
    else
      llvm::append_range(place, frame.indicesOf(loop.getInductionVar(), plan.lineExtents()));
    SmallVector<Value> next = element(pass, reductions, loop.getRegionIterArgs());
    if (!carry.empty())
      scf::YieldOp::create(b, frame.loc, next);
  }
  eval.nextPlace();
  ValueRange left = loop.getResults();
  for (auto [nest, reduction] : llvm::zip_equal(pass.reductions, reductions)) {
    llvm::SaveAndRestore<Location> line(eval.loc, nest.getLoc());
    Accumulators own = reduction.acrossLanes(Accumulators(left.take_front(reduction.size())));
    Accumulators total = combineGroup(frame, reduction, own, {1, perRow});
    left = left.drop_front(reduction.size());
    eval.reduced[nest.getResult()] = reduction.result(total);
  }
  eval.lanes = 1;
  meet();
}

void RowPassesEmitter::storeRow() {
  Value isFirst = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, inRow, eval.i64(0));
  frame.when(arith::AndIOp::create(b, frame.loc, isInside, isFirst), [&] {
    makeRowValues(~0u);
    ArrayRef<Index> row = ArrayRef(place).take_front(plan.rank);
    SmallVector<Value> values; // all before the first store: an output may be the buffer of an input
    for (unsigned result : plan.rowResults)
      values.push_back(eval.tensor(plan.roots[result], row));
    for (auto [result, value] : llvm::zip_equal(plan.rowResults, values))
      eval.store(value, frame.outputs[result], cast<RankedTensorType>(plan.roots[result].getType()), row);
  });
}

KernelCode RowPassesEmitter::emit() {
  inRow = frame.remainder(frame.thread, perRow);
  Value number = eval.add(eval.mul(frame.block, eval.i64(rowsPerBlock())), frame.divide(frame.thread, perRow));
  Dim rows = ThreadFrame::product(plan.rowExtents());
  Value count = eval.extent(rows);
  isInside = frame.isBelow(number, count);
  place = frame.indicesOf(eval.min(number, eval.sub(count, eval.i64(1))), plan.rowExtents());
  placeBuffers();
  eval.alignsVectors = true; // where there are vectors
  for (RowPass &pass : plan.passes) {
    makeRowValues(pass.level);
    emitPass(pass);
    for (NestOp value : pass.keeps)
      eval.kept[value.getResult()] = buffers[value.getResult()];
  }
  storeRow();
  KernelCode code = frame.finish(plan.symbols, rows, std::to_string(perRow) + " threads for each row");
  code.unit = rowsPerBlock();
  return code;
}
} // namespace

KernelCode lathe::gpu::emitRowPasses(KernelOp kernel, const FunctionPlace &place) {
  return RowPassesEmitter(kernel, place).emit();
}
