// The code of a matrix product by mma.sync, for one block:
//
//   tile = `rows` x `columns` results; the block's k-slices of the depth (all of them, or with split-K those of a part)
//   start loading the first `stages` - 1 k-slices          // a ring of stages in shared memory: a software pipeline
//   words = operands of the first step                     // in registers
//   for k-slice
//     start loading the k-slice `stages` - 1 further       // cp.async; or through registers, if elements are computed
//     for step of the k-slice, the depth of one instruction
//       next = operands of the next step                   // ldmatrix, or loads of words
//       sums += products of words; words = next            // a warp's part of the tile, in registers
//     wait for the next k-slice; barrier
//   for 16 rows of the warp's part
//     store the sums to the warp's buffer in shared memory
//     results = epilogue(sums)                             // adjacent lanes have adjacent elements
//     or, with split-K: store the sums to scratch memory   // a second function combines the parts
//
// Every sum adds up in the order of the depth, in steps of one instruction, so that tiles and stages change no result.
#include "codegen/GPU/Contraction/Contraction.h"
#include "codegen/GPU/Contraction/Fragments.h"
#include "codegen/GPU/Contraction/Schedule.h"
#include "codegen/GPU/Contraction/Staging.h"
#include "codegen/GPU/Contraction/WarpResults.h"
#include "codegen/GPU/Threads/Parts.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Values = SmallVector<Value>;

namespace {
class ContractionEmitter {
public:
  ContractionEmitter(KernelOp kernel, TiledProduct tiled, const TensorCoresSchedule &schedule, const FunctionPlace &place)
      : kernel(kernel), functionPlace(place), loops(std::move(tiled.loops)), product(std::move(tiled.product)),
        schedule(schedule), tile(schedule.tile), target(place.target.thread()), b(kernel.getContext()),
        grid(product, tile, loops, schedule.parts), words(addTileCounts(kernel)),
        lanes(vectorLanes(kernel, ArrayRef(loops.extents).take_front(loops.parallel), product.nest)),
        frame(kernel, loops.symbols, makeFunction(kernel, place.module, place.name, words, tile.threads()), tile.threads(),
              target, b),
        eval(frame.eval), points(frame, loops, product), fragments(frame, product.element, place.target.isFast),
        left(frame, points, loops, product, product.lhs, product.rows, tile.rows, tile.depth),
        right(frame, points, loops, product, product.rhs, product.columns, tile.columns, tile.depth),
        results(frame, points, loops, product, {fragments.rows, tile.warpColumns()}, {tile.rows, tile.columns}) {}

  KernelCode emit();

private:
  unsigned addTileCounts(KernelOp kernel) {
    grid.addTo(loops);
    return wordsOf(kernel, loops.symbols) + (grid.parts > 1);
  }
  unsigned stageBytes() const { return left.layout.bytes() + right.layout.bytes(); }
  unsigned stages() const { return schedule.stages; }
  unsigned sharedBytes() const { return std::max(stages() * stageBytes(), tile.threads() / kWarp * results.bytes()); }
  /// Returns the stage after this one. A stage is its offset in bytes, i32.
  Value following(Value stage);
  Value lhsAt(Value stage) { return frame.at(memory, b.getI8Type(), frame.widen(stage)); }
  Value rhsAt(Value stage) { return frame.at(lhsAt(stage), b.getI8Type(), int64_t(left.layout.bytes())); }
  void begin(Value slice, Value stage, bool hasZeros);
  void end(Value stage);
  void waitForSlice();

  void placeTile();
  void placeSlices();
  void loadFirst();
  Values loadWords(Value stage, unsigned at);
  void multiplyWords(Values &sums, ArrayRef<Value> words);
  Values multiplySlice(Value slice, ArrayRef<Value> carried);
  Values sumAll();
  void finish(const Values &sums);
  void finishRows(const WarpResults::Part &part, ArrayRef<Value> sums);

