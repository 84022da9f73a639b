// The code of a convolution with known extents. Each call has a range of output positions, or of work items of PixelBlocks:
//
//   for group, for tile of `image_vectors * image_lanes` channels        // by_images: those that fill a tile's rows
//     with `packs_filter`: for block of images, for chain: copy the chain's rows of the filter, and add all tiles' products
//       (a call has a range of tiles instead of positions if there are many of them and no images are left)
//     else: for line of outputs, for segment of it whose outputs have the same taps
//       for tile of images x adjacent outputs
//         for chain, for run of the segment's taps: sums += input[run] * filter[run, channels]
//         for output: results = epilogue(sums)
//   all images, or those that are left: PixelBlocks.cpp                  // rows are pixels
//
// A depthwise convolution has the first loop nest for single images and tiles of pixels. The compile-time table TapTable lists
// segments, taps and runs, so that no code tests for borders.
#include "codegen/CPU/Convolution/Forward.h"
#include "codegen/CPU/Convolution/Filter.h"
#include "codegen/CPU/Convolution/PackedFilter.h"
#include "codegen/CPU/Convolution/PixelBlocks.h"
#include "codegen/CPU/Convolution/TileFunction.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Tiles/Copies.h"
#include "codegen/CPU/Tuning.h"
#include "lib/Analysis/Planes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// The position of a tile's first row.
struct Start {
  SmallVector<Value> place; // in all spatial dimensions but the last
  Value input;              // address of the inputs' base
  Value taps;               // class of the taps
};

/// The rows of a tile: `count` images (one of `heights`) times adjacent pixels with the same taps.
struct Images {
  Value first, count;
  SmallVector<unsigned> heights;
  SmallVector<unsigned> pixelHeights;
};

/// Pixels of a line with the same taps.
struct Pixels {
  Value line, first, count;
};

class ForwardEmitter {
public:
  ForwardEmitter(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table,
                 const ForwardSchedule &schedule)
      : frame(frame), eval(frame.eval), op(op), shape(shape), table(table), words(frame, "taps", table.words),
        schedule(schedule), filter(op, shape), element(scalarOf(cast<RankedTensorType>(op.getType()).getElementType())),
        width(shape.dims.back().output), imageSize(shape.inputPlaces() * shape.inputPitch()),
        chains(frame, kProductOrder, element, Dim(shape.sumTerms()), Dim(shape.sumRow())) {}

  // With images as rows every pixel has full tiles, even at borders. The last few images use pixels as rows instead; without
  // `by_images` all do.
  void emit(KernelCode &code) {
    if (shape.isDepthwise()) // images share no loads
      return emitDepthwise(code);
    const TileShape &imageTile = schedule.images;
    Dim count = dimsOf(op.getResult())[0];
    Value images = eval.extent(count);
    unsigned most = mostImagesOf(imageTile), pixels = imageTile.rows / most;
    SmallVector<unsigned> heights;
    if (schedule.byImages)
      heights = heightsOf(most, tuning::kFewImages);
    if (count.isStatic())
      llvm::erase_if(heights, [&, n = count.constant()](unsigned rows) { return (rows == most ? n : n % most) < rows; });
    Value few = heights.empty() ? images : frame.remainder(frame.remainder(images, most), tuning::kFewImages);
    IntegerAttr known;
    bool hasFew = !matchPattern(few, m_Constant(&known)) || known.getInt() != 0;
    if (schedule.packsFilter && !heights.empty() && !hasFew && PackedFilter::sharesTiles(shape, imageTile))
      return emitSharedTiles(code, most, {eval.i64(0), images, heights, heightsOf(pixels, 1)});
    std::optional<Patches> patches;
    std::optional<PixelBlocks> blocks;
    PatchParameters parameters = patchParametersOf(op, schedule, frame.target);
    if (hasFew) {
      patches = Patches::make(shape, table, parameters);
      blocks.emplace(frame, op, shape, table, words, *patches, parameters, schedule.pixels);
    }
    code.extent = heights.empty() && hasFew ? count * Dim(blocks->itemsOfImage()) : shape.outputPlacesDim();
    if (!heights.empty()) {
      if (schedule.packsFilter)
        makePackedSums(imageTile);
      else
        makeSums(imageTile);
      forGroupColumns(imageTile, [&](const TileColumns &columns) {
        if (schedule.packsFilter)
          return emitPackedFilter(columns, most, {eval.i64(0), images, heights, heightsOf(pixels, 1)});
        forTiles(frame, most, tuning::kFewImages, images,
                 [&](Value first, Value count) { emitLines(columns, {first, count, heights, heightsOf(pixels, 1)}); });
      });
    }
    if (!hasFew)
      return;
    Value first = eval.sub(images, few), low = frame.begin, high = frame.end;
    if (!heights.empty()) { // the call's part of all items is its part of the output positions
      Value items = eval.mul(few, eval.i64(blocks->itemsOfImage()));
      low = frame.divideUp(eval.mul(low, items), shape.outputPlaces());
      high = frame.divideUp(eval.mul(high, items), shape.outputPlaces());
    }
    blocks->emit(first, few, low, high);
  }

private:
  void makeSums(const TileShape &most) {
    sums = frame.stack(element, most.rows * most.vectors * most.lanes);
    if (!chains.areOneGroup())
      totals = frame.stack(element, most.rows * most.vectors * most.lanes);
  }

