#include "codegen/GPU/Hopper/Hopper.h"
#include "codegen/GPU/Contraction/ProductPoints.h"
#include "codegen/GPU/Contraction/Tile.h"
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
constexpr unsigned kRows = kMultipliers * 64, kDepth = kSwizzledHalves; // of a tile; of a piece
constexpr unsigned kBarrierBytes = 8;
// Registers of a thread that copies and of one that multiplies: together what 168 for each would be.
constexpr unsigned kFewRegisters = 40, kManyRegisters = 232;
// Sums pass through shared memory in parts of a warp's sixteen rows and these columns, the rows 8 words further apart than
// they are long: so lanes that write pairs, eight rows down, meet different banks.
constexpr unsigned kPartColumns = 32, kPartPitch = kPartColumns + 8, kWarpRows = 16;
constexpr unsigned kPartBytes = kWarpRows * kPartPitch * 4;

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
  if (TileGrid(product, chooseTile(product, loops), loops).parts > 1) // few tiles, which blocks share better
    return std::nullopt;
  for (ArrayRef<unsigned> dims : {ArrayRef(product.rows), ArrayRef(product.columns), ArrayRef(product.depth)})
    if (!isAtLeast(extentOf(loops, dims), kLeast))
      return std::nullopt;
  std::optional<Matrix> lhs = Matrix::of(kernel, loops, product, product.lhs, product.rows),
                        rhs = Matrix::of(kernel, loops, product, product.rhs, product.columns);
  if (!lhs || !rhs)
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

  unsigned bytes() const { return length * kDepth * kHalfBytes; }
  /// A box with the depth inside has all of the tile, one with it outside a run of 128 bytes along rows or columns.
  unsigned boxLength() const { return matrix.hasDepthInside() ? length : kSwizzledHalves; }
  unsigned boxBytes() const { return boxLength() * kDepth * kHalfBytes; }

  TensorMap map() const {
    TensorMap map = matrix.map;
    for (auto [axis, dimension] : llvm::zip_equal(matrix.axes, map.dimensions))
      dimension.box = axis.role == Matrix::Own ? boxLength() : axis.role == Matrix::Depth ? kDepth : 1;
    return map;
  }
};

class GroupProductEmitter {
public:
  GroupProductEmitter(KernelOp kernel, KernelLoops kernelLoops, const GroupProduct &whole, const FunctionPlace &place)
      : loops(std::move(kernelLoops)), product(whole.product), target(place.target.thread()), b(kernel.getContext()),
        grid(product, chooseTile(product, loops), loops), words(addTileCounts(kernel)), lhs{whole.lhs, 0, kRows, 0},
        rhs{whole.rhs, 1, whole.columns, lhs.bytes()}, columns(whole.columns),
        lanes(vectorLanes(kernel, ArrayRef(loops.extents).take_front(loops.parallel), product.nest)),
        frame(kernel, loops.symbols, makeFunction(kernel, place.module, place.name, words, kThreads, /*maps=*/2), kThreads,
              target, b),
        eval(frame.eval), points(frame, loops, product), instructions(frame), sums(instructions, columns, product.element) {}

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
  unsigned barrierOffset() const { return partOffset() + kMultipliers * kGroupThreads / kWarp * kPartBytes; }
  unsigned sharedBytes() const { return barrierOffset() + 2 * stages() * kBarrierBytes; }

  Value number(int64_t value) { return instructions.number(int32_t(value)); }
  Value narrow(Value wide) { return b.createOrFold<arith::TruncIOp>(frame.loc, b.getI32Type(), wide); }
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
  Value pieces() { return frame.divideUp(eval.extent(extentOf(loops, product.depth)), kDepth); }
  void copySide(const Side &side, Value first, Value piece, Value turn);
  void copyAll();
  GroupSums::Operand operandAt(const Side &side, Value turn, Value row);
  void release(Value turn);
  Value multiplyTile(Value turn);
  void multiplyAll();
  void finish(const Values &values);
  void finishPart(ArrayRef<Value> values, unsigned firstOfPart);
  Value insideOf(Value at, ArrayRef<unsigned> dims, unsigned length);

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
  Value shared, parts;          // the block's memory; in it, as a pointer, the warp's room for parts of sums
  Value firstRow, firstColumn;  // of the tile, i64
  Value warp, lane, multiplier; // of the block, i32; of the warp, i64; of the groups that multiply, i32
};

