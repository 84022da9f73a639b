#include "codegen/GPU/Hopper/Hopper.h"
#include "codegen/GPU/Contraction/Contraction.h"
#include "codegen/GPU/Contraction/Tile.h"
#include "codegen/GPU/Contraction/WarpResults.h"
#include "codegen/GPU/Hopper/Instructions.h"
#include "codegen/GPU/Hopper/Schedule.h"
#include "codegen/GPU/Hopper/Singles.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Values = SmallVector<Value>;

constexpr unsigned kThreads = (1 + kMultipliers) * kGroupThreads;
// Registers of a thread that copies and of one that multiplies: together what 168 for each would be.
constexpr unsigned kFewRegisters = 40, kManyRegisters = 232;

namespace {
class GroupProductEmitter {
public:
  GroupProductEmitter(KernelOp kernel, const TiledProduct &tiled, const GroupProduct &chosen,
                      const WarpGroupsSchedule &schedule, const FunctionPlace &place)
      : kernel(kernel), functionPlace(place), form(chosen), schedule(schedule), loops(tiled.loops), product(form.product),
        target(place.target.thread()), b(kernel.getContext()), counted(schedule.grid()),
        grid(tiled.product, counted, loops, schedule.parts), words(addTileCounts()), left(form.left), right(form.right),
        frame(kernel, loops.symbols, makeFunction(kernel, place.module, place.name, words, kThreads, /*maps=*/2), kThreads,
              target, b),
        eval(frame.eval), points(frame, form.loops, product), instructions(frame),
        sums(instructions, right.length, product.element, form.isSplit), singles(frame, form.isSplit),
        results(frame, points, loops, product, turned({kWarpRows, kPartColumns}), turned({left.length, right.length}),
                form.isTurned, form.boxedRows()),
        lanes(vectorLanes(kernel, ArrayRef(loops.extents).take_front(loops.parallel), product.nest)) {}

  KernelCode emit();

private:
  unsigned addTileCounts() {
    grid.addTo(loops);
    return wordsOf(kernel, loops.symbols) + (grid.parts > 1);
  }
  WarpResults::Size turned(WarpResults::Size size) const {
    return form.isTurned ? WarpResults::Size{size.columns, size.rows} : size;
  }
  unsigned stageBytes() const { return form.stageBytes(); }
  unsigned stages() const { return schedule.stages; }
  unsigned convertedBytes() const { return form.convertedBytes(); }
  unsigned roomBytes() const { return form.roomBytes(); }
  unsigned convertedOffset() const { return stages() * stageBytes(); }
  unsigned roomOffset() const { return convertedOffset() + kConverted * convertedBytes(); }
  unsigned barrierOffset() const { return roomOffset() + roomBytes(); }
  unsigned sharedBytes() const { return barrierOffset() + 2 * stages() * kBarrierBytes; }

  Value number(int64_t value) { return frame.number(int32_t(value)); }
  Value is(Value x, Value y) { return arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, x, y); }
  Value sharedAt(Value offset) { return eval.add(shared, offset); }
  Value divide(Value x, Value y) { return b.createOrFold<arith::DivUIOp>(frame.loc, x, y); }
  Value remainder(Value x, Value y) { return b.createOrFold<arith::RemUIOp>(frame.loc, x, y); }