  KernelOp kernel;
  const FunctionPlace &functionPlace;
  KernelLoops loops;
  Product product;
  const TensorCoresSchedule &schedule;
  const Tile &tile;
  VectorTarget target;
  OpBuilder b;
  TileGrid grid;
  unsigned words, lanes;
  ThreadFrame frame;
  PointEvaluator &eval;
  ProductPoints points;
  Fragments fragments;
  Staging left, right;
  WarpResults results;
  Value memory, part;
  Value start, slices;             // the first k-slice, and how many there are
  Value warp, warpRow, warpColumn; // i32; the warp's number, and the first row and column of its part
};

void ContractionEmitter::placeTile() {
  Value down = eval.extent(grid.down), across = eval.extent(grid.across), tiles = eval.mul(down, across);
  auto [row, column] =
      placeInBands(frame, frame.narrow(frame.remainder(frame.block, tiles)), frame.narrow(down), frame.narrow(across));
  left.first = eval.mul(frame.widen(row), eval.i64(tile.rows));
  right.first = eval.mul(frame.widen(column), eval.i64(tile.columns));
  Value matrix = frame.divide(frame.block, tiles);
  if (grid.parts > 1) {
    Value matrices = eval.extent(extentOf(loops, product.batch));
    part = frame.divide(matrix, matrices);
    matrix = frame.remainder(matrix, matrices);
  }
  points.set(product.batch, matrix);
  Value wide = frame.divide(frame.thread, kWarp);
  warp = frame.narrow(wide);
  warpRow = frame.narrow(eval.mul(frame.divide(wide, tile.warpsAcross), eval.i64(tile.warpRows())));
  warpColumn = frame.narrow(eval.mul(frame.remainder(wide, tile.warpsAcross), eval.i64(tile.warpColumns())));
}

void ContractionEmitter::placeSlices() {
  Value all = frame.divideUp(eval.extent(extentOf(loops, product.depth)), tile.depth);
  std::tie(start, slices) = placePart(frame, part, grid.parts, all);
}

Value ContractionEmitter::following(Value stage) {
  Value next = eval.add(stage, frame.number(int32_t(stageBytes())));
  Value isEnd =
      arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, next, frame.number(int32_t(stages() * stageBytes())));
  return arith::SelectOp::create(b, frame.loc, isEnd, frame.number(0), next);
}

void ContractionEmitter::begin(Value slice, Value stage, bool hasZeros) {
  Value low = eval.mul(eval.add(start, slice), eval.i64(tile.depth)), exists = frame.isBelow(slice, slices);
  left.begin(low, exists, lhsAt(stage), hasZeros);
  right.begin(low, exists, rhsAt(stage), hasZeros);
  if (stages() > 2)
    NVVM::CpAsyncCommitGroupOp::create(b, frame.loc);
}

void ContractionEmitter::end(Value stage) {
  left.end(lhsAt(stage));
  right.end(rhsAt(stage));
}

/// Waits until the oldest k-slice in flight has arrived for all threads, and all have read the one before it.
void ContractionEmitter::waitForSlice() {
  if (stages() > 2)
    NVVM::CpAsyncWaitGroupOp::create(b, frame.loc, stages() - 2);
  frame.barrier();
}

void ContractionEmitter::loadFirst() {
  frame.loop(eval.i64(0), eval.i64(stages() - 1), 1, [&](Value slice) {
    Value stage = eval.mul(frame.narrow(slice), frame.number(int32_t(stageBytes())));
    begin(slice, stage, /*hasZeros=*/true);
    end(stage);
  });
  waitForSlice();
}

/// Loads the warp's words of both operands for one step of the depth.
Values ContractionEmitter::loadWords(Value stage, unsigned at) {
  Values all = fragments.loadLhs({left.layout, lhsAt(stage), warpRow}, tile.warpRows(), at);
  llvm::append_range(all, fragments.loadRhs({right.layout, rhsAt(stage), warpColumn}, tile.warpColumns(), at));
  return all;
}

/// Adds the products of a step's words to the warp's sums.
void ContractionEmitter::multiplyWords(Values &sums, ArrayRef<Value> words) {
  unsigned down = tile.warpRows() / fragments.rows, across = tile.warpColumns() / fragments.columns;
  SmallVector<Values> lefts, rights;
  for (unsigned i = 0; i < down; ++i, words = words.drop_front(fragments.lhsWords))
    lefts.push_back(fragments.ready(words.take_front(fragments.lhsWords)));
  for (unsigned j = 0; j < across; ++j, words = words.drop_front(fragments.rhsWords))
    rights.push_back(fragments.ready(words.take_front(fragments.rhsWords)));
  for (unsigned i = 0; i < down; ++i)
    for (unsigned j = 0; j < across; ++j) {
      auto *sum = sums.begin() + (i * across + j) * fragments.sums;
      Values made = fragments.multiply(lefts[i], rights[j], ArrayRef(sum, fragments.sums));
      std::copy(made.begin(), made.end(), sum);
    }
}

/// Multiplies a k-slice. `carried` has its stage, the stage of the k-slice before it, the words of its first step, and the
/// sums. While a step's words are multiplied, those of the next step are loaded; for the last step, those of the next k-slice.
Values ContractionEmitter::multiplySlice(Value slice, ArrayRef<Value> carried) {
  Value stage = carried[0], free = carried[1];
  unsigned wordCount =
      tile.warpRows() / fragments.rows * fragments.lhsWords + tile.warpColumns() / fragments.columns * fragments.rhsWords;
  Values stepWords(carried.slice(2, wordCount)), sums(carried.drop_front(2 + wordCount));
  begin(eval.add(slice, eval.i64(stages() - 1)), free, /*hasZeros=*/false);
  for (unsigned at = fragments.depth; at < tile.depth; at += fragments.depth) {
    Values next = loadWords(stage, at);
    multiplyWords(sums, stepWords);
    stepWords = next;
  }
  end(free);
  waitForSlice();
  Value hasNext = frame.isBelow(eval.add(slice, eval.i64(1)), slices);
  Value after = arith::SelectOp::create(b, frame.loc, hasNext, following(stage), stage); // else the same words again
  Values next = {after, stage};
  llvm::append_range(next, loadWords(after, 0));
  multiplyWords(sums, stepWords);
  llvm::append_range(next, sums);
  return next;
}