void GroupProductEmitter::prepare() {
  Value memory = frame.dynamicShared();
  shared = LLVM::PtrToIntOp::create(b, frame.loc, b.getI32Type(), memory);
  lane = frame.remainder(frame.thread, kWarp);
  // The same in all lanes, as far as ptxas can see.
  Value mine = narrow(frame.divide(frame.thread, kWarp));
  warp = NVVM::ShflOp::create(b, frame.loc, b.getI32Type(), number(-1), mine, number(0), number(kWarp - 1), NVVM::ShflKind::idx,
                              UnitAttr());
  frame.when(is(narrow(frame.thread), number(0)), [&] {
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

/// Tiles that run together share rows and columns: they fill bands of some tile rows, column by column.
void GroupProductEmitter::placeTile(Value tile) {
  constexpr unsigned kBand = 16;
  Value down = narrow(frame.divideUp(eval.extent(extentOf(loops, product.rows)), kRows));
  Value across = narrow(frame.divideUp(eval.extent(extentOf(loops, product.columns)), columns));
  Value inMatrix = narrow(tile), band = eval.mul(across, number(kBand)), all = eval.mul(down, across);
  if (!product.batch.empty()) {
    points.set(product.batch, LLVM::ZExtOp::create(b, frame.loc, b.getI64Type(), divide(inMatrix, all)));
    inMatrix = remainder(inMatrix, all);
  }
  Value above = eval.mul(divide(inMatrix, band), number(kBand)), inBand = remainder(inMatrix, band);
  Value height = b.createOrFold<arith::MinUIOp>(frame.loc, eval.sub(down, above), number(kBand));
  auto placed = [&](Value number32, unsigned length) {
    Value wide = LLVM::ZExtOp::create(b, frame.loc, b.getI64Type(), number32);
    return eval.mul(wide, eval.i64(length));
  };
  firstRow = placed(eval.add(above, remainder(inBand, height)), kRows);
  firstColumn = placed(divide(inBand, height), columns);
}

void GroupProductEmitter::copySide(const Side &side, Value first, Value piece, Value turn) {
  Value map = frame.mapAt(words, side.number), to = eval.add(stageAt(turn), number(side.offset));
  for (unsigned box = 0; box * side.boxLength() < side.length; ++box) {
    Values places;
    for (const Matrix::Axis &axis : side.matrix.axes)
      places.push_back(axis.role == Matrix::Depth ? eval.mul(narrow(piece), number(kDepth))
                       : axis.role == Matrix::Own ? eval.add(narrow(first), number(box * side.boxLength()))
                                                  : narrow(points.place[axis.batch].base));
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
  Value begin = eval.add(stageAt(turn), eval.add(number(side.offset), eval.mul(row, number(kDepth * kHalfBytes))));
  return {begin, side.matrix.hasDepthInside(), side.boxBytes()};
}

/// A lane for each warp: its warp has read the stage.
void GroupProductEmitter::release(Value turn) {
  frame.when(is(narrow(lane), number(0)), [&] { instructions.arrive(empty(turn)); });
}

/// Products of a piece run while the next piece is waited for; a stage is given back when the products of the next one have
/// begun.
Value GroupProductEmitter::multiplyTile(Value before) {
  sums.clear();
  Value count = pieces();
  Value after = frame.loop(eval.i64(0), count, before, [&](Value piece, ValueRange carried) -> Values {
    Value turn = carried[0], row = eval.mul(multiplier, number(kRows / kMultipliers));
    instructions.wait(full(turn), parityOf(turn));
    sums.multiply(operandAt(lhs, turn, row), operandAt(rhs, turn, number(0)), kDepth);
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
  Value generic =
      LLVM::AddrSpaceCastOp::create(b, frame.loc, LLVM::LLVMPointerType::get(b.getContext()), frame.dynamicShared());
  Value offset = eval.add(number(partOffset()), eval.mul(inGroups, number(kPartBytes)));
  parts = frame.at(generic, b.getI8Type(), LLVM::ZExtOp::create(b, frame.loc, b.getI64Type(), offset));
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

/// Null where all tiles are whole.
Value GroupProductEmitter::insideOf(Value at, ArrayRef<unsigned> dims, unsigned length) {
  Dim all = extentOf(loops, dims);
  bool isWhole = all.isStatic() && all.constant() % length == 0;
  return isWhole ? Value() : frame.isBelow(at, eval.extent(all));
}

void GroupProductEmitter::finishPart(ArrayRef<Value> values, unsigned firstOfPart) {
  Type f32 = b.getF32Type();
  Type pair = VectorType::get(2, f32);
  Value group = frame.divide(lane, 4), place = frame.remainder(lane, 4);
  Value mine = frame.at(parts, f32, eval.add(eval.mul(group, eval.i64(kPartPitch)), eval.mul(place, eval.i64(2))));
  for (unsigned i = 0; i < values.size(); i += 2) {
    Value both = LLVM::UndefOp::create(b, frame.loc, pair);
    for (unsigned j = 0; j < 2; ++j)
      both = LLVM::InsertElementOp::create(b, frame.loc, both, values[i + j], number(j));
    unsigned row = i / 2 % 2 * 8, column = i / 4 * 8;
    LLVM::StoreOp::create(b, frame.loc, both, frame.at(mine, f32, int64_t(row * kPartPitch + column)), 8);
  }
  frame.warpBarrier();
  unsigned across = kPartColumns / lanes;
  Value warpRow = LLVM::ZExtOp::create(b, frame.loc, b.getI64Type(),
                                       eval.mul(eval.sub(warp, number(kGroupThreads / kWarp)), number(kWarpRows)));
  frame.loop(eval.i64(0), eval.i64(kWarpRows * across / kWarp), 1, [&](Value turn) { // as often in each lane, for all to see
    eval.nextPoint();
    Value element = eval.add(lane, eval.mul(turn, eval.i64(kWarp)));
    Value row = frame.divide(element, across), column = eval.mul(frame.remainder(element, across), eval.i64(lanes));
    Value from = frame.at(parts, f32, eval.add(eval.mul(row, eval.i64(kPartPitch)), column));
    Value rowAt = eval.add(firstRow, eval.add(warpRow, row));
    Value columnAt = eval.add(firstColumn, eval.add(eval.i64(firstOfPart), column));
    Value inside = eval.both(insideOf(rowAt, product.rows, kRows), insideOf(columnAt, product.columns, columns));
    auto store = [&] {
      points.set(product.rows, rowAt);
      points.set(product.columns, columnAt);
      points.place[loops.parallel - 1].step = lanes > 1;
      Type type = lanes > 1 ? Type(VectorType::get(lanes, f32)) : f32;
      Value sum = LLVM::LoadOp::create(b, frame.loc, type, from, std::min(4 * lanes, 16u));
      eval.lanes = lanes;
      eval.alignsVectors = lanes > 1;
      points.store(sum);
      eval.lanes = 1;
      eval.alignsVectors = false;
    };
    if (inside)
      frame.when(inside, store);
    else
      store();
  });
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
    frame.when(is(narrow(frame.thread), number(0)), [&] { copyAll(); });
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