  Value stageOf(Value turn) { return remainder(turn, number(stages())); }
  Value stageAt(Value turn) { return eval.mul(stageOf(turn), number(stageBytes())); }
  Value pieceAt(const Side &side, Value turn) { return eval.add(stageAt(turn), number(side.offset)); }
  Value convertedAt(Value turn) {
    return eval.add(number(convertedOffset()), eval.mul(remainder(turn, number(kConverted)), number(convertedBytes())));
  }
  Value pointerTo(Value offset) { return frame.at(frame.dynamicShared(), b.getI8Type(), frame.widen(offset)); }
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
  /// Of a turn of the loops over the depth. Products read words of left while those of the next piece are loaded, which
  /// therefore must be other registers; what comes behind the depth's end is zeros.
  unsigned pieces() const { return form.isLeftInRegisters ? 2 : 1; }
  /// body(piece, its number among all of this block) for the pieces of a tile; gives the number behind the last one.
  Value eachPiece(Value before, function_ref<void(Value, Value)> body);
  Value countBoxes(ArrayRef<Span> spans);
  Values boxAt(ArrayRef<Span> spans, Value box);
  Value placeOf(const Side &side, const Matrix::Axis &axis, ArrayRef<unsigned> inTile, ArrayRef<Value> depths);
  void copySide(const Side &side, Value piece, Value turn);
  void copyAll();
  GroupSums::Operand operandAt(const Side &side, Value turn, Value row);
  void release(Value turn);
  void multiplyPiece(Value piece, Value turn);
  void multiplyConverted(Value turn);
  Value multiplyTile(Value turn);
  void multiplyAll();
  void finish(const Values &values);
  void finishPart(ArrayRef<Value> values, unsigned firstOfPart);
  std::string describe() const;

