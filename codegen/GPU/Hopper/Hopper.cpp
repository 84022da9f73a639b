// The code of a matrix product or convolution on sm_90a, for a persistent block of three warp groups:
//
//   one thread of the first warp group (producer):         // the group gives most of its registers to the others
//     for tile of the block, for k-slice
//       wait until the stage is empty
//       copy boxes of both operands to the stage           // TMA, whose bytes complete the mbarrier of a full stage
//   second and third warp group (consumers):               // 64 rows of the tile each
//     for tile of the block
//       for k-slice
//         wait until the stage is full
//         start sums += left * right                       // wgmma, which reads the stage
//         wait for the products of the k-slice before; release its stage
//       for part of the sums
//         store it to the warp's buffer in shared memory
//         results = epilogue(sums)                         // adjacent lanes have adjacent elements
//         or, with split-K: store the sums to scratch memory
//
// The stages are a ring, a software pipeline across tiles: copies for the next tile run during the epilogue. f32 operands are
// rounded to TF32 or split into two TF32 parts. Left then passes through registers. All consumers convert the next k-slice of
// right into another buffer while the products of the current one run.
//
// Every sum adds up in the order of the depth, in steps of one instruction, whatever the tile; split f32 in steps of a k-slice.
#include "codegen/GPU/Hopper/Hopper.h"
#include "codegen/GPU/Contraction/Contraction.h"
#include "codegen/GPU/Contraction/Tile.h"
#include "codegen/GPU/Contraction/WarpResults.h"
#include "codegen/GPU/Hopper/BoxTiles.h"
#include "codegen/GPU/Hopper/Ring.h"
#include "codegen/GPU/Hopper/Schedule.h"
#include "codegen/GPU/Hopper/Tf32Operands.h"
#include "codegen/GPU/Threads/Vectors.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Values = SmallVector<Value>;

constexpr unsigned kThreads = (1 + kConsumers) * kGroupThreads;
// Registers of a producer's and of a consumer's thread: 168 on average.
constexpr unsigned kFewRegisters = 40, kManyRegisters = 232;

namespace {
class GroupProductEmitter {
public:
  GroupProductEmitter(KernelOp kernel, const TiledProduct &tiled, const GroupProduct &chosen,
                      const WarpGroupsSchedule &schedule, const FunctionPlace &place)
      : kernel(kernel), functionPlace(place), form(chosen), loops(tiled.loops), product(form.product),
        target(place.target.thread()), b(kernel.getContext()), counted(schedule.grid()),
        grid(tiled.product, counted, loops, schedule.parts), words(addTileCounts()), left(form.left), right(form.right),
        frame(kernel, loops.symbols, makeFunction(kernel, place.module, place.name, words, kThreads, /*maps=*/2), kThreads,
              target, b),
        eval(frame.eval), points(frame, form.loops, product), instructions(frame),
        sums(instructions, right.length, product.element, form.isSplit), tf32(frame, form.isSplit),
        results(frame, points, loops, product, transposed({kWarpRows, kPartColumns}), transposed({left.length, right.length}),
                form.isTransposed, form.boxedRows()),
        lanes(vectorLanes(kernel, ArrayRef(loops.extents).take_front(loops.parallel), product.nest)),
        ring(frame, form, schedule.stages), tiles(frame, points, form, grid.parts) {}

  KernelCode emit();

private:
  unsigned addTileCounts() {
    grid.addTo(loops);
    return wordsOf(kernel, loops.symbols) + (grid.parts > 1);
  }
  WarpResults::Size transposed(WarpResults::Size size) const {
    return form.isTransposed ? WarpResults::Size{size.columns, size.rows} : size;
  }
  Value number(int64_t value) { return frame.number(int32_t(value)); }
  Value is(Value x, Value y) { return arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, x, y); }

  void prepare();
  void copySide(const Side &side, Value slice, Value iteration);
  void copyAll();
  GroupSums::Operand operandAt(const Side &side, Value iteration, Value row);
  void release(Value iteration);
  void multiplySlice(Value slice, Value iteration);
  void multiplyConverted(Value iteration);
  Value multiplyTile(Value iteration);
  void multiplyAll();
  void finish(const Values &values);
  void finishPart(ArrayRef<Value> values, unsigned firstOfPart);
  std::string describe() const;

