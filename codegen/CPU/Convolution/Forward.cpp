// The code of a convolution with known extents, for the output positions of a call:
//
//   for group, for panel of `image_vectors * image_lanes` channels       // images that fill a tile's rows
//     for line of outputs, for segment of it whose outputs have the same taps
//       for tile of images x adjacent outputs
//         for chain, for run of the segment's taps: sums += input[run] * filter[run, panel]
//         for output: results = epilogue(sums)
//   for group, for panel of `pixel_vectors * pixel_lanes` channels       // the last few images: rows are pixels
//     for image
//       without chunks: as above, with tiles of adjacent outputs
//       with chunks: for `block_lines` lines
//         for chunk of `chunk_rows` rows of the filter                   // stays in the first-level cache
//           for line, segment, tile: sums[output] += input * filter[chunk]
//         for output: results = epilogue(sums)
//
// The compile-time table TapTable lists segments, taps and runs, so that no code tests for borders.
#include "codegen/CPU/Convolution/Forward.h"
#include "codegen/CPU/Convolution/FilterParts.h"
#include "codegen/CPU/Convolution/TileFunction.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Schedules/Cheapest.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {

/// Returns the number of output lines whose sums, for one panel, form a block.
int64_t linesPerBlock(const ConvolutionShape &shape, const TileShape &tile, int64_t bytes, const VectorTarget &target) {
  int64_t line = shape.dims.back().output * tile.vectors * tile.lanes * bytes;
  return std::clamp<int64_t>(target.cacheBlockBytes() / line, 1, shape.outputPlaces() / shape.dims.back().output);
}

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

class ForwardEmitter {
public:
  ForwardEmitter(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table, WordTable words,
                 const ForwardSchedule &schedule)
      : frame(frame), eval(frame.eval), op(op), shape(shape), table(table), words(words), schedule(schedule),
        hasBlocks(table.chunks > 0 && schedule.chunkRows > 0),
        element(scalarOf(cast<RankedTensorType>(op.getType()).getElementType())), width(shape.dims.back().output),
        imageSize(shape.inputPlaces() * shape.inputPitch()),
        chains(frame, kProductOrder, element, Dim(shape.sumTerms()), Dim(shape.sumRow())) {}

  // With images as rows every pixel has full tiles, even at borders. The last few images use pixels as rows instead.
  void emit() {
    const TileShape &imageTile = schedule.images, &pixelTile = schedule.pixels;
    auto size = [](const TileShape &shape) { return shape.rows * shape.vectors * shape.lanes; };
    sums = frame.stack(element, std::max(size(imageTile), size(pixelTile)));
    if (!chains.areOneGroup())
      totals = frame.stack(element, std::max(size(imageTile), size(pixelTile)));
    Value images = eval.extent(dimsOf(op.getResult())[0]);
    // Images that are a multiple of 4096 bytes apart map to one cache set: use at most 8 of them at once.
    unsigned pixels = imageTile.rows > 8 ? imageTile.rows / 8 : 1, most = imageTile.rows / pixels;
    IntegerAttr known;
    SmallVector<unsigned> heights = heightsOf(most, tuning::kFewImages);
    if (shape.isDepthwise()) // images share no loads
      heights.clear();
    else if (matchPattern(images, m_Constant(&known)))
      llvm::erase_if(heights, [&](unsigned rows) { return (rows == most ? known.getInt() : known.getInt() % most) < rows; });
    if (!heights.empty())
      forGroupPanels(imageTile, [&](const Panel &panel) {
        forTiles(frame, most, tuning::kFewImages, images,
                 [&](Value first, Value count) { emitLines(panel, {first, count, heights, heightsOf(pixels, 1)}); });
      });
    Value few = shape.isDepthwise() ? images : frame.remainder(frame.remainder(images, most), tuning::kFewImages);
    if (matchPattern(few, m_Constant(&known)) && known.getInt() == 0)
      return;
    if (hasBlocks)
      makeBlockSums(schedule.blockLines * width * pixelTile.vectors * pixelTile.lanes);
    forGroupPanels(pixelTile, [&](const Panel &panel) {
      frame.loop(eval.sub(images, few), images, 1, [&](Value number) {
        Images image{number, eval.i64(1), {1}, heightsOf(tile.rows, 1)};
        if (hasBlocks)
          emitBlocks(panel, image);
        else
          emitLines(panel, image);
      });
    });
  }

private:
  void makeBlockSums(int64_t size) {
    blockSums = frame.stack(element, size);
    if (!chains.areOne())
      chainSums = frame.stack(element, size);
    if (!chains.areOneGroup())
      blockTotals = frame.stack(element, size);
  }