  KernelOp kernel;
  const FunctionPlace &functionPlace;
  GroupProduct form;
  const WarpGroupsSchedule &schedule;
  KernelLoops loops;
  const Product &product;
  VectorTarget target;
  OpBuilder b;
  Tile counted;
  TileGrid grid; // of the mma.sync form, by which the host counts blocks and words for all images
  unsigned words;
  const Side &left, &right;
  ThreadFrame frame;
  PointEvaluator &eval;
  ProductPoints points;
  Instructions instructions;
  GroupSums sums;
  Singles singles;
  WarpResults results;
  unsigned lanes;
  Value shared, room;           // the block's memory; in it, as a pointer, the warp's room for parts of sums
  Values firstLeft, firstRight; // of the tile: where it begins in each span, i64
  Value part, start, turns;     // of the depth: its number; the first turn of the loops over it, and how many there are
  Value warp, lane;             // of the block, i32; of the warp, i64
  Value inGroups, multiplier;   // of those that multiply: the warp, and its group, i32
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
  Value tiles = eval.mul(eval.mul(countBoxes(left.own), countBoxes(right.own)),
                         eval.mul(eval.extent(extentOf(form.loops, form.batch)), eval.i64(grid.parts)));
  Value blocks = frame.blocks();
  auto loop = scf::ForOp::create(b, frame.loc, frame.block, tiles, blocks, ValueRange{number(0)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  placeTile(loop.getInductionVar());
  scf::YieldOp::create(b, frame.loc, body(loop.getRegionIterArgs()[0]));
}

void GroupProductEmitter::placeTile(Value tile) {
  Value down = frame.narrow(countBoxes(left.own)), across = frame.narrow(countBoxes(right.own));
  Value inMatrix = frame.narrow(tile), all = eval.mul(down, across);
  if (grid.parts > 1) {
    Value ofPart = eval.mul(all, frame.narrow(eval.extent(extentOf(form.loops, form.batch))));
    part = frame.widen(divide(inMatrix, ofPart));
    inMatrix = remainder(inMatrix, ofPart);
  }
  if (!form.batch.empty()) {
    points.set(form.batch, frame.widen(divide(inMatrix, all)));
    inMatrix = remainder(inMatrix, all);
  }
  Value allTurns = form.isImage ? frame.divideUp(countBoxes(left.depths), pieces())
                                : frame.divideUp(eval.extent(extentOf(form.loops, product.depth)), pieces() * left.depth());
  std::tie(start, turns) = placePart(frame, part, grid.parts, allTurns);
  auto [row, column] = placeInBands(frame, inMatrix, down, across);
  auto firstOf = [&](const Side &side, Value box) {
    return llvm::map_to_vector(llvm::zip_equal(side.own, boxAt(side.own, box)), [&](const auto &pair) {
      const auto &[span, number] = pair;
      return eval.mul(frame.widen(number), eval.i64(span.box));
    });
  };
  firstLeft = firstOf(left, row);
  firstRight = firstOf(right, column);
}

/// How many boxes the spans have, i64. Of taps the phase of the tile may have fewer than others.
Value GroupProductEmitter::countBoxes(ArrayRef<Span> spans) {
  Value boxes;
  for (const Span &span : spans) {
    auto *phase = llvm::find_if(product.phases, [&](const Phase &each) { return each.tap == span.dims.front(); });
    Value extent = phase == product.phases.end()
                       ? eval.extent(extentOf(form.loops, span.dims))
                       : frame.divideUp(eval.sub(eval.i64(phase->taps), points.place[phase->phase].base), phase->step);
    Value count = frame.divideUp(extent, span.box);
    boxes = boxes ? eval.mul(boxes, count) : count;
  }
  return boxes;
}

/// Of the box of this number in row-major order its number in each span, i32; in the first span it goes on behind the last box.
Values GroupProductEmitter::boxAt(ArrayRef<Span> spans, Value box) {
  Values numbers(spans.size());
  for (size_t i = spans.size(); i-- > 1;) {
    Value count = frame.narrow(countBoxes(spans[i]));
    numbers[i] = remainder(box, count);
    box = divide(box, count);
  }
  numbers[0] = box;
  return numbers;
}

/// Where a box begins along an axis of the map, by the boxes' numbers in the depth's spans; it is that of `inTile` of the tile.
Value GroupProductEmitter::placeOf(const Side &side, const Matrix::Axis &axis, ArrayRef<unsigned> inTile,
                                   ArrayRef<Value> depths) {
  ArrayRef<Value> firsts = side.number == left.number ? firstLeft : firstRight;
  Value place = number(axis.first);
  for (const Matrix::Term &term : axis.terms) {
    Value at;
    if (term.role == Matrix::Depth)
      at = eval.mul(depths[term.number], number(side.depths[term.number].box));
    else if (term.role == Matrix::Own)
      at = eval.add(frame.narrow(firsts[term.number]), number(inTile[term.number]));
    else
      at = frame.narrow(points.place[term.number].base);
    place = eval.add(place, eval.mul(at, number(term.step)));
  }
  return place;
}

void GroupProductEmitter::copySide(const Side &side, Value piece, Value turn) {
  Value map = frame.mapAt(words, side.number), to = sharedAt(pieceAt(side, turn));
  Values depths = boxAt(side.depths, frame.narrow(piece));
  for (unsigned box = 0; box * side.boxLength() < side.length; ++box) {
    SmallVector<unsigned> inTile = side.placeOf(box);
    Values places =
        llvm::map_to_vector(side.matrix.axes, [&](const Matrix::Axis &axis) { return placeOf(side, axis, inTile, depths); });
    instructions.copyBox(eval.add(to, number(box * side.boxBytes())), map, places, full(turn));
  }
}

Value GroupProductEmitter::eachPiece(Value before, function_ref<void(Value, Value)> body) {
  return frame.loop(eval.i64(0), turns, before, [&](Value turn, ValueRange carried) -> Values {
    Value first = eval.mul(eval.add(start, turn), eval.i64(pieces()));
    for (unsigned i = 0; i < pieces(); ++i)
      body(eval.add(first, eval.i64(i)), eval.add(carried[0], number(i)));
    return {eval.add(carried[0], number(pieces()))};
  })[0];
}

/// One thread, ahead of those that multiply by as many pieces as there are stages.
void GroupProductEmitter::copyAll() {
  eachTile([&](Value before) {
    return eachPiece(before, [&](Value piece, Value turn) {
      instructions.wait(empty(turn), b.createOrFold<arith::XOrIOp>(frame.loc, parityOf(turn), number(1)));
      instructions.arriveExpecting(full(turn), stageBytes());
      copySide(left, piece, turn);
      copySide(right, piece, turn);
    });
  });
}

GroupSums::Operand GroupProductEmitter::operandAt(const Side &side, Value turn, Value row) {
  // 64 rows are as many bytes whichever way they lie.
  Value begin = sharedAt(eval.add(pieceAt(side, turn), eval.mul(row, number(kRunBytes))));
  return {begin, side.hasDepthInside(), side.boxBytes()};
}

/// A lane for each warp: its warp has read the stage. What lanes read themselves, and not the products, a warp's barrier must
/// have told this one: products bring lanes together, but order none of their reads.
void GroupProductEmitter::release(Value turn) {
  frame.when(is(frame.narrow(lane), number(0)), [&] { instructions.arrive(empty(turn)); });
}

/// Products of a piece run while the next piece is waited for; a stage is given back when the products of the next one have
/// begun.
void GroupProductEmitter::multiplyPiece(Value piece, Value turn) {
  if (form.isLeftInRegisters) {
    Values loaded = singles.load(left, pointerTo(pieceAt(left, turn)), eval.mul(inGroups, number(kWarpRows)));
    frame.warpBarrier();
    sums.multiply(loaded, sharedAt(pieceAt(right, turn)));
  } else {
    sums.multiply(operandAt(left, turn, eval.mul(multiplier, number(left.length / kMultipliers))),
                  operandAt(right, turn, number(0)));
  }
  sums.waitForOthers();
  frame.when(frame.isBelow(eval.mul(start, eval.i64(pieces())), piece), [&] { release(eval.sub(turn, number(1))); });
}

/// Products of a piece run while all threads write the next one once more, which is all that they read of its stage. Where one
/// group has come to the meeting both have waited for the products of the piece before the last, whose room is written next;
/// so one may add up while the other's products run.
void GroupProductEmitter::multiplyConverted(Value turn) {
  constexpr unsigned kMultiplying = kMultipliers * kGroupThreads;
  Value to = convertedAt(turn), mine = eval.sub(frame.narrow(frame.thread), number(kGroupThreads));
  singles.convert(right, pointerTo(pieceAt(right, turn)), pointerTo(to), mine, kMultiplying);
  Values loaded = singles.load(left, pointerTo(pieceAt(left, turn)), eval.mul(inGroups, number(kWarpRows)));
  frame.warpBarrier();
  release(turn);
  instructions.publishShared();
  instructions.meet(kMultiplying);
  sums.settle();
  Values parts = {sharedAt(to)};
  if (form.isSplit)
    parts.push_back(eval.add(parts.front(), number(right.bytes())));
  sums.multiply(loaded, parts);
}

Value GroupProductEmitter::multiplyTile(Value before) {
  sums.clear();
  Value after = eachPiece(before, [&](Value piece, Value turn) {
    instructions.wait(full(turn), parityOf(turn));
    form.isRightConverted ? multiplyConverted(turn) : multiplyPiece(piece, turn);
  });
  Values values = sums.take();
  if (!form.isRightConverted)
    frame.when(frame.isBelow(eval.i64(0), turns), [&] { release(eval.sub(after, number(1))); });
  finish(values);
  return after;
}

void GroupProductEmitter::multiplyAll() {
  inGroups = eval.sub(warp, number(kGroupThreads / kWarp));
  multiplier = divide(inGroups, number(kGroupThreads / kWarp));
  room = pointerTo(eval.add(number(roomOffset()), eval.mul(inGroups, number(results.bytes()))));
  eachTile([&](Value before) { return multiplyTile(before); });
}

/// Sums go through shared memory, so that neighbouring lanes finish and store neighbouring elements. A warp has room there of
/// its own.
void GroupProductEmitter::finish(const Values &values) {
  constexpr unsigned kOfPart = kPartColumns / 2;
  for (unsigned part = 0; part < right.length / kPartColumns; ++part) {
    frame.warpBarrier(); // the part before has been read
    finishPart(ArrayRef(values).slice(part * kOfPart, kOfPart), part * kPartColumns);
  }
}

void GroupProductEmitter::finishPart(ArrayRef<Value> values, unsigned firstOfPart) {
  Value group = frame.divide(lane, 4), place = eval.mul(frame.remainder(lane, 4), eval.i64(2));
  auto from = [&](ArrayRef<Value> firsts, Value more, bool isRows) { // of a box: in it
    return isRows && form.isImage ? more : eval.add(firsts.front(), more);
  };
  Value ofLeft = from(firstLeft, frame.widen(eval.mul(inGroups, number(kWarpRows))), !form.isTurned);
  Value ofRight = from(firstRight, eval.i64(firstOfPart), form.isTurned);
  WarpResults::Part rows{room, form.isTurned ? ofRight : ofLeft, form.isTurned ? ofLeft : ofRight,
                         form.isTurned ? firstRight : firstLeft};
  for (unsigned i = 0; i < values.size(); i += 2)
    results.put(rows, values.slice(i, 2), group, i / 2 % 2 * 8, place, i / 4 * 8);
  frame.warpBarrier();
  if (grid.parts > 1)
    return results.storePart(rows, part, grid.parts);
  if (!product.isExact())
    results.repair(rows, values);
  results.store(rows, lanes);
}

/// "tiles of 128 (1 x 8 x 16) x 256 by warp groups": of an image the box that a tile's rows are.
std::string GroupProductEmitter::describe() const {
  WarpResults::Size tile = turned({left.length, right.length});
  std::string boxes;
  for (const Span &span : form.boxedRows().size() > 1 ? form.boxedRows() : ArrayRef<Span>())
    boxes += (boxes.empty() ? " (" : " x ") + std::to_string(span.box);
  return "tiles of " + std::to_string(tile.rows) + boxes + (boxes.empty() ? "" : ")") + " x " + std::to_string(tile.columns) +
         " by warp groups";
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
  KernelCode code = frame.finish(loops.symbols, grid.tiles, describe());
  code.words = words; // the maps behind them are the runtime's to fill
  code.sharedBytes = sharedBytes();
  code.maps = {left.map(), right.map()};
  code.isPersistent = true;
  if (grid.parts > 1)
    combineParts(code, kernel, loops, product, functionPlace, grid.parts);
  return code;
}

class WarpGroupsForm : public FormOf<WarpGroupsSchedule> {
public:
  WarpGroupsForm() : FormOf("warp_groups") {}

  bool takes(KernelOp kernel, const Target &target) const override { return Found::of(kernel, target).has_value(); }

private:
  /// A kernel that the form takes, with the schedule that it chooses.
  struct Found {
    TiledProduct tiled;
    GroupProduct product;
    WarpGroupsSchedule schedule;

    static std::optional<Found> of(KernelOp kernel, const Target &target) {
      if (!target.hasGroupProducts())
        return std::nullopt;
      std::optional<TiledProduct> tiled = TiledProduct::of(kernel);
      std::optional<GroupProduct> product = tiled ? GroupProduct::of(kernel, *tiled, target) : std::nullopt;
      std::optional<WarpGroupsSchedule> schedule = product ? chooseWarpGroups(*product, *tiled, target) : std::nullopt;
      if (!schedule)
        return std::nullopt;
      return Found{std::move(*tiled), std::move(*product), std::move(*schedule)};
    }
  };

  FailureOr<WarpGroupsSchedule> chooseFor(KernelOp kernel, const Target &target) const override {
    return Found::of(kernel, target)->schedule;
  }
  LogicalResult check(KernelOp kernel, const WarpGroupsSchedule &schedule, const Target &target) const override {
    return checkWarpGroups(kernel, *TiledProduct::of(kernel), schedule, target);
  }
  FailureOr<KernelCode> emitBy(KernelOp kernel, const WarpGroupsSchedule &schedule, const FunctionPlace &place) const override {
    Found found = *Found::of(kernel, place.target);
    applyBoxes(found.product, schedule);
    return GroupProductEmitter(kernel, found.tiled, found.product, schedule, place).emit();
  }
};
} // namespace

const Form &lathe::gpu::warpGroupsForm() {
  static const WarpGroupsForm form;
  return form;
}
