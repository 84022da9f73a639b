#include "codegen/GPU/Hopper/Hopper.h"
#include "codegen/GPU/Contraction/Tile.h"
#include "codegen/GPU/Contraction/WarpResults.h"
#include "codegen/GPU/Hopper/Instructions.h"
#include "codegen/GPU/Vectors.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Values = SmallVector<Value>;

constexpr unsigned kGroupThreads = 128, kMultipliers = 2; // warp groups that multiply, 64 rows each
constexpr unsigned kThreads = (1 + kMultipliers) * kGroupThreads;
constexpr unsigned kRows = kMultipliers * 64; // of a tile
constexpr unsigned kBarrierBytes = 8;
// Registers of a thread that copies and of one that multiplies: together what 168 for each would be.
constexpr unsigned kFewRegisters = 40, kManyRegisters = 232;
// Sums pass through shared memory in parts of a warp's sixteen rows and these columns.
constexpr unsigned kPartColumns = 32, kWarpRows = 16;

static bool isAtLeast(const Dim &extent, int64_t least) { return !extent.isStatic() || extent.constant() >= least; }

/// Wide tiles read less of the operands for each product, where there are enough of them for all multiprocessors.
static unsigned chooseColumns(const KernelLoops &loops, const Product &product) {
  constexpr int64_t kProcessors = 132, kLarge = 4096;
  auto sizeOf = [&](ArrayRef<unsigned> dims) {
    Dim all = extentOf(loops, dims);
    return all.isStatic() ? all.constant() : kLarge;
  };
  int64_t columns = sizeOf(product.columns), wide = llvm::divideCeil(columns, 256);
  int64_t tiles = wide * llvm::divideCeil(sizeOf(product.rows), kRows) * sizeOf(product.batch);
  bool isFull = columns > wide * 256 - 128; // else half of the last ones would be empty
  return isFull && tiles >= kProcessors ? 256 : 128;
}

std::optional<GroupProduct> GroupProduct::of(KernelOp kernel, const KernelLoops &loops, const Product &product,
                                             const Target &target) {
  constexpr int64_t kLeast = 64;
  constexpr unsigned kMostWords = 400; // of a parameter of 4 KB, which has the maps too
  if (!target.hasGroupProducts() || !product.sum.isF32() || kernel->hasAttr(kUnalignedAttr) ||
      wordsOf(kernel, loops.symbols) + 2 > kMostWords)
    return std::nullopt;
  if (TileGrid(product, chooseTile(product, loops, target.isFast), loops).parts > 1) // few tiles, which blocks share better
    return std::nullopt;
  for (ArrayRef<unsigned> dims : {ArrayRef(product.rows), ArrayRef(product.columns), ArrayRef(product.depth)})
    if (!isAtLeast(extentOf(loops, dims), kLeast))
      return std::nullopt;
  bool isFastSingle = product.element.isF32() && target.isFast;
  if (!isHalf(product.element) && !isFastSingle)
    return std::nullopt;
  std::optional<Matrix> lhs = Matrix::of(kernel, loops, product, product.lhs, product.rows),
                        rhs = Matrix::of(kernel, loops, product, product.rhs, product.columns);
  if (!lhs || !rhs || (isFastSingle && !(lhs->hasDepthInside() && rhs->hasDepthInside()))) // others are not turned
    return std::nullopt;
  return GroupProduct{product, *lhs, *rhs, chooseColumns(loops, product)};
}

namespace {
/// An operand's part of a tile: how it comes to shared memory, box by box.
struct Side {
  Matrix matrix;
  unsigned number; // of its map
  unsigned length; // rows or columns of a tile
  unsigned offset; // bytes from the beginning of a stage

  /// Of a piece, whose depth is a run.
  unsigned depth() const { return kRunBytes * 8 / matrix.map.element.getIntOrFloatBitWidth(); }
  unsigned bytes() const { return length * kRunBytes; }
  /// A box with the depth inside has all of the tile, one with it outside a run along rows or columns.
  unsigned boxLength() const { return matrix.hasDepthInside() ? length : depth(); }
  unsigned boxBytes() const { return boxLength() * kRunBytes; }