  void emitDepthwise(KernelCode &code) {
    code.extent = shape.outputPlacesDim();
    code.unit = width; // a work item is a line of outputs
    frame.begin = eval.mul(frame.begin, eval.i64(width));
    frame.end = eval.mul(frame.end, eval.i64(width));
    makeSums(schedule.pixels);
    forGroupColumns(schedule.pixels, [&](const TileColumns &columns) {
      frame.loop(eval.i64(0), eval.extent(dimsOf(op.getResult())[0]), 1,
                 [&](Value image) { emitLines(columns, {image, eval.i64(1), {1}, heightsOf(tile.rows, 1)}); });
    });
  }

  /// Calls the body for the tiles' columns of each group, counted over all groups.
  void forGroupColumns(const TileShape &shapeOfTile, function_ref<void(const TileColumns &)> body) {
    tile = shapeOfTile;
    frame.loop(eval.i64(0), eval.i64(shape.columnGroups()), 1, [&](Value group) {
      forTileColumns(frame, tile, shape.columns(), [&](TileColumns columns) {
        columns.first = eval.add(columns.first, eval.mul(group, eval.i64(shape.columns())));
        firstChannel = shape.isDepthwise() ? columns.first : eval.mul(group, eval.i64(shape.channels));
        body(columns);
      });
    });
  }

  /// Calls the body for each tile of the lines that the call covers.
  using TileBody = function_ref<void(const Start &, const Pixels &)>;
  void forLines(const Images &images, TileBody body) {
    frame.loop(frame.divide(frame.begin, width), frame.divideUp(frame.end, width), 1, [&](Value line) {
      forTilesOfLine(images, line, [&](const Start &start, Value first, Value count) { body(start, {line, first, count}); });
    });
  }

  /// Calls the body with the code of a tile of these images and pixels.
  void selectTile(const TileColumns &columns, const Images &images, const Pixels &pixels,
                  function_ref<void(const TileSums &)> body) {
    int64_t distance = columns.vectors * tile.lanes;
    selectHeight(frame, images.count, images.heights, [&](unsigned imageRows) {
      selectHeight(frame, pixels.count, images.pixelHeights,
                   [&](unsigned pixelRows) { body(code(columns, imageRows, pixelRows, distance)); });
    });
  }

  /// Emits the results of a tile from its sums.
  void finishTile(const TileColumns &columns, const Images &images, const Start &start, const Pixels &pixels, Value from) {
    int64_t step = shape.dims.back().outputStep(), distance = columns.vectors * tile.lanes;
    frame.loop(eval.i64(0), images.count, 1, [&](Value image) {
      frame.loop(eval.i64(0), pixels.count, 1, [&](Value pixel) {
        Value row = eval.add(eval.mul(image, pixels.count), pixel);
        finishPixel(frame, tile, columns, op.getResult(), frame.at(from, element, eval.mul(row, eval.i64(distance))),
                    eval.add(images.first, image), start.place, eval.add(pixels.first, eval.mul(pixel, eval.i64(step))));
      });
    });
  }

  /// Emits the pixels of some images that the call covers, line by line.
  void emitLines(const TileColumns &columns, const Images &images) {
    forLines(images, [&](const Start &start, const Pixels &pixels) {
      emitTile(columns, images, start, pixels);
      finishTile(columns, images, start, pixels, sums);
    });
  }

