// The code of a filter's gradient by Winograd's minimal filtering, for the work items of a call:
//
//   for item: strip of channels, block of filters
//     sums = 0
//     for group of kGroup squares of all images
//       for square: inputs[point, square] = transform of the square's inputs in the strip's channels
//       for panel of the block's filters
//         for square: cotangents[point, square] = transform of the square's cotangents
//         for point: sums[point, panel, channels] += transpose(inputs[point]) * cotangents[point]  // register tiles of a
//         product
//     for channel of the strip, panel: taps = transform of the sums; results = epilogue(taps)
//
// A convolution by filtering is a trilinear form, whose transforms of outputs and of the filter change places with their
// transposes here. Squares beyond a border have zeros there. All arrays are on the thread's stack.
#include "codegen/CPU/Contraction/DotTile.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/CPU/Winograd/Products.h"
#include "codegen/CPU/Winograd/Squares.h"
#include "codegen/CPU/Winograd/Winograd.h"
#include "codegen/Schedules/Cheapest.h"
#include "dialects/Lathe/IR/DerivedDims.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// Squares whose products are added up before they are added to the sums. It decides the order of the sums, and keeps the
/// digits of long ones.
constexpr int64_t kGroup = 32;

struct WinogradGradientSchedule {
  TileShape tile;        // of a product: rows are channels, columns filters
  int64_t channels = 16; // of a work item
  int64_t filters = 64;  // of a work item

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor, "product_");
    visitor("channels", channels, 1, 4096);
    visitor("filters", filters, 1, 4096);
  }
  int64_t panel() const { return int64_t(tile.vectors) * tile.lanes; }
};

/// The arrays of a work item. Sizes and distances count elements.
struct GradientArrays {
  int64_t points, inputPlane, cotangentPlane, sumPlane, taps, patches;

  GradientArrays(WinogradSquare square, const WinogradGradientSchedule &schedule)
      : points(square.products()), inputPlane(kGroup * schedule.channels + kWinogradPadding),
        cotangentPlane(kGroup * schedule.panel() + kWinogradPadding),
        sumPlane(schedule.channels * schedule.filters + kWinogradPadding),
        taps(WinogradSquare::kTaps * WinogradSquare::kTaps * schedule.panel()),
        patches(SquareReader::elements(square.inputs(), schedule.channels) +
                SquareReader::elements(square.outputs, schedule.panel())) {}
  int64_t bytes() const {
    return (points * (inputPlane + cotangentPlane + sumPlane) + taps + patches) * int64_t(sizeof(float));
  }
};

class WinogradGradientEmitter {
public:
  WinogradGradientEmitter(KernelFrame &frame, Operation *hero, const WinogradShape &shape,
                          const WinogradGradientSchedule &schedule)
      : frame(frame), eval(frame.eval), op(cast<ConvFilterGradOp>(hero)), schedule(schedule), square(*winogradOf(hero)),
        arrays(square, schedule), transforms(frame, square, schedule.tile.lanes), element(frame.b.getF32Type()),
        channels(shape.channels()), filters(shape.filters()), grid(frame, shape, square) {
    inputs = frame.stack(element, arrays.points * arrays.inputPlane);
    cotangents = frame.stack(element, arrays.points * arrays.cotangentPlane);
    sums = frame.stack(element, arrays.points * arrays.sumPlane);
    taps = frame.stack(element, arrays.taps);
    inputReader.emplace(frame, frame.buffers.lookup(op.getInput()), grid.inputExtent, square.inputs(), channels,
                        schedule.channels, schedule.tile.lanes);
    cotangentReader.emplace(frame, frame.buffers.lookup(op.getOutput()), grid.outputExtent, square.outputs, filters,
                            schedule.panel(), schedule.tile.lanes);
  }

  /// Returns the number of work items. Blocks of filters are counted fastest.
  Dim items() const { return Dim(llvm::divideCeil(channels, schedule.channels) * blocks()); }

  void emit() {
    frame.loop(frame.begin, frame.end, 1, [&](Value item) {
      firstChannel = eval.mul(frame.divide(item, blocks()), eval.i64(schedule.channels));
      firstFilter = eval.mul(frame.remainder(item, blocks()), eval.i64(schedule.filters));
      size = eval.min(eval.sub(eval.i64(channels), firstChannel), eval.i64(schedule.channels));
      clearSums();
      frame.loop(eval.i64(0), grid.count(), kGroup, [&](Value first) {
        firstSquare = first;
        count = eval.min(eval.sub(grid.count(), first), eval.i64(kGroup));
        addGroup();
      });
      finish();
    });
  }

private:
  int64_t blocks() const { return filters / schedule.filters; }