  TensorMap map() const {
    TensorMap map = matrix.map;
    for (auto [axis, dimension] : llvm::zip_equal(matrix.axes, map.dimensions))
      dimension.box = axis.role == Matrix::Own ? boxLength() : axis.role == Matrix::Depth ? depth() : 1;
    return map;
  }
};

class GroupProductEmitter {
public:
  GroupProductEmitter(KernelOp kernel, KernelLoops kernelLoops, const GroupProduct &whole, const FunctionPlace &place)
      : loops(std::move(kernelLoops)), product(whole.product), target(place.target.thread()), b(kernel.getContext()),
        grid(product, chooseTile(product, loops, place.target.isFast), loops), words(addTileCounts(kernel)),
        lhs{whole.lhs, 0, kRows, 0}, rhs{whole.rhs, 1, whole.columns, lhs.bytes()}, columns(whole.columns),
        lanes(vectorLanes(kernel, ArrayRef(loops.extents).take_front(loops.parallel), product.nest)),
        frame(kernel, loops.symbols, makeFunction(kernel, place.module, place.name, words, kThreads, /*maps=*/2), kThreads,
              target, b),
        eval(frame.eval), points(frame, loops, product), instructions(frame), sums(instructions, columns, product.element),
        results(frame, points, loops, product, kWarpRows, kPartColumns, kRows, columns) {}

  KernelCode emit();

private:
  unsigned addTileCounts(KernelOp kernel) {
    grid.addTo(loops);
    return wordsOf(kernel, loops.symbols);
  }
  unsigned stageBytes() const { return lhs.bytes() + rhs.bytes(); }
  /// As many as fit beside the sums: what is under way hides how far memory is.
  unsigned stages() const { return columns == 256 ? 4 : 6; }
  unsigned partOffset() const { return stages() * stageBytes(); }
  unsigned barrierOffset() const { return partOffset() + kMultipliers * kGroupThreads / kWarp * results.bytes(); }
  unsigned sharedBytes() const { return barrierOffset() + 2 * stages() * kBarrierBytes; }

  Value number(int64_t value) { return frame.number(int32_t(value)); }
  Value is(Value x, Value y) { return arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, x, y); }
  Value sharedAt(Value offset) { return eval.add(shared, offset); }
  Value divide(Value x, Value y) { return b.createOrFold<arith::DivUIOp>(frame.loc, x, y); }
  Value remainder(Value x, Value y) { return b.createOrFold<arith::RemUIOp>(frame.loc, x, y); }

  Value stageOf(Value turn) { return remainder(turn, number(stages())); }
  Value stageAt(Value turn) { return sharedAt(eval.mul(stageOf(turn), number(stageBytes()))); }
  Value barrierAt(Value stage, bool isEmpty) {
    return sharedAt(
        eval.add(eval.mul(stage, number(kBarrierBytes)), number(barrierOffset() + (isEmpty ? stages() * kBarrierBytes : 0))));
  }
  Value full(Value turn) { return barrierAt(stageOf(turn), false); }
  Value empty(Value turn) { return barrierAt(stageOf(turn), true); }
  /// The parity of the phase in which a stage serves this turn.
  Value parityOf(Value turn) { return remainder(divide(turn, number(stages())), number(2)); }

  void prepare();
  void eachTile(function_ref<Value(Value)> body);
  void placeTile(Value tile);
  Value pieces() { return frame.divideUp(eval.extent(extentOf(loops, product.depth)), lhs.depth()); }
  void copySide(const Side &side, Value first, Value piece, Value turn);
  void copyAll();
  GroupSums::Operand operandAt(const Side &side, Value turn, Value row);
  void release(Value turn);
  Value multiplyTile(Value turn);
  void multiplyAll();
  void finish(const Values &values);
  void finishPart(ArrayRef<Value> values, unsigned firstOfPart);

  KernelLoops loops;
  Product product;
  VectorTarget target;
  OpBuilder b;
  TileGrid grid; // of the mma.sync form, by which the host counts blocks and words for all images
  unsigned words;
  Side lhs, rhs;
  unsigned columns, lanes;
  ThreadFrame frame;
  PointEvaluator &eval;
  ProductPoints points;
  Instructions instructions;
  GroupSums sums;
  WarpResults results;
  Value shared, room;           // the block's memory; in it, as a pointer, the warp's room for parts of sums
  Value firstRow, firstColumn;  // of the tile, i64
  Value warp, lane, multiplier; // of the block, i32; of the warp, i64; of the groups that multiply, i32
};

