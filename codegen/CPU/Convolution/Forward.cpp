#include "codegen/CPU/Convolution/Forward.h"
#include "codegen/CPU/Convolution/TileFunction.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr unsigned kFewImages = 4; // fewer than these have pixels as rows

/// Where the first row of a tile is.
struct Start {
  SmallVector<Value> place; // in all spatial dimensions but the last
  Value input;              // address of the taps' base
  Value taps;               // class
};

/// Rows of a tile: so many images (a value among the heights) times neighbouring pixels with the same taps.
struct Images {
  Value first, count;
  SmallVector<unsigned> heights;
  SmallVector<unsigned> pixelHeights;
};

class ForwardEmitter {
public:
  ForwardEmitter(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table, WordTable words)
      : frame(frame), eval(frame.eval), op(op), shape(shape), table(table), words(words),
        element(cast<RankedTensorType>(op.getType()).getElementType()), imageSize(shape.inputPlaces() * shape.inputPitch()) {}

  // With images as rows every pixel has full tiles, whatever the borders. The last few images have rows of pixels instead.
  void emit(const TileShape &imageTile, const TileShape &pixelTile) {
    auto size = [](const TileShape &shape) { return shape.rows * shape.vectors * shape.lanes; };
    sums = frame.stack(element, std::max(size(imageTile), size(pixelTile)));
    Value images = eval.extent(dimsOf(op.getResult())[0]);
    // Images that are multiples of 4096 bytes apart share one place in the cache: no more than 8 of them at once.
    unsigned pixels = imageTile.rows > 8 ? imageTile.rows / 8 : 1, most = imageTile.rows / pixels;
    IntegerAttr known;
    SmallVector<unsigned> heights = heightsOf(most, kFewImages);
    if (matchPattern(images, m_Constant(&known)))
      llvm::erase_if(heights, [&](unsigned rows) { return (rows == most ? known.getInt() : known.getInt() % most) < rows; });
    if (!heights.empty())
      forGroupPanels(imageTile, [&](const Panel &panel) {
        forTiles(frame, most, kFewImages, images,
                 [&](Value first, Value count) { emitLines(panel, {first, count, heights, heightsOf(pixels, 1)}); });
      });
    Value few = frame.remainder(frame.remainder(images, most), kFewImages);
    if (matchPattern(few, m_Constant(&known)) && known.getInt() == 0)
      return;
    forGroupPanels(pixelTile, [&](const Panel &panel) {
      frame.loop(eval.sub(images, few), images, 1,
                 [&](Value image) { emitLines(panel, {image, eval.i64(1), {1}, heightsOf(tile.rows, 1)}); });
    });
  }

private:
  /// The panels of each group, their columns counted over all groups.
  void forGroupPanels(const TileShape &shapeOfTile, function_ref<void(const Panel &)> body) {
    tile = shapeOfTile;
    frame.loop(eval.i64(0), eval.i64(shape.groups), 1, [&](Value group) {
      firstChannel = eval.mul(group, eval.i64(shape.channels));
      forPanels(frame, tile, shape.filters, [&](Panel panel) {
        panel.first = eval.add(panel.first, eval.mul(group, eval.i64(shape.filters)));
        body(panel);
      });
    });
  }

  /// All pixels of some images that are among the pieces to do, line by line of the last dimension.
  void emitLines(const Panel &panel, const Images &images) {
    int64_t width = shape.dims.back().output;
    frame.loop(frame.divide(frame.begin, width), frame.divideUp(frame.end, width), 1, [&](Value line) {
      Start start{{}, imageAt(images.first), eval.i64(0)};
      addPlaces(start, line, shape.dims.size() - 1);
      frame.loop(eval.i64(0), eval.i64(table.segmentCount), 1, [&](Value segment) {
        emitSegment(panel, images, start, eval.mul(line, eval.i64(width)), eval.mul(segment, eval.i64(4)));
      });
    });
  }