  void clearSums() {
    eval.lanes = schedule.tile.lanes;
    frame.loop(eval.i64(0), eval.i64(arrays.points * arrays.sumPlane), schedule.tile.lanes,
               [&](Value at) { frame.storeLanes(eval.splat(eval.constant(element, 0)), frame.at(sums, element, at)); });
  }

  void forPanels(function_ref<void(Value)> body) {
    frame.loop(eval.i64(0), eval.i64(schedule.filters), schedule.panel(), body);
  }

  void addGroup() {
    frame.loop(eval.i64(0), count, 1, [&](Value index) { transformInputs(index); });
    forPanels([&](Value panel) {
      frame.loop(eval.i64(0), count, 1, [&](Value index) { transformCotangents(index, panel); });
      addProducts(panel);
    });
  }

  void transformInputs(Value index) {
    SquareGrid::Place place = grid.placeOf(eval.add(firstSquare, index));
    std::array<Value, 2> first;
    for (unsigned d : {0, 1})
      first[d] = eval.sub(place.output[d], eval.i64(op.getPadLow()[d]));
    Value to = frame.at(inputs, element, eval.mul(index, eval.i64(schedule.channels)));
    inputReader->read(place.image, first, firstChannel, size,
                      [&](const SquareOfVectors &from) { transforms.inputs(from, size, to, eval.i64(arrays.inputPlane)); });
  }

  void transformCotangents(Value index, Value panel) {
    SquareGrid::Place place = grid.placeOf(eval.add(firstSquare, index));
    Value to = frame.at(cotangents, element, eval.mul(index, eval.i64(schedule.panel()))), width = eval.i64(schedule.panel());
    cotangentReader->read(place.image, place.output, eval.add(firstFilter, panel), width, [&](const SquareOfVectors &from) {
      transforms.cotangents(from, width, to, eval.i64(arrays.cotangentPlane));
    });
  }

  /// Returns the address of the sums of a point, from a panel on.
  Value sumsOf(Value point, Value panel) {
    Value plane = frame.at(sums, element, eval.mul(point, eval.i64(arrays.sumPlane)));
    return frame.at(plane, element, eval.mul(panel, eval.i64(schedule.channels)));
  }

  /// Adds the products of a group of squares to the sums of a panel.
  void addProducts(Value panel) {
    const TileShape &tile = schedule.tile;
    frame.loop(eval.i64(0), eval.i64(arrays.points), 1, [&](Value point) {
      Value left = frame.at(inputs, element, eval.mul(point, eval.i64(arrays.inputPlane)));
      Value right = frame.at(cotangents, element, eval.mul(point, eval.i64(arrays.cotangentPlane)));
      Value into = sumsOf(point, panel);
      forTiles(frame, tile.rows, 1, size, [&](Value done, Value rows) {
        selectHeight(frame, rows, heightsOf(tile.rows, 1), [&](unsigned height) {
          DotTile code{element, element, element, height, tile.vectors, tile.lanes, /*hasTail=*/false};
          code.adds = true;
          code.rowStride = 1, code.lhsStride = schedule.channels, code.rhsStride = schedule.panel();
          code.call(frame, {frame.at(left, element, done), right, count, eval.i64(1), eval.i64(schedule.channels),
                            eval.i64(schedule.panel()), eval.i64(0), eval.i64(tile.lanes),
                            frame.at(into, element, eval.mul(done, eval.i64(schedule.panel())))});
        });
      });
    });
  }

  void finish() {
    constexpr int64_t kTaps = WinogradSquare::kTaps;
    Value width = eval.i64(schedule.panel()), side = eval.i64(kTaps);
    SquareOfVectors to{taps, eval.i64(kTaps * schedule.panel()), width};
    frame.loop(eval.i64(0), size, 1, [&](Value channel) {
      forPanels([&](Value panel) {
        Value from = frame.at(sumsOf(eval.i64(0), panel), element, eval.mul(channel, width));
        transforms.taps(from, eval.i64(arrays.sumPlane), width, to);
        TileColumns columns{eval.add(firstFilter, panel), schedule.tile.vectors, schedule.tile.lanes};
        frame.loop(eval.i64(0), eval.i64(kTaps * kTaps), 1, [&](Value tap) {
          eval.nextPoint();
          SmallVector<Index> place{eval.uniform(frame.divide(tap, side)),
                                   eval.uniform(frame.remainder(tap, side)),
                                   eval.uniform(eval.add(firstChannel, channel)),
                                   {}};
          finishColumns(frame, schedule.tile, columns, op.getResult(), frame.at(taps, element, eval.mul(tap, width)), place);
        });
      });
    });
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvFilterGradOp op;
  const WinogradGradientSchedule &schedule;
  WinogradSquare square;
  GradientArrays arrays;
  WinogradTransforms transforms;
  Type element;
  int64_t channels, filters;
  SquareGrid grid;
  std::optional<SquareReader> inputReader, cotangentReader;
  Value inputs, cotangents, sums, taps;
  Value firstChannel, firstFilter, size; // of the work item; `size`: its channels
  Value firstSquare, count;              // of the group
};

class WinogradGradientForm : public FormOf<WinogradGradientSchedule> {
public:
  WinogradGradientForm() : FormOf("winograd_gradient") {}

