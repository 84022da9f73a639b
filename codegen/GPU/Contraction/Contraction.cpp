#include "codegen/GPU/Contraction/Contraction.h"
#include "codegen/GPU/Contraction/Fragments.h"
#include "codegen/GPU/Contraction/ProductPoints.h"
#include "codegen/GPU/Contraction/Tile.h"
#include "codegen/GPU/Parts.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Values = SmallVector<Value>;

bool lathe::gpu::isTiled(const Product &product, const KernelLoops &loops) {
  auto atLeast = [&](ArrayRef<unsigned> dims, int64_t least) {
    Dim all = extentOf(loops, dims);
    return !all.isStatic() || all.constant() >= least;
  };
  return atLeast(product.rows, 4) && atLeast(product.columns, 4) && atLeast(product.depth, 4);
}

namespace {
/// The part of an operand that a thread brings to shared memory.
struct Staging {
  const ProductOperand &operand;
  ArrayRef<unsigned> dims; // of the loops, beside the depth
  unsigned rows;           // of the tile
  Value first;             // of the tile in the matrix
  Value row, depth;        // of the thread's first element in the piece
  unsigned rowStep = 0, depthStep = 0, count = 0;
};

class ContractionEmitter {
public:
  ContractionEmitter(KernelOp kernel, KernelLoops kernelLoops, const Product &product, const FunctionPlace &place)
      : kernel(kernel), functionPlace(place), loops(std::move(kernelLoops)), product(product), tile(chooseTile(product, loops)),
        target(place.target.thread()), b(kernel.getContext()), grid(product, tile, loops), words(addTileCounts(kernel)),
        frame(kernel, loops.symbols, makeFunction(kernel, place.module, place.name, words, tile.threads()), tile.threads(),
              target, b),
        eval(frame.eval), points(frame, loops, product), pitch(Fragments::pitchFor(product.element, tile.depth)),
        fragments(frame, product.element, pitch, place.target.isFast), stored(Fragments::stored(b, product.element)) {}

  KernelCode emit();

private:
  Dim extentOf(ArrayRef<unsigned> dims) const { return lathe::gpu::extentOf(loops, dims); }
  unsigned addTileCounts(KernelOp kernel) {
    grid.addTo(loops);
    return wordsOf(kernel, loops.symbols) + (grid.parts > 1);
  }
  void placeTile();
  Staging stage(const ProductOperand &operand, ArrayRef<unsigned> dims, unsigned rows, Value first);
  Values fetch(const Staging &staging, Value depthLow, Value exists);
  Value fetchOne(const Staging &staging, Value row, Value depth, Value exists);
  void put(const Staging &staging, const Values &values, Value memory);
  Values multiplyPiece(const Values &sums, Value lhs, Value rhs);
  Values sumAll();
  void toMemory(const Values &sums);
  void forTile(function_ref<void(Value, Value, Value)> body);
  void finish();
  void storePart();
  Value memoryAt(Value buffer, unsigned rows, Value number) {
    return frame.at(buffer, stored, eval.mul(number, eval.i64(int64_t(rows) * pitch)));
  }
  unsigned sharedBytes() const;
  unsigned sumPitch() const { return tile.columns + 4; } // of sums in shared memory
  int64_t pointCount() const {
    return (extentOf(product.batch) * extentOf(product.rows) * extentOf(product.columns)).constant();
  }