  /// Calls the body for the panels of each group, with columns counted over all groups.
  void forGroupPanels(const TileShape &shapeOfTile, function_ref<void(const Panel &)> body) {
    tile = shapeOfTile;
    frame.loop(eval.i64(0), eval.i64(shape.columnGroups()), 1, [&](Value group) {
      forPanels(frame, tile, shape.columns(), [&](Panel panel) {
        panel.first = eval.add(panel.first, eval.mul(group, eval.i64(shape.columns())));
        firstChannel = shape.isDepthwise() ? panel.first : eval.mul(group, eval.i64(shape.channels));
        body(panel);
      });
    });
  }

  /// Emits the pixels of some images that the call covers, line by line.
  void emitLines(const Panel &panel, const Images &images) {
    int64_t step = shape.dims.back().outputStep(), distance = panel.vectors * tile.lanes;
    frame.loop(frame.divide(frame.begin, width), frame.divideUp(frame.end, width), 1, [&](Value line) {
      forTilesOfLine(images, line, [&](const Start &start, Value first, Value pixels) {
        selectHeight(frame, images.count, images.heights, [&](unsigned imageRows) {
          selectHeight(frame, pixels, images.pixelHeights, [&](unsigned pixelRows) {
            emitTile(panel, start, code(panel, imageRows, pixelRows, distance, /*continues=*/false));
          });
        });
        frame.loop(eval.i64(0), images.count, 1, [&](Value image) {
          frame.loop(eval.i64(0), pixels, 1, [&](Value pixel) {
            Value row = eval.add(eval.mul(image, pixels), pixel);
            finish(panel, frame.at(sums, element, eval.mul(row, eval.i64(distance))), eval.add(images.first, image),
                   start.place, eval.add(first, eval.mul(pixel, eval.i64(step))));
          });
        });
      });
    });
  }

  /// Emits the sums of a tile, chain by chain.
  void emitTile(const Panel &panel, const Start &start, TileSums code) {
    auto call = [&](Value list, bool adds) {
      code.adds = adds;
      callTile(panel, start, list, sums, code);
    };
    chains.forEach(
        [&](Value chain, Value isFirst) {
          if (chains.areOne())
            return call(start.taps, /*adds=*/false);
          Value list = eval.add(eval.mul(chain, eval.i64(table.classes)), eval.add(start.taps, eval.i64(table.chainLists)));
          frame.choose(isFirst, [&] { call(list, false); }, [&] { call(list, true); });
        },
        [&](Value group, Value groups) {
          Value vectors = eval.i64(code.images * code.pixels * panel.vectors);
          addGroup(frame, VectorType::get(tile.lanes, element), sums, totals, vectors, group, groups);
        });
  }

  /// Emits the pixels of one image in blocks of lines, whose sums stay in the cache during the loop over chunks of the filter.
  void emitBlocks(const Panel &panel, const Images &image) {
    int64_t pitch = tile.vectors * tile.lanes, lines = schedule.blockLines;
    Type vector = VectorType::get(tile.lanes, element);
    Value last = frame.divideUp(frame.end, width);
    frame.loop(frame.divide(frame.begin, width), last, lines, [&](Value firstLine) {
      Value endLine = eval.min(eval.add(firstLine, eval.i64(lines)), last);
      Value places = eval.mul(eval.sub(endLine, firstLine), eval.i64(width));
      Value vectors = eval.mul(places, eval.i64(tile.vectors));
      chains.forEach(
          [&](Value chain, Value isFirst) {
            Value into =
                chainSums ? frame.b.createOrFold<arith::SelectOp>(frame.loc, isFirst, blockSums, chainSums) : blockSums;
            clearVectors(frame, VectorType::get(tile.lanes, element), into, vectors);
            Value from = eval.i64(0), to = eval.i64(table.chunks);
            if (chainSums) {
              from = words(chain, table.chains);
              to = words(chain, table.chains + 1);
            }
            frame.loop(from, to, 1, [&](Value chunk) { addChunk(panel, image, chunk, firstLine, endLine, into); });
            if (chainSums)
              addVectors(frame, vector, chainSums, blockSums, vectors, frame.isNot(isFirst));
          },
          [&](Value group, Value groups) { addGroup(frame, vector, blockSums, blockTotals, vectors, group, groups); });
      Value low = frame.max(eval.mul(firstLine, eval.i64(width)), frame.begin);
      Value high = eval.min(eval.mul(endLine, eval.i64(width)), frame.end);
      frame.loop(low, high, 1, [&](Value index) {
        Value line = frame.divide(index, width), place = frame.remainder(index, width);
        Value inBlock = eval.sub(index, eval.mul(firstLine, eval.i64(width)));
        Value from = frame.at(blockSums, element, eval.mul(inBlock, eval.i64(pitch)));
        finish(panel, from, image.first, spatialPlace(line, shape.dims.size() - 1), place);
      });
    });
  }