  void emitSegment(const Panel &panel, const Images &images, Start start, Value lineStart, Value at) {
    int64_t step = shape.dims.back().outputStep();
    Value first = words(at, table.segments), count = words(at, table.segments + 1);
    start.taps = eval.add(start.taps, words(at, table.segments + 2));
    Value origin = eval.add(lineStart, first), zero = eval.i64(0);
    auto clip = [&](Value piece) { return eval.min(frame.divideUp(frame.max(eval.sub(piece, origin), zero), step), count); };
    Value low = clip(frame.begin), high = clip(frame.end);
    Value base = frame.at(start.input, element, words(at, table.segments + 3));
    forTiles(frame, images.pixelHeights.front(), 1, eval.sub(high, low), [&](Value done, Value pixels) {
      Value index = eval.add(low, done);
      start.input = frame.at(base, element, eval.mul(index, eval.i64(table.segmentStride)));
      selectHeight(frame, images.count, images.heights, [&](unsigned imageRows) {
        selectHeight(frame, pixels, images.pixelHeights,
                     [&](unsigned pixelRows) { callTile(panel, start, imageRows, pixelRows); });
      });
      frame.loop(eval.i64(0), images.count, 1, [&](Value image) {
        frame.loop(eval.i64(0), pixels, 1, [&](Value pixel) {
          SmallVector<Value> place{eval.add(images.first, image)};
          llvm::append_range(place, start.place);
          place.push_back(eval.add(first, eval.mul(eval.add(index, pixel), eval.i64(step))));
          finish(panel, eval.add(eval.mul(image, pixels), pixel), place);
        });
      });
    });
  }

  Value imageAt(Value image) {
    Value place = eval.add(eval.mul(image, eval.i64(imageSize)), firstChannel);
    return frame.at(frame.buffers.lookup(op.getInput()), element, place);
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

  void callTile(const Panel &panel, const Start &start, unsigned images, unsigned pixels) {
    TileSums code{element,       images,     pixels,          imageSize,          table.segmentStride,
                  panel.vectors, tile.lanes, panel.lastLanes, shape.outputPitch()};
    if (pixels == 1)
      code.pixelDistance = 0; // one function, whatever it would be
    if (images == 1)
      code.imageDistance = 0;
    Value filter = frame.at(frame.buffers.lookup(op.getFilter()), element, panel.first);
    Value firstRun = words(start.taps, table.starts), lastRun = words(start.taps, table.starts + 1);
    Value runs = words.addressOf(eval.mul(firstRun, eval.i64(3)), table.runs);
    LLVM::CallOp::create(frame.b, frame.loc, code.function(frame),
                         ValueRange{start.input, filter, runs, eval.sub(lastRun, firstRun), sums});
  }

  /// The results of a row of the tile.
  void finish(const Panel &panel, Value row, ArrayRef<Value> coordinates) {
    eval.lanes = tile.lanes;
    eval.nextPoint();
    SmallVector<Index> place;
    for (Value coordinate : coordinates)
      place.push_back(eval.uniform(coordinate));
    place.push_back({});
    Value from = frame.at(sums, element, eval.mul(row, eval.i64(panel.vectors * tile.lanes)));
    for (unsigned v = 0; v < panel.vectors; ++v) {
      VectorScope scope(frame, tile, panel, v);
      Value sum = LLVM::LoadOp::create(frame.b, frame.loc, eval.vectorOf(element), frame.at(from, element, v * tile.lanes),
                                       element.getIntOrFloatBitWidth() / 8);
      place.back() = {eval.add(panel.first, eval.i64(v * tile.lanes)), tile.lanes > 1, {}};
      frame.finish(op.getResult(), sum, place);
    }
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
  Value firstChannel; // of the group
  Value sums;         // of a tile, on the stack
};
} // namespace

int64_t lathe::cpu::placesPerPiece(ConvOp op, const ConvolutionShape &shape) {
  Dim images = dimsOf(op.getResult())[0];
  return images.isStatic() && images.constant() < kFewImages ? shape.dims.back().output : 1;
}

void lathe::cpu::emitForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table,
                             WordTable words, const Target &target) {
  unsigned bytes = cast<RankedTensorType>(op.getType()).getElementTypeBitWidth() / 8;
  ForwardEmitter(frame, op, shape, table, words)
      .emit(chooseTile(target, bytes, shape.filters), choosePixelTile(target, bytes, shape.filters));
}