  KernelOp kernel;
  const FunctionPlace &functionPlace;
  KernelLoops loops;
  Product product;
  Tile tile;
  VectorTarget target;
  OpBuilder b;
  TileGrid grid;
  int64_t scratchBytes = 0;
  unsigned words;
  ThreadFrame frame;
  PointEvaluator &eval;
  ProductPoints points;
  unsigned pitch;
  Fragments fragments;
  Type stored;
  Value firstRow, firstColumn, rows, columns, depth, memory, part;
  Value warpRow, warpColumn; // of the warp's part in the tile
};

/// Blocks go along rows first, so that those which run together read the same columns of rhs.
void ContractionEmitter::placeTile() {
  Value downs = eval.extent(grid.down), across = eval.extent(grid.across);
  Value number = frame.divide(frame.block, downs);
  firstRow = eval.mul(frame.remainder(frame.block, downs), eval.i64(tile.rows));
  firstColumn = eval.mul(frame.remainder(number, across), eval.i64(tile.columns));
  Value matrix = frame.divide(number, across);
  if (grid.parts > 1) {
    Value matrices = eval.extent(extentOf(product.batch));
    part = frame.divide(matrix, matrices);
    matrix = frame.remainder(matrix, matrices);
  }
  points.set(product.batch, matrix);
  rows = eval.extent(extentOf(product.rows));
  columns = eval.extent(extentOf(product.columns));
  depth = eval.extent(extentOf(product.depth));
  Value warp = frame.divide(frame.thread, kWarp);
  warpRow = eval.mul(frame.divide(warp, tile.warpsAcross), eval.i64(tile.warpRows()));
  warpColumn = eval.mul(frame.remainder(warp, tile.warpsAcross), eval.i64(tile.warpColumns()));
}

/// Neighbouring threads bring neighbours in memory.
Staging ContractionEmitter::stage(const ProductOperand &operand, ArrayRef<unsigned> dims, unsigned tileRows, Value first) {
  Staging staging{operand, dims, tileRows, first, {}, {}};
  staging.count = tileRows * tile.depth / frame.threads;
  unsigned inner = operand.hasDepthNeighbours ? tile.depth : tileRows;
  Value fast = frame.remainder(frame.thread, inner), slow = frame.divide(frame.thread, inner);
  unsigned step = frame.threads / inner;
  if (operand.hasDepthNeighbours) {
    staging.depth = fast;
    staging.row = slow;
    staging.rowStep = step;
  } else {
    staging.row = fast;
    staging.depth = slow;
    staging.depthStep = step;
  }
  return staging;
}

Value ContractionEmitter::fetchOne(const Staging &staging, Value row, Value at, Value exists) {
  Dim all = extentOf(product.depth), own = extentOf(staging.dims);
  Value number = eval.add(staging.first, row), mask = exists;
  if (!own.isStatic() || own.constant() % staging.rows != 0)
    mask = eval.both(mask, frame.isBelow(number, eval.extent(own)));
  Value inside;
  if (!all.isStatic() || all.constant() % tile.depth != 0)
    inside = frame.isBelow(at, depth);
  points.set(staging.dims, number);
  points.set(product.depth, at);
  Value value = eval.input(product.nest, staging.operand.input, staging.operand.tensor, points.place, eval.both(mask, inside),
                           staging.operand.isGuarded);
  if (inside)
    value = arith::SelectOp::create(b, frame.loc, inside, value, eval.constant(stored, 0));
  return value;
}

/// The thread's elements of the piece that begins there; anything where the piece does not exist.
Values ContractionEmitter::fetch(const Staging &staging, Value depthLow, Value exists) {
  Values values;
  for (unsigned i = 0; i < staging.count; ++i) {
    eval.nextPlace();
    Value row = eval.add(staging.row, eval.i64(i * staging.rowStep));
    Value at = eval.add(eval.add(staging.depth, eval.i64(i * staging.depthStep)), depthLow);
    values.push_back(fetchOne(staging, row, at, exists));
  }
  eval.nextPlace();
  return values;
}

void ContractionEmitter::put(const Staging &staging, const Values &values, Value memory) {
  Value first = eval.add(eval.mul(staging.row, eval.i64(pitch)), staging.depth);
  for (auto [i, value] : llvm::enumerate(values))
    frame.storeOne(value, frame.at(frame.at(memory, stored, first), stored,
                                   int64_t(i) * (int64_t(staging.rowStep) * pitch + staging.depthStep)));
}

/// The warp's sums with the products of a piece.
Values ContractionEmitter::multiplyPiece(const Values &sums, Value lhs, Value rhs) {
  unsigned down = tile.warpRows() / fragments.rows, across = tile.warpColumns() / fragments.columns;
  Values next = sums;
  Value left = frame.at(lhs, stored, eval.mul(warpRow, eval.i64(pitch)));
  Value right = frame.at(rhs, stored, eval.mul(warpColumn, eval.i64(pitch)));
  for (unsigned at = 0; at < tile.depth; at += fragments.depth) {
    SmallVector<Values> lefts, rights;
    for (unsigned i = 0; i < down; ++i)
      lefts.push_back(fragments.loadLhs(frame.at(left, stored, int64_t(i * fragments.rows) * pitch + at)));
    for (unsigned j = 0; j < across; ++j)
      rights.push_back(fragments.loadRhs(frame.at(right, stored, int64_t(j * fragments.columns) * pitch + at)));
    for (unsigned i = 0; i < down; ++i)
      for (unsigned j = 0; j < across; ++j) {
        auto *sum = next.begin() + (i * across + j) * fragments.sums;
        Values made = fragments.multiply(lefts[i], rights[j], Values(sum, sum + fragments.sums));
        std::copy(made.begin(), made.end(), sum);
      }
  }
  return next;
}

/// Two pieces in shared memory: while one is multiplied, the next one is on its way, first to registers. One barrier a piece is
/// enough: what is written next was read before the last one.
Values ContractionEmitter::sumAll() {
  unsigned bufferRows = tile.rows + tile.columns;
  auto buffers = [&](Value number) {
    Value lhs = memoryAt(memory, bufferRows, number);
    return std::pair(lhs, frame.at(lhs, stored, int64_t(tile.rows) * pitch));
  };
  Staging left = stage(product.lhs, product.rows, tile.rows, firstRow);
  Staging right = stage(product.rhs, product.columns, tile.columns, firstColumn);
  auto putBoth = [&](const Values &lefts, const Values &rights, Value number) {
    auto [lhs, rhs] = buffers(number);
    put(left, lefts, lhs);
    put(right, rights, rhs);
  };
  Value pieces = frame.divideUp(depth, tile.depth), start = eval.i64(0), exists;
  if (grid.parts > 1) { // whole pieces; a part at the end may have none
    Value size = frame.divideUp(pieces, grid.parts);
    start = eval.mul(part, size);
    pieces = frame.max(eval.min(eval.sub(pieces, start), size), eval.i64(0));
    exists = frame.isBelow(eval.i64(0), pieces);
  }
  Value firstDepth = eval.mul(start, eval.i64(tile.depth));
  putBoth(fetch(left, firstDepth, exists), fetch(right, firstDepth, exists), eval.i64(0));
  frame.barrier();
  unsigned count = tile.warpRows() / fragments.rows * (tile.warpColumns() / fragments.columns);
  Values sums;
  for (unsigned i = 0; i < count; ++i)
    llvm::append_range(sums, fragments.zeros());
  return frame.loop(eval.i64(0), pieces, sums, [&](Value piece, ValueRange carried) {
    Value next = eval.add(piece, eval.i64(1)), low = eval.mul(eval.add(start, next), eval.i64(tile.depth));
    Value exists = frame.isBelow(next, pieces);
    Values lefts = fetch(left, low, exists), rights = fetch(right, low, exists);
    auto [lhs, rhs] = buffers(frame.remainder(piece, 2));
    Values made = multiplyPiece(Values(carried), lhs, rhs);
    putBoth(lefts, rights, frame.remainder(next, 2));
    frame.barrier();
    return made;
  });
}

/// Sums go through shared memory, so that neighbouring threads finish and store neighbouring elements.
void ContractionEmitter::toMemory(const Values &sums) {
  unsigned across = tile.warpColumns() / fragments.columns;
  for (unsigned tileNumber = 0; tileNumber * fragments.sums < sums.size(); ++tileNumber) {
    auto *first = sums.begin() + tileNumber * fragments.sums;
    Value row = eval.add(warpRow, eval.i64(tileNumber / across * fragments.rows));
    Value column = eval.add(warpColumn, eval.i64(tileNumber % across * fragments.columns));
    for (auto [i, value] : llvm::enumerate(fragments.results(Values(first, first + fragments.sums)))) {
      auto [down, right] = fragments.placeOf(i);
      Value at = eval.add(eval.mul(eval.add(row, down), eval.i64(sumPitch())), eval.add(column, right));
      frame.storeOne(value, frame.at(memory, product.sum, at));
    }
  }
  frame.barrier();
}

/// Calls body(sum, row, column) for each element of the tile that there is.
void ContractionEmitter::forTile(function_ref<void(Value, Value, Value)> body) {
  frame.loop(frame.thread, eval.i64(tile.rows * tile.columns), frame.threads, [&](Value element) {
    eval.nextPoint();
    Value row = frame.divide(element, tile.columns), column = frame.remainder(element, tile.columns);
    Value down = eval.add(firstRow, row), right = eval.add(firstColumn, column);
    frame.when(eval.both(frame.isBelow(down, rows), frame.isBelow(right, columns)), [&] {
      Value at = eval.add(eval.mul(row, eval.i64(sumPitch())), column);
      body(frame.loadOne(frame.at(memory, product.sum, at), product.sum), down, right);
    });
  });
}

/// What else the kernel does with the sums.
void ContractionEmitter::finish() {
  forTile([&](Value sum, Value row, Value column) {
    points.set(product.rows, row);
    points.set(product.columns, column);
    if (!product.isExact())
      sum = finiteOrAlone(frame, product.nest, sum, points.ofResults(), ArrayRef(loops.extents).drop_front(loops.parallel));
    points.store(sum);
  });
}

/// Sums of a part of the depth go to scratch memory, at their points' row-major places.
void ContractionEmitter::storePart() {
  forTile([&](Value sum, Value row, Value column) {
    points.set(product.rows, row);
    points.set(product.columns, column);
    Value point = eval.i64(0);
    for (unsigned dim = 0; dim < loops.parallel; ++dim)
      point = eval.add(eval.mul(point, eval.extent(loops.extents[dim])), points.place[dim].base);
    Parts memory(frame, {sum}, pointCount(), grid.parts);
    scratchBytes = memory.bytes();
    memory.store({sum}, part, point);
  });
}

unsigned ContractionEmitter::sharedBytes() const {
  unsigned pieces = 2 * (tile.rows + tile.columns) * pitch * (stored.getIntOrFloatBitWidth() / 8);
  return std::max(pieces, tile.rows * sumPitch() * (product.sum.getIntOrFloatBitWidth() / 8));
}

KernelCode ContractionEmitter::emit() {
  frame.wantRegisters();
  memory = frame.shared("tiles", b.getI8Type(), sharedBytes());
  placeTile();
  toMemory(sumAll()); // which ends with a barrier: nobody reads pieces any more
  grid.parts > 1 ? storePart() : finish();
  KernelCode code =
      frame.finish(loops.symbols, grid.tiles,
                   "tiles of " + std::to_string(tile.rows) + " x " + std::to_string(tile.columns) + " on tensor cores");
  if (grid.parts > 1) {
    code.extent = code.extent * Dim(grid.parts);
    code.second = emitCombination(kernel, loops, functionPlace, words, pointCount(), grid.parts, product.isExact());
    code.scratchBytes = scratchBytes;
  }
  if (grid.parts > 1)
    code.form += " in " + std::to_string(grid.parts) + " parts of the depth";
  return code;
}
} // namespace

KernelCode lathe::gpu::emitContraction(KernelOp kernel, KernelLoops loops, const Product &product, const FunctionPlace &place) {
  return ContractionEmitter(kernel, std::move(loops), product, place).emit();
}