  /// Continues the sums of some lines with the terms of one chunk of the filter.
  void addChunk(const Panel &panel, const Images &image, Value chunk, Value firstLine, Value endLine, Value into) {
    int64_t pitch = tile.vectors * tile.lanes, step = shape.dims.back().outputStep();
    Value lists = eval.mul(eval.add(chunk, eval.i64(1)), eval.i64(table.classes));
    frame.loop(firstLine, endLine, 1, [&](Value line) {
      forTilesOfLine(image, line, [&](const Start &start, Value first, Value pixels) {
        Value index = eval.add(eval.mul(eval.sub(line, firstLine), eval.i64(width)), first);
        Value at = frame.at(into, element, eval.mul(index, eval.i64(pitch)));
        selectHeight(frame, pixels, image.pixelHeights, [&](unsigned pixelRows) {
          callTile(panel, start, eval.add(lists, start.taps), at, code(panel, 1, pixelRows, step * pitch, /*continues=*/true));
        });
      });
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

  TileSums code(const Panel &panel, unsigned images, unsigned pixels, int64_t sumDistance, bool continues) const {
    TileSums code{element,       images,     pixels,          imageSize,           table.segmentStride,
                  panel.vectors, tile.lanes, panel.lastLanes, shape.outputPitch(), sumDistance,
                  continues};
    code.isDepthwise = shape.isDepthwise();
    if (pixels == 1) // ignore unused distances, so that tiles share a function
      code.pixelDistance = 0;
    if (images == 1)
      code.imageDistance = 0;
    if (pixels * images == 1)
      code.sumDistance = 0;
    return code;
  }

  /// Calls the tile function with the runs of a list.
  void callTile(const Panel &panel, const Start &start, Value list, Value into, const TileSums &code) {
    Value filter = frame.at(frame.buffers.lookup(op.getFilter()), element, panel.first);
    Value firstRun = words(list, table.starts), lastRun = words(list, table.starts + 1);
    Value runs = words.addressOf(eval.mul(firstRun, eval.i64(3)), table.runs);
    LLVM::CallOp::create(frame.b, frame.loc, code.function(frame),
                         ValueRange{start.input, filter, runs, eval.sub(lastRun, firstRun), into});
  }

  /// Computes the results of one pixel from its sums at `from`.
  void finish(const Panel &panel, Value from, Value image, ArrayRef<Value> spatial, Value lastPlace) {
    SmallVector<Value> at{image};
    llvm::append_range(at, spatial);
    at.push_back(lastPlace);
    finishPixel(frame, tile, panel, op.getResult(), from, at);
  }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvOp op;
  const ConvolutionShape &shape;
  const TapTable &table;
  WordTable words;
  const ForwardSchedule &schedule;
  bool hasBlocks; // single images are computed in blocks of lines
  Type element;
  int64_t width, imageSize; // outputs per line; elements per input image
  Chains chains;
  TileShape tile{};
  Value firstChannel; // of the group
  // On the stack: the sums of a tile and their totals; those of a block, of one chain of it, and the block's totals.
  Value sums, totals, blockSums, chainSums, blockTotals;
};
} // namespace

static unsigned elementBytes(ConvOp op) { return cast<RankedTensorType>(op.getType()).getElementTypeBitWidth() / 8; }

/// Returns the lengths of the stretches of a line whose outputs read inputs through the same taps.
static SmallVector<int64_t> stretchesOf(const ConvolutionDim &dim) {
  SmallVector<int64_t> lengths;
  auto tapsOf = [&](int64_t output) {
    SmallVector<int64_t> taps;
    for (int64_t tap = 0; tap < dim.taps; ++tap)
      if (dim.inputPlace(output, tap))
        taps.push_back(tap);
    return taps;
  };
  for (int64_t first = 0; first < std::min(dim.outputStep(), dim.output); ++first) {
    SmallVector<int64_t> before;
    for (int64_t output = first; output < dim.output; output += dim.outputStep()) {
      SmallVector<int64_t> taps = tapsOf(output);
      if (output == first || taps != before)
        lengths.push_back(0);
      ++lengths.back();
      before = std::move(taps);
    }
  }
  return lengths;
}

/// Returns the rough cycles of one tap in one channel for a line of outputs in all columns: those of the multiply-adds, of the
/// loads, and from a sum to the next one in its place, which are the latency and what several units of one cycle lose.
static double cyclesOf(const TileShape &tile, ArrayRef<int64_t> stretches, int64_t columns, const VectorTarget &target) {
  constexpr double kLost = 0.5;
  auto step = [&](double rows, double vectors) {
    return std::max({rows * vectors / target.fmaPorts, (rows + vectors) / target.loadPorts, target.fmaLatency + kLost});
  };
  auto line = [&](int64_t vectors) {
    double cycles = 0;
    for (int64_t length : stretches) {
      cycles += length / tile.rows * step(tile.rows, vectors);
      for (unsigned rows : ArrayRef(heightsOf(tile.rows, 1)).drop_front()) // powers of two: the bits of what is left
        cycles += length % tile.rows & rows ? step(rows, vectors) : 0;
    }
    return cycles;
  };
  int64_t vectors = llvm::divideCeil(columns, int64_t(tile.lanes)), rest = vectors % tile.vectors;
  return vectors / tile.vectors * line(tile.vectors) + (rest ? line(rest) : 0);
}

/// Returns the tile whose rows are pixels. With 16 registers, a tall tile does most multiply-adds for each load, and a wide one
/// loses least at the ends of short stretches.
static TileShape choosePixels(const ConvolutionShape &shape, const VectorTarget &target, unsigned bytes) {
  TileShape usual = choosePixelTile(target, bytes, shape.columns());
  if (target.vectorRegisters >= 32 || !target.hasFMA || usual.vectors == 1 || shape.isDepthwise())
    return usual;
  SmallVector<int64_t> stretches = stretchesOf(shape.dims.back());
  const TileShape candidates[] = {usual, {6, 2, usual.lanes}, {4, 3, usual.lanes}};
  return cheapest(ArrayRef(candidates),
                  [&](const TileShape &tile) { return cyclesOf(tile, stretches, shape.columns(), target); });
}

/// Returns the filter rows per chunk; 0 if a panel of the filter is small or lines of outputs are long.
static int64_t chooseChunkRows(ConvOp op, const ConvolutionShape &shape, const TileShape &tile, const VectorTarget &target) {
  Dim images = dimsOf(op.getResult())[0];
  int64_t rowBytes = tile.vectors * tile.lanes * elementBytes(op), rows = shape.taps() * shape.channels;
  bool hasFew = shape.isDepthwise() || !images.isStatic() || images.constant() % tuning::kFewImages;
  // Tall tiles read a panel seldom enough to have it in the second cache, and so do tiles of 16 registers with a chunk.
  int64_t blockBytes = target.cacheBlockBytes() * (target.vectorRegisters >= 32 ? 1 : 2);
  bool fits = rows * rowBytes <= (tile.rows >= 6 ? 4 : 2) * target.cacheBlockBytes();
  bool isWide = shape.dims.back().output * rowBytes > tuning::kMostLineBytes;
  return !hasFew || fits || isWide ? 0 : blockBytes / rowBytes;
}

ForwardSchedule lathe::cpu::chooseForward(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target) {
  unsigned bytes = elementBytes(op);
  ForwardSchedule schedule;
  schedule.images = chooseTile(target, bytes, shape.columns());
  schedule.pixels = choosePixels(shape, target, bytes);
  schedule.chunkRows = chooseChunkRows(op, shape, schedule.pixels, target);
  if (schedule.chunkRows > 0)
    schedule.blockLines = linesPerBlock(shape, schedule.pixels, bytes, target);
  // If images fill the rows of a tile, a work item is one position. Otherwise rows are positions, and a work item is a line.
  Dim images = dimsOf(op.getResult())[0];
  schedule.piece = images.isStatic() && images.constant() < tuning::kFewImages ? shape.dims.back().output : 1;
  return schedule;
}

LogicalResult lathe::cpu::checkForward(KernelOp kernel, ConvOp op, const ConvolutionShape &shape,
                                       const ForwardSchedule &schedule, const VectorTarget &target) {
  if (failed(checkTile(kernel, schedule.images, elementBytes(op), target, Dim::unknown())) ||
      failed(checkTile(kernel, schedule.pixels, elementBytes(op), target, Dim::unknown())))
    return failure();
  if (schedule.images.rows < tuning::kFewImages)
    return kernel.emitError("a schedule with 'image_rows' ")
           << schedule.images.rows << "; expected at least " << tuning::kFewImages;
  int64_t width = shape.dims.back().output, bytes = schedule.pixels.vectors * schedule.pixels.lanes * elementBytes(op);
  if (schedule.piece != 1 && schedule.piece != width)
    return kernel.emitError("a schedule with 'piece' ") << schedule.piece << "; expected 1 or a line of outputs, " << width;
  if (schedule.chunkRows > 0 && 3 * schedule.blockLines * width * bytes > tuning::kMostStackBytes)
    return kernel.emitError("a schedule with 'block_lines' ")
           << schedule.blockLines << " takes " << 3 * schedule.blockLines * width * bytes
           << " bytes of a thread's stack; expected at most " << tuning::kMostStackBytes;
  return success();
}

void lathe::cpu::emitForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table,
                             WordTable words, const ForwardSchedule &schedule) {
  ForwardEmitter(frame, op, shape, table, words, schedule).emit();
}
