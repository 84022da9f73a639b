#include "codegen/CPU/Convolution/Forward.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr unsigned kFewImages = 4; // fewer than these have pixels as rows

/// Where the rows of a tile start.
struct Start {
  SmallVector<Value> place; // in the output, without the channel
  Value input;              // address of the taps' base
  Value taps;               // class
};

/// Rows of a tile: images times neighbouring pixels of the last dimension that have the same taps.
struct Rows {
  unsigned images, pixels;
  unsigned count() const { return images * pixels; }
};

class ForwardEmitter {
public:
  ForwardEmitter(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table, WordTable words)
      : frame(frame), eval(frame.eval), op(op), shape(shape), table(table), words(words),
        element(cast<RankedTensorType>(op.getType()).getElementType()), imageSize(shape.inputPlaces() * shape.channels) {}

  // With images as rows every pixel has full tiles, whatever the borders. The last few images have rows of pixels instead.
  void emit(const TileShape &imageTile, const TileShape &pixelTile) {
    int64_t most = std::max(imageTile.rows * imageTile.vectors * imageTile.lanes, pixelTile.rows * pixelTile.vectors * pixelTile.lanes);
    sums = frame.stack(element, most);
    Value images = eval.extent(dimsOf(op.getResult())[0]);
    // Images that are multiples of 4096 bytes apart share one place in the cache: no more than 8 of them at once.
    unsigned pixels = imageTile.rows > 8 ? imageTile.rows / 8 : 1;
    tile = imageTile;
    forPanels(frame, tile, shape.filters, [&](const Panel &panel) {
      forHeights(frame, tile.rows / pixels, kFewImages, images,
                 [&](unsigned rows, Value image) { emitLines(panel, image, rows, pixels); });
    });
    Value few = frame.remainder(frame.remainder(images, tile.rows / pixels), kFewImages);
    tile = pixelTile;
    IntegerAttr known;
    if (matchPattern(few, m_Constant(&known)) && known.getInt() == 0)
      return;
    forPanels(frame, tile, shape.filters, [&](const Panel &panel) {
      frame.loop(eval.sub(images, few), images, 1, [&](Value image) { emitLines(panel, image, 1, tile.rows); });
    });
  }

private:
  /// All pixels of some images that are among the pieces to do, line by line of the last dimension.
  void emitLines(const Panel &panel, Value image, unsigned images, unsigned mostPixels) {
    int64_t width = shape.dims.back().output;
    frame.loop(frame.divide(frame.begin, width), frame.divideUp(frame.end, width), 1, [&](Value line) {
      Start start{{image}, imageAt(image), eval.i64(0)};
      addPlaces(start, line, shape.dims.size() - 1);
      frame.loop(eval.i64(0), eval.i64(table.segmentCount), 1, [&](Value segment) {
        emitSegment(panel, start, eval.mul(line, eval.i64(width)), eval.mul(segment, eval.i64(4)), images, mostPixels);
      });
    });
  }

  void emitSegment(const Panel &panel, Start start, Value lineStart, Value at, unsigned images, unsigned mostPixels) {
    int64_t step = shape.dims.back().outputStep();
    Value first = words(at, table.segments), count = words(at, table.segments + 1);
    start.taps = eval.add(start.taps, words(at, table.segments + 2));
    Value origin = eval.add(lineStart, first), zero = eval.i64(0);
    auto clip = [&](Value piece) {
      return eval.min(frame.divideUp(frame.max(eval.sub(piece, origin), zero), step), count);
    };
    Value low = clip(frame.begin), high = clip(frame.end);
    Value base = frame.at(start.input, element, words(at, table.segments + 3));
    forHeights(frame, mostPixels, 1, eval.sub(high, low), [&](unsigned pixels, Value done) {
      Value index = eval.add(low, done);
      Start here = start;
      here.input = frame.at(base, element, eval.mul(index, eval.i64(table.segmentStride)));
      emitTile(panel, {images, pixels}, here, [&](Value row) {
        SmallVector<Value> place = start.place;
        place[0] = eval.add(place[0], frame.divide(row, pixels));
        place.push_back(eval.add(first, eval.mul(eval.add(index, frame.remainder(row, pixels)), eval.i64(step))));
        return place;
      });
    });
  }

  Value imageAt(Value image) {
    return frame.at(frame.buffers.lookup(op.getInput()), element, eval.mul(image, eval.i64(imageSize)));
  }

