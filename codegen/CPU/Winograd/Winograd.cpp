// The code of a convolution by Winograd's minimal filtering, for the work items of a call:
//
//   for item: group of squares, group of filters
//     for block of channels
//       for square: inputs[point, square] = transform of the square's inputs   // beyond a border: of a copy with zeros
//       for panel of the filters
//         filter[point] = transform of the block's filter
//         for point: sums[point, panel, squares] += inputs[point] * filter[point]    // as register tiles of a product
//     for square
//       square of outputs = transform of the sums
//       for output inside the image: results = epilogue(output)
//
// Squares of all images are numbered one after the other. All arrays are on the thread's stack, and fit in the second-level
// cache. The distance of points is one cache line more than their elements need, so that the vectors of a square do not crowd
// few sets of the first-level cache.
#include "codegen/CPU/Winograd/Winograd.h"
#include "codegen/CPU/Contraction/DotTile.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/CPU/Winograd/Products.h"
#include "codegen/CPU/Winograd/Squares.h"
#include "codegen/Schedules/Cheapest.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Analysis/Winograd.h"
#include <numeric>

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
struct WinogradSchedule {
  TileShape tile;        // of a product: rows are squares, columns filters
  int64_t squares = 12;  // of a work item
  int64_t filters = 64;  // of a work item
  int64_t channels = 64; // of a block

  template <typename Visitor>
  void visit(Visitor &visitor) {
    tile.visit(visitor, "product_");
    visitor("squares", squares, 1, 256);
    visitor("filters", filters, 1, 4096);
    visitor("channels", channels, 1, 4096);
  }
  int64_t panel() const { return int64_t(tile.vectors) * tile.lanes; }
};

/// The arrays of a work item. Sizes and distances count elements.
struct Arrays {
  int64_t points, inputPlane, filterPlane, sumPlane, outputs, patch;

  Arrays(WinogradSquare square, const WinogradSchedule &schedule)
      : points(square.products()), inputPlane(schedule.squares * schedule.channels + kWinogradPadding),
        filterPlane(schedule.channels * schedule.panel() + kWinogradPadding),
        sumPlane(schedule.squares * schedule.filters + kWinogradPadding),
        outputs(square.outputs * square.outputs * schedule.filters),
        patch(SquareReader::elements(square.inputs(), schedule.channels)) {}
  int64_t bytes() const { return (points * (inputPlane + filterPlane + sumPlane) + outputs + patch) * int64_t(sizeof(float)); }
};

class WinogradEmitter {
public:
  WinogradEmitter(KernelFrame &frame, Operation *hero, const WinogradShape &shape, const WinogradSchedule &schedule)
      : frame(frame), eval(frame.eval), op(cast<ConvOp>(hero)), shape(shape), schedule(schedule), square(*winogradOf(hero)),
        arrays(square, schedule), transforms(frame, square, schedule.tile.lanes), element(frame.b.getF32Type()),
        channels(shape.channels()), filters(shape.filters()), grid(frame, shape, square) {
    inputs = frame.stack(element, arrays.points * arrays.inputPlane);
    filter = frame.stack(element, arrays.points * arrays.filterPlane);
    sums = frame.stack(element, arrays.points * arrays.sumPlane);
    outputs = frame.stack(element, arrays.outputs);
    reader.emplace(frame, frame.buffers.lookup(op.getInput()), grid.inputExtent, square.inputs(), channels, schedule.channels,
                   schedule.tile.lanes);
  }

  /// Returns the number of work items. Groups of squares are counted fastest.
  Dim items() { return ceilDiv(shape.squares(square), schedule.squares) * Dim(filters / schedule.filters); }