void GroupProductEmitter::prepare() {
  Value memory = frame.dynamicShared();
  shared = LLVM::PtrToIntOp::create(b, frame.loc, b.getI32Type(), memory);
  lane = frame.remainder(frame.thread, kWarp);
  // The same in all lanes, as far as ptxas can see.
  Value mine = frame.narrow(frame.divide(frame.thread, kWarp));
  warp = NVVM::ShflOp::create(b, frame.loc, b.getI32Type(), number(-1), mine, number(0), number(kWarp - 1), NVVM::ShflKind::idx,
                              UnitAttr());
  frame.when(is(frame.narrow(frame.thread), number(0)), [&] {
    for (unsigned stage = 0; stage < stages(); ++stage) {
      instructions.makeBarrier(barrierAt(number(stage), false), 1);
      instructions.makeBarrier(barrierAt(number(stage), true), kMultipliers * kGroupThreads / kWarp);
    }
    instructions.publishBarriers();
  });
  frame.barrier();
}

/// The tiles of this block, with the number of pieces that came before as a loop's value.
void GroupProductEmitter::eachTile(function_ref<Value(Value)> body) {
  auto sizeOf = [&](ArrayRef<unsigned> dims, unsigned length) {
    return frame.divideUp(eval.extent(extentOf(loops, dims)), length);
  };
  Value tiles = eval.mul(eval.mul(sizeOf(product.rows, kRows), sizeOf(product.columns, columns)),
                         eval.extent(extentOf(loops, product.batch)));
  Value blocks = frame.blocks();
  auto loop = scf::ForOp::create(b, frame.loc, frame.block, tiles, blocks, ValueRange{number(0)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  placeTile(loop.getInductionVar());
  scf::YieldOp::create(b, frame.loc, body(loop.getRegionIterArgs()[0]));
}

void GroupProductEmitter::placeTile(Value tile) {
  Value down = frame.narrow(frame.divideUp(eval.extent(extentOf(loops, product.rows)), kRows));
  Value across = frame.narrow(frame.divideUp(eval.extent(extentOf(loops, product.columns)), columns));
  Value inMatrix = frame.narrow(tile), all = eval.mul(down, across);
  if (!product.batch.empty()) {
    points.set(product.batch, frame.widen(divide(inMatrix, all)));
    inMatrix = remainder(inMatrix, all);
  }
  auto [row, column] = placeInBands(frame, inMatrix, down, across);
  firstRow = eval.mul(frame.widen(row), eval.i64(kRows));
  firstColumn = eval.mul(frame.widen(column), eval.i64(columns));
}

void GroupProductEmitter::copySide(const Side &side, Value first, Value piece, Value turn) {
  Value map = frame.mapAt(words, side.number), to = eval.add(stageAt(turn), number(side.offset));
  for (unsigned box = 0; box * side.boxLength() < side.length; ++box) {
    Values places;
    for (const Matrix::Axis &axis : side.matrix.axes)
      places.push_back(axis.role == Matrix::Depth ? eval.mul(frame.narrow(piece), number(side.depth()))
                       : axis.role == Matrix::Own ? eval.add(frame.narrow(first), number(box * side.boxLength()))
                                                  : frame.narrow(points.place[axis.batch].base));
    instructions.copyBox(eval.add(to, number(box * side.boxBytes())), map, places, full(turn));
  }
}

/// One thread, ahead of those that multiply by as many pieces as there are stages.
void GroupProductEmitter::copyAll() {
  eachTile([&](Value before) {
    return frame.loop(eval.i64(0), pieces(), before, [&](Value piece, ValueRange carried) -> Values {
      Value turn = carried[0];
      instructions.wait(empty(turn), b.createOrFold<arith::XOrIOp>(frame.loc, parityOf(turn), number(1)));
      instructions.arriveExpecting(full(turn), stageBytes());
      copySide(lhs, firstRow, piece, turn);
      copySide(rhs, firstColumn, piece, turn);
      return {eval.add(turn, number(1))};
    })[0];
  });
}

GroupSums::Operand GroupProductEmitter::operandAt(const Side &side, Value turn, Value row) {
  // 64 rows are as many bytes whichever way they lie.
  Value begin = eval.add(stageAt(turn), eval.add(number(side.offset), eval.mul(row, number(kRunBytes))));
  return {begin, side.matrix.hasDepthInside(), side.boxBytes()};
}

/// A lane for each warp: its warp has read the stage.
void GroupProductEmitter::release(Value turn) {
  frame.when(is(frame.narrow(lane), number(0)), [&] { instructions.arrive(empty(turn)); });
}

/// Products of a piece run while the next piece is waited for; a stage is given back when the products of the next one have
/// begun.
Value GroupProductEmitter::multiplyTile(Value before) {
  sums.clear();
  Value count = pieces();
  Value after = frame.loop(eval.i64(0), count, before, [&](Value piece, ValueRange carried) -> Values {
    Value turn = carried[0], row = eval.mul(multiplier, number(kRows / kMultipliers));
    instructions.wait(full(turn), parityOf(turn));
    sums.multiply(operandAt(lhs, turn, row), operandAt(rhs, turn, number(0)));
    sums.waitForOthers();
    frame.when(frame.isBelow(eval.i64(0), piece), [&] { release(eval.sub(turn, number(1))); });
    return {eval.add(turn, number(1))};
  })[0];
  Values values = sums.take();
  frame.when(frame.isBelow(eval.i64(0), count), [&] { release(eval.sub(after, number(1))); });
  finish(values);
  return after;
}

void GroupProductEmitter::multiplyAll() {
  Value inGroups = eval.sub(warp, number(kGroupThreads / kWarp));
  multiplier = divide(inGroups, number(kGroupThreads / kWarp));
  Value offset = eval.add(number(partOffset()), eval.mul(inGroups, number(results.bytes())));
  room = frame.at(frame.dynamicShared(), b.getI8Type(), frame.widen(offset));
  eachTile([&](Value before) { return multiplyTile(before); });
}

/// Sums go through shared memory, so that neighbouring lanes finish and store neighbouring elements. A warp has room there of
/// its own.
void GroupProductEmitter::finish(const Values &values) {
  constexpr unsigned kOfPart = kPartColumns / 2;
  for (unsigned part = 0; part < columns / kPartColumns; ++part) {
    frame.warpBarrier(); // the part before has been read
    finishPart(ArrayRef(values).slice(part * kOfPart, kOfPart), part * kPartColumns);
  }
}

void GroupProductEmitter::finishPart(ArrayRef<Value> values, unsigned firstOfPart) {
  Value group = frame.divide(lane, 4), place = eval.mul(frame.remainder(lane, 4), eval.i64(2));
  Value warpRow = frame.widen(eval.mul(eval.sub(warp, number(kGroupThreads / kWarp)), number(kWarpRows)));
  WarpResults::Part part{room, eval.add(firstRow, warpRow), eval.add(firstColumn, eval.i64(firstOfPart))};
  for (unsigned i = 0; i < values.size(); i += 2)
    results.put(part, values.slice(i, 2), group, i / 2 % 2 * 8, place, i / 4 * 8);
  frame.warpBarrier();
  if (!product.isExact())
    results.repair(part, values);
  results.store(part, lanes);
}

KernelCode GroupProductEmitter::emit() {
  frame.wantRegisters();
  prepare();
  Value copies = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::ult, warp, number(kGroupThreads / kWarp));
  auto roles = scf::IfOp::create(b, frame.loc, copies, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(roles.thenBlock());
    instructions.setRegisters(kFewRegisters, /*isMore=*/false);
    frame.when(is(frame.narrow(frame.thread), number(0)), [&] { copyAll(); });
    b.setInsertionPointToStart(roles.elseBlock());
    instructions.setRegisters(kManyRegisters, /*isMore=*/true);
    multiplyAll();
  }
  KernelCode code = frame.finish(loops.symbols, grid.tiles,
                                 "tiles of " + std::to_string(kRows) + " x " + std::to_string(columns) + " by warp groups");
  code.words = words; // the maps behind them are the runtime's to fill
  code.sharedBytes = sharedBytes();
  code.maps = {lhs.map(), rhs.map()};
  code.isPersistent = true;
  return code;
}
} // namespace

KernelCode lathe::gpu::emitGroupProduct(KernelOp kernel, KernelLoops loops, const GroupProduct &product,
                                        const FunctionPlace &place) {
  return GroupProductEmitter(kernel, std::move(loops), product, place).emit();
}