  KernelOp kernel;
  const FunctionPlace &functionPlace;
  GroupProduct form;
  KernelLoops loops;
  const Product &product;
  VectorTarget target;
  OpBuilder b;
  Tile counted;
  TileGrid grid; // of the mma.sync form: the host counts blocks and words the same way for all architectures
  unsigned words;
  const Side &left, &right;
  ThreadFrame frame;
  PointEvaluator &eval;
  ProductPoints points;
  Instructions instructions;
  GroupSums sums;
  Tf32Operands tf32;
  WarpResults results;
  unsigned lanes;
  Ring ring;
  BoxTiles tiles;
  Value buffer;                      // the warp's buffer for parts of its sums
  Value warp, lane;                  // number in the block, i32; number in the warp, i64
  Value consumerWarp, consumerGroup; // numbers among the consumers, i32: of the warp, and of its group
};

void GroupProductEmitter::prepare() {
  ring.place();
  lane = frame.remainder(frame.thread, kWarp);
  // The shuffle lets ptxas see that all lanes have the same value.
  Value mine = frame.narrow(frame.divide(frame.thread, kWarp));
  warp = NVVM::ShflOp::create(b, frame.loc, b.getI32Type(), number(-1), mine, number(0), number(kWarp - 1), NVVM::ShflKind::idx,
                              UnitAttr());
  frame.when(is(frame.narrow(frame.thread), number(0)),
             [&] { ring.makeBarriers(instructions, kConsumers * kGroupThreads / kWarp); });
  frame.barrier();
}

void GroupProductEmitter::copySide(const Side &side, Value slice, Value iteration) {
  Value map = frame.mapAt(words, side.number), to = ring.sharedAt(ring.sliceAt(side, iteration));
  Values depths = tiles.depthsOf(side, slice);
  for (unsigned box = 0; box * side.boxLength() < side.length; ++box) {
    Values places = tiles.placesOf(side, side.placeOf(box), depths);
    instructions.copyBox(eval.add(to, number(box * side.boxBytes())), map, places, ring.full(iteration));
  }
}

/// Emits the producer, one thread. It is ahead of the consumers by at most as many k-slices as there are stages.
void GroupProductEmitter::copyAll() {
  tiles.each([&](Value before) {
    return tiles.eachSlice(before, [&](Value slice, Value iteration) {
      instructions.wait(ring.empty(iteration), b.createOrFold<arith::XOrIOp>(frame.loc, ring.parityOf(iteration), number(1)));
      instructions.arriveExpecting(ring.full(iteration), form.stageBytes());
      copySide(left, slice, iteration);
      copySide(right, slice, iteration);
    });
  });
}

GroupSums::Operand GroupProductEmitter::operandAt(const Side &side, Value iteration, Value row) {
  // 64 rows have the same number of bytes in either order.
  Value begin = ring.sharedAt(eval.add(ring.sliceAt(side, iteration), eval.mul(row, number(kRunBytes))));
  return {begin, side.hasDepthInside(), side.boxBytes()};
}

/// Releases a stage, by one lane of each warp. If lanes have read the stage themselves, a barrier of the warp must precede:
/// wgmma brings lanes together, but does not order their reads.
void GroupProductEmitter::release(Value iteration) {
  frame.when(is(frame.narrow(lane), number(0)), [&] { instructions.arrive(ring.empty(iteration)); });
}

/// Multiplies a k-slice. Its products run while the warp waits for the next k-slice. A stage is released when the products of
/// the next one have begun.
void GroupProductEmitter::multiplySlice(Value slice, Value iteration) {
  if (form.isLeftInRegisters) {
    Values loaded = tf32.load(left, ring.pointerTo(ring.sliceAt(left, iteration)), eval.mul(consumerWarp, number(kWarpRows)));
    frame.warpBarrier();
    sums.multiply(loaded, ring.sharedAt(ring.sliceAt(right, iteration)));
  } else {
    sums.multiply(operandAt(left, iteration, eval.mul(consumerGroup, number(left.length / kConsumers))),
                  operandAt(right, iteration, number(0)));
  }
  sums.waitForOthers();
  frame.when(frame.isBelow(eval.mul(tiles.start, eval.i64(tiles.slices())), slice),
             [&] { release(eval.sub(iteration, number(1))); });
}