  void emit() {
    Value all = grid.count();
    Value groups = frame.divideUp(all, schedule.squares);
    frame.loop(frame.begin, frame.end, 1, [&](Value item) {
      Value group = frame.remainder(item, groups);
      firstFilter = eval.mul(frame.divide(item, groups), eval.i64(schedule.filters));
      firstSquare = eval.mul(group, eval.i64(schedule.squares));
      count = eval.min(eval.sub(all, firstSquare), eval.i64(schedule.squares));
      emitItem();
    });
  }

private:
  void emitItem() {
    Value end = eval.i64(channels);
    frame.loop(eval.i64(0), end, schedule.channels, [&](Value first) {
      Value size = eval.min(eval.sub(end, first), eval.i64(schedule.channels));
      frame.loop(eval.i64(0), count, 1, [&](Value index) { transformInputs(index, first, size); });
      frame.loop(eval.i64(0), eval.i64(schedule.filters), schedule.panel(), [&](Value panel) {
        transformFilter(panel, first, size);
        auto multiply = [&](bool goesOn) { addProducts(panel, size, goesOn); };
        if (channels <= schedule.channels)
          return multiply(false);
        Value isFirst = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::eq, first, eval.i64(0));
        frame.choose(isFirst, [&] { multiply(false); }, [&] { multiply(true); });
      });
    });
    frame.loop(eval.i64(0), count, 1, [&](Value index) { finishSquare(index); });
  }

  void transformInputs(Value index, Value firstChannel, Value size) {
    SquareGrid::Place place = grid.placeOf(eval.add(firstSquare, index));
    std::array<Value, 2> first;
    for (unsigned d : {0, 1})
      first[d] = eval.sub(place.output[d], eval.i64(op.getPadLow()[d]));
    Value to = frame.at(inputs, element, eval.mul(index, eval.i64(schedule.channels))), distance = eval.i64(arrays.inputPlane);
    reader->read(place.image, first, firstChannel, size,
                 [&](const SquareOfVectors &from) { transforms.inputs(from, size, to, distance); });
  }

  void transformFilter(Value panel, Value firstChannel, Value size) {
    Value from = eval.add(eval.add(eval.mul(firstChannel, eval.i64(filters)), firstFilter), panel);
    from = frame.at(frame.buffers.lookup(op.getFilter()), element, from);
    int64_t tap = channels * filters;
    transforms.filter({from, eval.i64(WinogradSquare::kTaps * tap), eval.i64(tap)}, eval.i64(filters), size,
                      eval.i64(schedule.panel()), filter, eval.i64(arrays.filterPlane));
  }

  /// Adds the products of a block of channels to the sums of a panel.
  void addProducts(Value panel, Value size, bool goesOn) {
    const TileShape &tile = schedule.tile;
    frame.loop(eval.i64(0), eval.i64(arrays.points), 1, [&](Value point) {
      Value left = frame.at(inputs, element, eval.mul(point, eval.i64(arrays.inputPlane)));
      Value right = frame.at(filter, element, eval.mul(point, eval.i64(arrays.filterPlane)));
      Value into = frame.at(sums, element, eval.mul(point, eval.i64(arrays.sumPlane)));
      into = frame.at(into, element, eval.mul(panel, eval.i64(schedule.squares)));
      forTiles(frame, tile.rows, 1, count, [&](Value done, Value rows) {
        selectHeight(frame, rows, heightsOf(tile.rows, 1), [&](unsigned height) {
          DotTile code{element, element, element, height, tile.vectors, tile.lanes, /*hasTail=*/false, goesOn};
          code.lhsStride = 1, code.rhsStride = schedule.panel(), code.depthMultiple = std::gcd(channels, schedule.channels);
          code.call(frame, {frame.at(left, element, eval.mul(done, eval.i64(schedule.channels))), right, size,
                            eval.i64(schedule.channels), eval.i64(1), eval.i64(schedule.panel()), eval.i64(0),
                            eval.i64(tile.lanes), frame.at(into, element, eval.mul(done, eval.i64(schedule.panel())))});
        });
      });
    });
  }

  void finishSquare(Value index) {
    SquareGrid::Place place = grid.placeOf(eval.add(firstSquare, index));
    Value width = eval.i64(schedule.panel()), outputSide = eval.i64(square.outputs);
    SquareOfVectors to{outputs, eval.i64(square.outputs * schedule.filters), eval.i64(schedule.filters)};
    frame.loop(eval.i64(0), eval.i64(schedule.filters), schedule.panel(), [&](Value panel) {
      Value from = frame.at(sums, element, eval.mul(panel, eval.i64(schedule.squares)));
      SquareOfVectors part{frame.at(outputs, element, panel), to.rowDistance, to.columnDistance};
      transforms.outputs(frame.at(from, element, eval.mul(index, width)), eval.i64(arrays.sumPlane), width, part);
    });
    auto limit = [&](unsigned d) { return eval.min(eval.sub(grid.outputExtent[d], place.output[d]), outputSide); };
    frame.loop(eval.i64(0), limit(0), 1, [&](Value row) {
      frame.loop(eval.i64(0), limit(1), 1, [&](Value column) {
        Value number = eval.add(eval.mul(row, outputSide), column);
        Value values = frame.at(outputs, element, eval.mul(number, eval.i64(schedule.filters)));
        frame.loop(eval.i64(0), eval.i64(schedule.filters), schedule.panel(), [&](Value panel) {
          TileColumns columns{eval.add(firstFilter, panel), schedule.tile.vectors, schedule.tile.lanes};
          finishPixel(frame, schedule.tile, columns, op.getResult(), frame.at(values, element, panel), place.image,
                      {eval.add(place.output[0], row)}, eval.add(place.output[1], column));
        });
      });
    });
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvOp op;
  const WinogradShape &shape;
  const WinogradSchedule &schedule;
  WinogradSquare square;
  Arrays arrays;
  WinogradTransforms transforms;
  Type element;
  int64_t channels, filters;
  SquareGrid grid;
  std::optional<SquareReader> reader;
  Value inputs, filter, sums, outputs;
  Value firstFilter, firstSquare, count; // of the work item
};

class WinogradForm : public FormOf<WinogradSchedule> {
public:
  WinogradForm() : FormOf("winograd") {}