  /// Emits all images in tiles of at most `most`. Threads share the tiles of columns, so that each copies its own part of the
  /// filter; where they share positions, each copies all of it.
  void emitSharedTiles(KernelCode &code, unsigned most, const Images &images) {
    tile = schedule.images;
    int64_t columnsOfTile = int64_t(tile.vectors) * tile.lanes;
    code.extent = Dim(shape.columns() / columnsOfTile);
    Value low = frame.begin, high = frame.end;
    frame.begin = eval.i64(0);
    frame.end = eval.i64(shape.outputPlaces());
    firstChannel = eval.i64(0);
    makePackedSums(tile);
    frame.loop(low, high, 1, [&](Value number) {
      TileColumns columns{eval.mul(number, eval.i64(columnsOfTile)), tile.vectors, tile.lanes};
      emitPackedFilter(columns, most, images);
    });
  }

  void makePackedSums(const TileShape &most) {
    PackedFilter packed = PackedFilter::of(shape, table, most, element.getIntOrFloatBitWidth() / 8);
    blockImages = packed.images;
    sums = frame.stack(element, packed.sums);
    packedRows = frame.stack(element, packed.rows);
  }

  /// Emits all images in tiles of at most `most`. Blocks of images share the copy of a chain's rows of the filter, and their
  /// sums stay in memory meanwhile.
  void emitPackedFilter(const TileColumns &columns, unsigned most, const Images &images) {
    frame.loop(eval.i64(0), images.count, blockImages, [&](Value first) {
      Value count = eval.min(eval.sub(images.count, first), eval.i64(blockImages));
      auto forImages = [&](function_ref<void(const Images &, const Start &, const Pixels &, Value sums)> body) {
        forTiles(frame, most, tuning::kFewImages, count, [&](Value done, Value rows) {
          Images these{eval.add(first, done), rows, images.heights, images.pixelHeights};
          forLines(these, [&](const Start &start, const Pixels &pixels) {
            Value place = eval.sub(eval.add(eval.mul(pixels.line, eval.i64(width)), pixels.first), frame.begin);
            Value row = eval.add(eval.mul(place, eval.i64(blockImages)), eval.mul(done, pixels.count));
            body(these, start, pixels, frame.at(sums, element, eval.mul(row, eval.i64(columns.vectors * tile.lanes))));
          });
        });
      };
      chains.forEach(
          [&](Value chain, Value isFirst) {
            Value from = packChain(columns, chain);
            forImages([&](const Images &these, const Start &start, const Pixels &pixels, Value to) {
              TileSums::Call call = callOf(start, chain, isFirst, from, to);
              selectTile(columns, these, pixels, [&](TileSums code) {
                code.filterPitch = columns.vectors * tile.lanes;
                code.call(frame, call);
              });
            });
          },
          [](Value, Value) {});
      forImages([&](const Images &these, const Start &start, const Pixels &pixels, Value from) {
        finishTile(columns, these, start, pixels, from);
      });
    });
  }

  /// Copies the rows of a chain for some columns. Returns the address that the filter's first row would have.
  Value packChain(const TileColumns &columns, Value chain) {
    int64_t pitch = columns.vectors * tile.lanes;
    Value first = eval.mul(chain, eval.i64(table.chainRows));
    Value count = eval.min(eval.sub(eval.i64(shape.sumTerms()), first), eval.i64(table.chainRows));
    Value from = frame.at(filter.column(frame, columns.first), element, eval.mul(first, eval.i64(filter.pitch())));
    packRows(frame, tile, columns, element, from, filter.pitch(), count, packedRows, pitch);
    return frame.at(packedRows, element, eval.mul(first, eval.i64(-pitch)));
  }

  /// Emits the sums of a tile, chain by chain.
  void emitTile(const TileColumns &columns, const Images &images, const Start &start, const Pixels &pixels) {
    chains.forEach(
        [&](Value chain, Value isFirst) {
          TileSums::Call call = callOf(start, chain, isFirst, filter.column(frame, columns.first), sums);
          selectTile(columns, images, pixels, [&](const TileSums &code) { code.call(frame, call); });
        },
        [&](Value group, Value groups) {
          Value vectors = eval.mul(eval.mul(images.count, pixels.count), eval.i64(columns.vectors));
          addGroup(frame, VectorType::get(tile.lanes, element), sums, totals, vectors, group, groups);
        });
  }