  bool isHero(Operation *op) const override { return isa<ConvFilterGradOp>(op); }
  bool canCompute(Operation *hero, const VectorTarget &) const override {
    return winogradOf(hero) && llvm::all_of(hero->getOperands(), llvm::IsaPred<BlockArgument>);
  }

private:
  FailureOr<WinogradGradientSchedule> chooseFor(KernelOp kernel, const VectorTarget &target) const override;
  LogicalResult check(KernelOp kernel, const WinogradGradientSchedule &schedule, const VectorTarget &target) const override;

  FailureOr<KernelCode> emitBy(KernelOp kernel, const WinogradGradientSchedule &schedule,
                               const FunctionPlace &at) const override {
    return emitWinograd<WinogradGradientEmitter>(kernel, heroOf(kernel), schedule, at);
  }
};
} // namespace

/// Returns the rough cycles that a square takes, for tuning::kWinogradItems threads: each work item transforms its own channels
/// and filters.
static double cyclesOf(const WinogradGradientSchedule &schedule, WinogradSquare square, const WinogradShape &shape,
                       const VectorTarget &target) {
  int64_t strips = llvm::divideCeil(shape.channels(), schedule.channels), blocks = shape.filters() / schedule.filters;
  double panels = double(schedule.filters) / schedule.panel(), tiles = llvm::divideCeil(schedule.channels, schedule.tile.rows);
  double products = panels * cyclesOfRows(schedule.tile, schedule.channels, target);
  double calls = panels * tiles * tuning::kCyclesOfTileCall / kGroup;
  double transforms =
      (schedule.channels * tuning::kCyclesOfWinogradPoint + schedule.filters * tuning::kCyclesOfCotangentPoint) /
      schedule.tile.lanes;
  double rounds = llvm::divideCeil(strips * blocks, tuning::kWinogradItems);
  return rounds * square.products() * (products + calls + transforms);
}

FailureOr<WinogradGradientSchedule> WinogradGradientForm::chooseFor(KernelOp kernel, const VectorTarget &target) const {
  Operation *op = heroOf(kernel);
  WinogradShape shape = *winogradShapeOf(op);
  WinogradSquare square = *winogradOf(op);
  int64_t most = std::min(target.secondBlockBytes(), tuning::kMostWinogradGradientBytes);
  TileShape tile = chooseProductTile(target, shape.channels(), shape.filters());
  SmallVector<WinogradGradientSchedule> candidates;
  for (int64_t strip = tile.lanes; strip < shape.channels() + tile.lanes; strip += tile.lanes)
    for (int64_t block = tile.vectors * tile.lanes; block <= shape.filters(); block *= 2) {
      WinogradGradientSchedule schedule{tile, std::min(strip, shape.channels()), block};
      bool isLeast = candidates.empty();
      if (shape.filters() % block == 0 && (isLeast || GradientArrays(square, schedule).bytes() <= most))
        candidates.push_back(schedule);
    }
  return cheapest(candidates,
                  [&](const WinogradGradientSchedule &schedule) { return cyclesOf(schedule, square, shape, target); });
}

LogicalResult WinogradGradientForm::check(KernelOp kernel, const WinogradGradientSchedule &schedule,
                                          const VectorTarget &target) const {
  Operation *op = heroOf(kernel);
  if (failed(checkWinogradBlocks(kernel, schedule.tile, schedule.channels, schedule.filters, *winogradShapeOf(op), target)))
    return failure();
  if (int64_t bytes = GradientArrays(*winogradOf(op), schedule).bytes(); bytes > tuning::kMostWinogradBytes)
    return kernel.emitError("a schedule with 'channels' ")
           << schedule.channels << " and 'filters' " << schedule.filters << " takes " << bytes
           << " bytes of a thread's stack; expected at most " << tuning::kMostWinogradBytes;
  return success();
}

const Form &lathe::cpu::winogradGradientForm() {
  static const WinogradGradientForm form;
  return form;
}