  /// The first `count` spatial places of a row-major index, with what the table has for them.
  void addPlaces(Start &start, Value index, size_t count) {
    SmallVector<Value> spatial(count);
    for (size_t d = count; d-- > 0;) {
      spatial[d] = d ? frame.remainder(index, shape.dims[d].output) : index;
      index = d ? frame.divide(index, shape.dims[d].output) : index;
    }
    for (auto [d, place] : llvm::enumerate(spatial)) {
      Value at = eval.mul(place, eval.i64(2));
      start.taps = eval.add(start.taps, words(at, table.places[d]));
      start.input = frame.at(start.input, element, words(at, table.places[d] + 1));
    }
    llvm::append_range(start.place, spatial);
  }

  /// `placeOf` gives a row's place in the output, without the channel.
  void emitTile(const Panel &panel, const Rows &rows, const Start &start, function_ref<SmallVector<Value>(Value row)> placeOf) {
    eval.lanes = tile.lanes;
    KernelFrame::Carry totals(rows.count() * panel.vectors, eval.splat(eval.constant(element, 0)));
    Value filter = frame.at(frame.buffers.lookup(op.getFilter()), element, panel.first);
    Value firstRun = words(start.taps, table.starts), lastRun = words(start.taps, table.starts + 1);
    totals = frame.loop(firstRun, lastRun, totals, [&](Value run, ValueRange carried) {
      Value at = eval.mul(run, eval.i64(3));
      Value x = frame.at(start.input, element, words(at, table.runs));
      Value w = frame.at(filter, element, words(at, table.runs + 1));
      return frame.loop(eval.i64(0), words(at, table.runs + 2), carried, [&](Value c, ValueRange inner) {
        return step(panel, rows, frame.at(x, element, c), frame.at(w, element, eval.mul(c, eval.i64(shape.filters))), inner);
      });
    });
    finish(panel, rows.count(), totals, placeOf);
  }

  /// The results of a tile, row by row from the stack: code for one row does for all, and registers for what follows the sums.
  void finish(const Panel &panel, unsigned rows, ArrayRef<Value> totals, function_ref<SmallVector<Value>(Value row)> placeOf) {
    unsigned bytes = element.getIntOrFloatBitWidth() / 8, width = panel.vectors * tile.lanes;
    for (auto [i, total] : llvm::enumerate(totals))
      LLVM::StoreOp::create(frame.b, frame.loc, total, frame.at(sums, element, i * tile.lanes), bytes);
    frame.loop(eval.i64(0), eval.i64(rows), 1, [&](Value row) {
      eval.nextPoint();
      SmallVector<Index> place;
      for (Value coordinate : placeOf(row))
        place.push_back(eval.uniform(coordinate));
      place.push_back({});
      Value from = frame.at(sums, element, eval.mul(row, eval.i64(width)));
      for (unsigned v = 0; v < panel.vectors; ++v) {
        VectorScope scope(frame, tile, panel, v);
        Value sum = LLVM::LoadOp::create(frame.b, frame.loc, eval.vectorOf(element), frame.at(from, element, v * tile.lanes), bytes);
        place.back() = {eval.add(panel.first, eval.i64(v * tile.lanes)), tile.lanes > 1, {}};
        frame.finish(op.getResult(), sum, place);
      }
    });
  }

  /// One element of the taps' channels: an outer product of the rows' inputs and a row of the filter.
  KernelFrame::Carry step(const Panel &panel, const Rows &rows, Value x, Value w, ValueRange totals) {
    SmallVector<Value> columns;
    for (unsigned v = 0; v < panel.vectors; ++v) {
      VectorScope scope(frame, tile, panel, v);
      columns.push_back(frame.loadLanes(frame.at(w, element, v * tile.lanes), element));
    }
    KernelFrame::Carry next;
    for (unsigned row = 0; row < rows.count(); ++row) {
      int64_t offset = row / rows.pixels * imageSize + row % rows.pixels * table.segmentStride;
      Value factor = eval.splat(frame.loadOne(frame.at(x, element, offset), element));
      for (unsigned v = 0; v < panel.vectors; ++v)
        next.push_back(frame.multiplyAdd(factor, columns[v], totals[row * panel.vectors + v]));
    }
    return next;
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvOp op;
  const ConvolutionShape &shape;
  const TapTable &table;
  WordTable words;
  Type element;
  int64_t imageSize;
  TileShape tile{};
  Value sums; // of a tile, on the stack
};
} // namespace

void lathe::cpu::emitForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table, WordTable words,
                             const Target &target) {
  unsigned bytes = cast<RankedTensorType>(op.getType()).getElementTypeBitWidth() / 8;
  ForwardEmitter(frame, op, shape, table, words)
      .emit(chooseTile(target, bytes, shape.filters), choosePixelTile(target, bytes, shape.filters));
}