  /// Calls the body for each tile of a line with its start, its first position in the last dimension and its number of pixels.
  void forTilesOfLine(const Images &images, Value line, function_ref<void(const Start &, Value, Value)> body) {
    Start start{spatialPlace(line, shape.dims.size() - 1), imageAt(images.first), eval.i64(0)};
    addPlaces(start);
    int64_t step = shape.dims.back().outputStep();
    frame.loop(eval.i64(0), eval.i64(table.segmentCount), 1, [&](Value segment) {
      Value at = eval.mul(segment, eval.i64(4)), zero = eval.i64(0);
      Value first = words(at, table.segments), count = words(at, table.segments + 1);
      Start from = start;
      from.taps = eval.add(start.taps, words(at, table.segments + 2));
      Value origin = eval.add(eval.mul(line, eval.i64(width)), first);
      auto clip = [&](Value piece) { return eval.min(frame.divideUp(frame.max(eval.sub(piece, origin), zero), step), count); };
      Value low = clip(frame.begin), high = clip(frame.end);
      Value base = frame.at(start.input, element, words(at, table.segments + 3));
      forTiles(frame, images.pixelHeights.front(), 1, eval.sub(high, low), [&](Value done, Value pixels) {
        Value index = eval.add(low, done);
        from.input = frame.at(base, element, eval.mul(index, eval.i64(table.segmentStride)));
        body(from, eval.add(first, eval.mul(index, eval.i64(step))), pixels);
      });
    });
  }

  Value imageAt(Value image) {
    Value place = eval.add(eval.mul(image, eval.i64(imageSize)), firstChannel);
    return frame.at(frame.buffers.lookup(op.getInput()), element, place);
  }

  /// Returns the first `count` spatial coordinates of a row-major index.
  SmallVector<Value> spatialPlace(Value index, size_t count) {
    SmallVector<Value> spatial(count);
    for (size_t d = count; d-- > 0;) {
      spatial[d] = d ? frame.remainder(index, shape.dims[d].output) : index;
      index = d ? frame.divide(index, shape.dims[d].output) : index;
    }
    return spatial;
  }

  /// Adds the table's entries for the start's coordinates to its class and base.
  void addPlaces(Start &start) {
    for (auto [d, place] : llvm::enumerate(start.place)) {
      Value at = eval.mul(place, eval.i64(2));
      start.taps = eval.add(start.taps, words(at, table.places[d]));
      start.input = frame.at(start.input, element, words(at, table.places[d] + 1));
    }
  }

  TileSums code(const TileColumns &columns, unsigned images, unsigned pixels, int64_t sumDistance) const {
    TileSums code{element,
                  images,
                  pixels,
                  imageSize,
                  table.segmentStride,
                  columns.vectors,
                  tile.lanes,
                  columns.lastLanes,
                  filter.pitch(),
                  sumDistance,
                  /*continues=*/false};
    code.isDepthwise = shape.isDepthwise();
    code.readsPanel = filter.isPacked();
    code.runMultiple = table.runMultiple;
    code.mayAdd = !chains.areOne();
    if (pixels == 1) // ignore unused distances, so that tiles share a function
      code.pixelDistance = 0;
    if (images == 1)
      code.imageDistance = 0;
    if (pixels * images == 1)
      code.sumDistance = 0;
    return code;
  }

  /// Returns the values with which tiles of any shape add the products of a chain to `to`. `from` is the address of the columns
  /// in the filter's first row.
  TileSums::Call callOf(const Start &start, Value chain, Value isFirst, Value from, Value to) {
    TileSums::Call call{start.input, from, {}, {}, to};
    Value list = start.taps;
    if (!chains.areOne()) {
      list = eval.add(eval.mul(chain, eval.i64(table.classes)), list);
      call.adds = frame.isNot(isFirst);
    }
    Value firstRun = words(list, table.starts), lastRun = words(list, table.starts + 1);
    call.runs = words.addressOf(eval.mul(firstRun, eval.i64(3)), table.runs);
    call.count = eval.sub(lastRun, firstRun);
    return call;
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvOp op;
  const ConvolutionShape &shape;
  const TapTable &table;
  WordTable words;
  const ForwardSchedule &schedule;
  FilterMemory filter;
  Type element;
  int64_t width, imageSize; // outputs per line; elements per input image
  Chains chains;
  TileShape tile{};
  Value firstChannel; // of the group
  Value sums, totals; // on the stack: of a tile, or of a block of images
  int64_t blockImages = 0;
  Value packedRows; // on the stack: a chain's rows of the filter
};
} // namespace

void lathe::cpu::emitForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table,
                             const ForwardSchedule &schedule, KernelCode &code) {
  ForwardEmitter(frame, op, shape, table, schedule).emit(code);
}