/// Converts and multiplies a k-slice. The products of the k-slice before run while all consumers convert this one, which is all
/// that they read of its stage. When a group reaches the barrier, both groups have waited for the products of the k-slice
/// before the last, whose buffer is written next. So one group may add up while the other's products run.
void GroupProductEmitter::multiplyConverted(Value iteration) {
  constexpr unsigned kConsumerThreads = kConsumers * kGroupThreads;
  Value to = ring.convertedAt(iteration), mine = eval.sub(frame.narrow(frame.thread), number(kGroupThreads));
  tf32.convert(right, ring.pointerTo(ring.sliceAt(right, iteration)), ring.pointerTo(to), mine, kConsumerThreads);
  Values loaded = tf32.load(left, ring.pointerTo(ring.sliceAt(left, iteration)), eval.mul(consumerWarp, number(kWarpRows)));
  frame.warpBarrier();
  release(iteration);
  instructions.publishShared();
  instructions.barrier(kConsumerThreads);
  sums.settle();
  Values parts = {ring.sharedAt(to)};
  if (form.isSplit)
    parts.push_back(eval.add(parts.front(), number(right.bytes())));
  sums.multiply(loaded, parts);
}

Value GroupProductEmitter::multiplyTile(Value before) {
  sums.clear();
  Value after = tiles.eachSlice(before, [&](Value slice, Value iteration) {
    instructions.wait(ring.full(iteration), ring.parityOf(iteration));
    form.isRightConverted ? multiplyConverted(iteration) : multiplySlice(slice, iteration);
  });
  Values values = sums.take();
  if (!form.isRightConverted)
    frame.when(frame.isBelow(eval.i64(0), tiles.steps), [&] { release(eval.sub(after, number(1))); });
  finish(values);
  return after;
}

void GroupProductEmitter::multiplyAll() {
  consumerWarp = eval.sub(warp, number(kGroupThreads / kWarp));
  consumerGroup = frame.divide(consumerWarp, number(kGroupThreads / kWarp));
  buffer = ring.pointerTo(eval.add(number(ring.resultsOffset()), eval.mul(consumerWarp, number(results.bytes()))));
  tiles.each([&](Value before) { return multiplyTile(before); });
}

/// Computes the epilogue of a tile. Sums pass through the warp's buffer in shared memory, so that adjacent lanes finish and
/// store adjacent elements.
void GroupProductEmitter::finish(const Values &values) {
  constexpr unsigned kOfPart = kPartColumns / 2;
  for (unsigned part = 0; part < right.length / kPartColumns; ++part) {
    frame.warpBarrier(); // the previous part has been read
    finishPart(ArrayRef(values).slice(part * kOfPart, kOfPart), part * kPartColumns);
  }
}

void GroupProductEmitter::finishPart(ArrayRef<Value> values, unsigned firstOfPart) {
  Value group = frame.divide(lane, 4), place = eval.mul(frame.remainder(lane, 4), eval.i64(2));
  auto from = [&](ArrayRef<Value> firsts, Value more, bool isRows) { // relative to the box, if there is one
    return isRows && form.isImage ? more : eval.add(firsts.front(), more);
  };
  Value ofLeft = from(tiles.firstLeft, frame.widen(eval.mul(consumerWarp, number(kWarpRows))), !form.isTransposed);
  Value ofRight = from(tiles.firstRight, eval.i64(firstOfPart), form.isTransposed);
  WarpResults::Part rows{buffer, form.isTransposed ? ofRight : ofLeft, form.isTransposed ? ofLeft : ofRight,
                         form.isTransposed ? tiles.firstRight : tiles.firstLeft};
  for (unsigned i = 0; i < values.size(); i += 2)
    results.put(rows, values.slice(i, 2), group, i / 2 % 2 * 8, place, i / 4 * 8);
  frame.warpBarrier();
  if (grid.parts > 1)
    return results.storePart(rows, tiles.part, grid.parts);
  if (!product.isExact())
    results.repair(rows, values);
  results.store(rows, lanes);
}

/// Returns "tiles of 128 (1 x 8 x 16) x 256 by warp groups", with the box of a tile's rows for an image.
std::string GroupProductEmitter::describe() const {
  WarpResults::Size tile = transposed({left.length, right.length});
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
  code.words = words; // without the descriptors, which the runtime adds
  code.sharedBytes = ring.bytes();
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