/// Emits the loop over the k-slices. One barrier per k-slice is enough: the stage that is written next was read before the last
/// barrier.
Values ContractionEmitter::sumAll() {
  placeSlices();
  loadFirst();
  Values carried = {frame.number(0), frame.number(int32_t((stages() - 1) * stageBytes()))};
  llvm::append_range(carried, loadWords(carried[0], 0));
  unsigned before = carried.size();
  unsigned products = tile.warpRows() / fragments.rows * (tile.warpColumns() / fragments.columns);
  for (unsigned i = 0; i < products; ++i)
    llvm::append_range(carried, fragments.zeros());
  Values after = frame.rolledLoop(eval.i64(0), slices, carried,
                                  [&](Value slice, ValueRange values) { return multiplySlice(slice, Values(values)); });
  return Values(ArrayRef(after).drop_front(before));
}

/// Finishes the tile. A warp's rows pass through its buffer in shared memory, which has the memory of the stages.
void ContractionEmitter::finish(const Values &sums) {
  if (stages() > 2)
    NVVM::CpAsyncWaitGroupOp::create(b, frame.loc, 0); // copies of zeros may be in flight
  frame.barrier();
  Value buffer = frame.at(memory, b.getI8Type(), frame.widen(eval.mul(warp, frame.number(int32_t(results.bytes())))));
  Value firstRow = eval.add(left.first, frame.widen(warpRow)), firstColumn = eval.add(right.first, frame.widen(warpColumn));
  unsigned ofRows = tile.warpColumns() / fragments.columns * fragments.sums;
  for (unsigned i = 0; i * ofRows < sums.size(); ++i) {
    if (i > 0)
      frame.warpBarrier(); // the previous rows have been read
    finishRows({buffer, eval.add(firstRow, eval.i64(i * fragments.rows)), firstColumn},
               ArrayRef(sums).slice(i * ofRows, ofRows));
  }
}

void ContractionEmitter::finishRows(const WarpResults::Part &rows, ArrayRef<Value> sums) {
  auto [row, column] = fragments.placeOfResults();
  Values all;
  for (unsigned j = 0; j < sums.size() / fragments.sums; ++j) {
    ArrayRef<Value> made = sums.slice(j * fragments.sums, fragments.sums);
    for (unsigned i = 0; i < made.size(); i += 2)
      results.put(rows, made.slice(i, 2), row, i * 4, column, j * fragments.columns);
    llvm::append_range(all, made);
  }
  frame.warpBarrier();
  if (grid.parts > 1)
    return results.storePart(rows, part, grid.parts);
  if (!product.isExact())
    results.repair(rows, all);
  results.store(rows, lanes);
}

KernelCode ContractionEmitter::emit() {
  frame.wantRegisters();
  memory = frame.dynamicShared();
  placeTile();
  finish(sumAll());
  KernelCode code =
      frame.finish(loops.symbols, grid.tiles,
                   "tiles of " + std::to_string(tile.rows) + " x " + std::to_string(tile.columns) + " on tensor cores");
  code.sharedBytes = sharedBytes();
  if (grid.parts > 1)
    combineParts(code, kernel, loops, product, functionPlace, grid.parts);
  return code;
}

class TensorCoresForm : public FormOf<TensorCoresSchedule> {
public:
  TensorCoresForm() : FormOf("tensor_cores") {}

  bool takes(KernelOp kernel, const Target &) const override { return TiledProduct::of(kernel).has_value(); }

private:
  FailureOr<TensorCoresSchedule> chooseFor(KernelOp kernel, const Target &target) const override {
    return chooseTensorCores(*TiledProduct::of(kernel), target);
  }
  LogicalResult check(KernelOp kernel, const TensorCoresSchedule &schedule, const Target &target) const override {
    return checkTensorCores(kernel, *TiledProduct::of(kernel), schedule, target);
  }
  FailureOr<KernelCode> emitBy(KernelOp kernel, const TensorCoresSchedule &schedule,
                               const FunctionPlace &place) const override {
    return ContractionEmitter(kernel, *TiledProduct::of(kernel), schedule, place).emit();
  }
};
} // namespace

const Form &lathe::gpu::tensorCoresForm() {
  static const TensorCoresForm form;
  return form;
}

void lathe::gpu::combineParts(KernelCode &code, KernelOp kernel, const KernelLoops &loops, const Product &product,
                              const FunctionPlace &place, int64_t parts) {
  int64_t points = productOf(ArrayRef(loops.extents).take_front(loops.parallel)).constant();
  code.extent = code.extent * Dim(parts);
  code.second = emitCombination(kernel, loops, place, code.words, points, parts, product.isExact());
  code.scratchBytes = Parts::bytesOf(product.sum, points, parts);
  code.form += " in " + std::to_string(parts) + " parts of the depth";
}