  bool isHero(Operation *op) const override { return isa<ConvOp>(op); }
  bool canCompute(Operation *hero, const VectorTarget &) const override {
    return winogradOf(hero) && llvm::all_of(hero->getOperands(), llvm::IsaPred<BlockArgument>);
  }

private:
  FailureOr<WinogradSchedule> chooseFor(KernelOp kernel, const VectorTarget &target) const override;
  LogicalResult check(KernelOp kernel, const WinogradSchedule &schedule, const VectorTarget &target) const override;

  FailureOr<KernelCode> emitBy(KernelOp kernel, const WinogradSchedule &schedule, const FunctionPlace &at) const override {
    return emitWinograd<WinogradEmitter>(kernel, heroOf(kernel), schedule, at);
  }
};
} // namespace

/// Returns the rough cycles that a convolution of `squares` squares takes.
static double cyclesOf(const WinogradSchedule &schedule, WinogradSquare square, int64_t squares, int64_t channels,
                       int64_t filters, const VectorTarget &target) {
  int64_t full = squares / schedule.squares, rest = squares % schedule.squares, groups = full + (rest != 0);
  double blocks = llvm::divideCeil(channels, schedule.channels), panels = filters / schedule.panel();
  double lanes = schedule.tile.lanes;
  double rows = full * cyclesOfRows(schedule.tile, schedule.squares, target) + cyclesOfRows(schedule.tile, rest, target);
  double rowTiles = full * llvm::divideCeil(schedule.squares, schedule.tile.rows) + llvm::divideCeil(rest, schedule.tile.rows);
  double products = panels * (rows * channels + rowTiles * blocks * tuning::kCyclesOfTileCall);
  double transforms = groups * channels * filters / lanes + squares * channels / lanes * (filters / schedule.filters) +
                      squares * filters / lanes;
  return square.products() * (products + transforms * tuning::kCyclesOfWinogradPoint);
}

/// Returns the number of work items for a known number of squares.
static int64_t itemsOf(const WinogradSchedule &schedule, int64_t squares, int64_t filters) {
  return llvm::divideCeil(squares, schedule.squares) * (filters / schedule.filters);
}

FailureOr<WinogradSchedule> WinogradForm::chooseFor(KernelOp kernel, const VectorTarget &target) const {
  Operation *op = heroOf(kernel);
  WinogradShape shape = *winogradShapeOf(op);
  int64_t channels = shape.channels(), filters = shape.filters();
  WinogradSquare square = *winogradOf(op);
  int64_t most = std::min(target.secondBlockBytes(), tuning::kMostWinogradBytes);
  Dim all = shape.squares(square);
  TileShape tile = chooseProductTile(target, channels, filters);
  SmallVector<WinogradSchedule> candidates;
  for (int64_t rows = 1; rows <= tuning::kMostWinogradRowTiles * tile.rows; rows += rows < tile.rows ? 1 : tile.rows)
    for (int64_t wide = tile.vectors * tile.lanes; wide <= filters && wide <= tuning::kMostWinogradFilters; wide *= 2)
      for (int64_t block = tuning::kLeastWinogradChannels;; block *= 2) {
        WinogradSchedule schedule{tile, rows, wide, std::min(block, channels)};
        if (filters % wide == 0 && Arrays(square, schedule).bytes() <= most)
          candidates.push_back(schedule);
        if (block >= channels)
          break;
      }
  auto cycles = [&](const WinogradSchedule &schedule) {
    int64_t squares = all.isStatic() ? all.constant() : tuning::kManySquares * schedule.squares;
    return cyclesOf(schedule, square, squares, channels, filters, target) / double(std::max<int64_t>(squares, 1));
  };
  WinogradSchedule best = cheapest(candidates, cycles);
  if (!all.isStatic() || itemsOf(best, all.constant(), filters) > 1)
    return best;
  // Threads can share a lone work item if it is cut, as long as one thread takes hardly longer.
  double longest = cycles(best) * tuning::kMostCyclesOfShared;
  llvm::erase_if(candidates, [&](const WinogradSchedule &schedule) {
    return itemsOf(schedule, all.constant(), filters) < 2 || cycles(schedule) > longest;
  });
  return candidates.empty() ? best : cheapest(candidates, cycles);
}

LogicalResult WinogradForm::check(KernelOp kernel, const WinogradSchedule &schedule, const VectorTarget &target) const {
  Operation *op = heroOf(kernel);
  if (failed(checkWinogradBlocks(kernel, schedule.tile, schedule.channels, schedule.filters, *winogradShapeOf(op), target)))
    return failure();
  if (int64_t bytes = Arrays(*winogradOf(op), schedule).bytes(); bytes > tuning::kMostWinogradBytes)
    return kernel.emitError("a schedule with 'squares' ")
           << schedule.squares << ", 'filters' " << schedule.filters << " and 'channels' " << schedule.channels << " takes "
           << bytes << " bytes of a thread's stack; expected at most " << tuning::kMostWinogradBytes;
  return success();
}

const Form &lathe::cpu::winogradForm() {
  static const WinogradForm form;
  return form;
}
