// The code of a convolution with named extents:
//
//   for group, for tile of `vectors * lanes` channels, for image
//     for block of `block_places` output positions, whole lines if they fit
//       for chain, for chunk of `chunk_rows` rows of the filter
//         for rectangle of outputs of the block that have the same taps: some lines, and a segment of each of them
//           runs = the taps that read inputs, listed on the stack
//           for stripe of up to `rows` adjacent outputs of a line, for tile of `rows` / stripe lines of it
//             for run: sums += input[run] * filter[run, channels]
//       for output of the block: results = epilogue(sums)
//
// Tiles go over several lines because the outputs at the ends of a line, which have fewer taps, are single pixels: their sums
// would wait for one another.
#include "codegen/CPU/Convolution/OpenForward.h"
#include "codegen/CPU/Convolution/Filter.h"
#include "codegen/CPU/Convolution/FilterParts.h"
#include "codegen/CPU/Convolution/Lines.h"
#include "codegen/CPU/Convolution/TileFunction.h"
#include "codegen/CPU/Sums/Chains.h"
#include "codegen/CPU/Tuning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr int64_t kMostRuns = 1 << 10; // per segment: they are on the stack

/// Outputs along a dimension that have the same taps of it. Outputs are outputStep() apart, taps tapStep().
struct Segment {
  Value first, count; // outputs
  Value tap, taps;    // first tap of the dimension, and the number of taps
  Value place;        // position of the first output's first tap along the input
};

/// Outputs that have the same taps: a segment of each of some lines, which are outputStep() of their dimension apart.
struct Rectangle {
  Value firstLine, lines;
  Segment segment;
};

/// True if the spatial dimensions can be treated as one: each output reads its own position only.
bool isFlat(const ConvolutionShape &shape) {
  return shape.input == shape.output && llvm::all_of(shape.dims, [](const ConvolutionDim &dim) {
           return dim.taps == 1 && dim.stride == 1 && dim.padLow == 0 && dim.inputDilation == 1;
         });
}

/// A range of positions of one image, row-major, that is computed together.
struct Block {
  Value first, last;
};

FilterParts partsOf(ConvOp op, const ConvolutionShape &shape, int64_t chunkRows) {
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op.getType()));
  return FilterParts(shape, isFloat ? std::optional(kProductOrder) : std::nullopt, chunkRows);
}

/// Returns the most runs that a chunk may have: the number of taps that its rows touch.
int64_t mostRuns(const ConvolutionShape &shape, const FilterParts &parts) {
  int64_t longest = 0, start = 0;
  for (int64_t end : parts.endsOfChunks()) {
    longest = std::max(longest, end - start);
    start = end;
  }
  return std::min(shape.taps(), longest / shape.channels + 2);
}

class OpenForwardEmitter {
public:
  OpenForwardEmitter(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const OpenForwardSchedule &schedule)
      : frame(frame), eval(frame.eval), op(op), shape(shape), dim(shape.dims.back()),
        lineDim(shape.dims.size() > 1 ? &shape.dims[shape.dims.size() - 2] : nullptr), flat(isFlat(shape)),
        element(scalarOf(cast<RankedTensorType>(op.getType()).getElementType())), tile(schedule.tile),
        pitch(tile.vectors * tile.lanes), filter(op, shape), parts(partsOf(op, shape, schedule.chunkRows)),
        chains(frame, kProductOrder, element, Dim(shape.sumTerms()), Dim(shape.sumRow())), imageLines(frame, shape),
        placesPerBlock(schedule.blockPlaces), word(frame.b.getI64Type()), width(imageLines.output().back()),
        imagePlaces(imageLines.inputPlaces()) {
    chunks = WordTable(frame, "chunks", parts.words()).addressOf(eval.i64(0), 0);
    phases = phaseTable(frame, dim);
    if (lineDim)
      linePhases = phaseTable(frame, *lineDim, "line_phases");
    runs = frame.stack(word, 3 * mostRuns(shape, parts));
    sums = frame.stack(element, placesPerBlock * pitch);
    if (!chains.areOne())
      chainSums = frame.stack(element, placesPerBlock * pitch);
    if (!chains.areOneGroup())
      totals = frame.stack(element, placesPerBlock * pitch);
  }

  void emit() {
    Value images = eval.extent(dimsOf(op.getResult())[0]);
    // Use whole lines if they fit into a block. The line is at least 1 because it is a divisor, even if there are no outputs.
    Value most = eval.i64(placesPerBlock), line = frame.max(width, eval.i64(1)), lines = frame.divide(most, line);
    Value step = flat ? most : choose(compare(arith::CmpIPredicate::sgt, lines, eval.i64(0)), eval.mul(lines, line), most);
    frame.loop(eval.i64(0), eval.i64(shape.columnGroups()), 1, [&](Value group) {
      forTileColumns(frame, tile, shape.columns(), [&](TileColumns columns) {
        columns.first = eval.add(columns.first, eval.mul(group, eval.i64(shape.columns())));
        firstChannel = shape.isDepthwise() ? columns.first : eval.mul(group, eval.i64(shape.channels));
        frame.loop(eval.i64(0), images, 1, [&](Value image) {
          Value number = frame.divide(frame.begin, step), end = divideUp(frame.end, step);
          frame.loop(number, end, 1, [&](Value block) {
            Value first = eval.mul(block, step);
            Value last = eval.min(eval.add(first, step), frame.end);
            emitBlock(columns, image, {frame.max(first, frame.begin), last});
          });
        });
      });
    });
  }

private:
  void emitBlock(const TileColumns &columns, Value image, const Block &block) {
    Type vector = VectorType::get(tile.lanes, element);
    Value vectors = eval.mul(eval.sub(block.last, block.first), eval.i64(tile.vectors));
    chains.forEach(
        [&](Value chain, Value isFirst) {
          Value into = chainSums ? frame.b.createOrFold<arith::SelectOp>(frame.loc, isFirst, sums, chainSums) : sums;
          if (parts.count() > 1)
            clearVectors(frame, VectorType::get(tile.lanes, element), into, vectors);
          WordTable words(frame, chunks);
          Value from = chainSums ? words(chain, parts.chains()) : eval.i64(0);
          Value to = chainSums ? words(chain, parts.chains() + 1) : eval.i64(parts.count());
          frame.loop(from, to, 1, [&](Value chunk) { addChunk(columns, image, block, chunk, into); });
          if (chainSums)
            addVectors(frame, vector, chainSums, sums, vectors, frame.isNot(isFirst));
        },
        [&](Value group, Value groups) { addGroup(frame, vector, sums, totals, vectors, group, groups); });
    forLines(block, [&](Value line, Value low, Value high) {
      SmallVector<Value> outer = imageLines.lineOfOutputs(line);
      frame.loop(low, high, 1, [&](Value last) {
        Value index = eval.sub(eval.add(eval.mul(line, width), last), block.first);
        Value from = frame.at(sums, element, eval.mul(index, eval.i64(pitch)));
        finishPixel(frame, tile, columns, op.getResult(), from, image, outer, last);
      });
    });
  }

  /// Calls the body with each line of a block and the line's range of outputs.
  void forLines(const Block &block, function_ref<void(Value line, Value low, Value high)> body) {
    frame.loop(frame.divide(block.first, width), divideUp(block.last, width), 1, [&](Value line) {
      Value origin = eval.mul(line, width);
      body(line, frame.max(eval.sub(block.first, origin), eval.i64(0)), eval.min(eval.sub(block.last, origin), width));
    });
  }

  void addChunk(const TileColumns &columns, Value image, const Block &block, Value chunk, Value into) {
    WordTable words(frame, chunks);
    Value firstRow = words(chunk, 0), lastRow = words(chunk, 1); // of the filter
    auto add = [&](const Rectangle &rectangle) {
      addRectangle(columns, image, {into, block.first}, firstRow, lastRow, rectangle);
    };
    Value zero = eval.i64(0), one = eval.i64(1);
    if (flat)
      return add({zero, one, {block.first, eval.sub(block.last, block.first), zero, one, block.first}});
    forParts(block, [&](Value firstLine, Value lastLine, Value low, Value high) {
      forLineGroups(firstLine, lastLine, [&](Value line, Value lines) {
        forSegments(dim, phases, imageLines.input().back(), low, high,
                    [&](const Segment &segment) { add({line, lines, segment}); });
      });
    });
  }

  /// Calls the body with each part of a block: the end of a line, whole lines, and the beginning of a line. A part consists of
  /// the outputs [low, high) of each of the lines [firstLine, lastLine).
  void forParts(const Block &block, function_ref<void(Value firstLine, Value lastLine, Value low, Value high)> body) {
    Value zero = eval.i64(0), one = eval.i64(1);
    Value first = frame.divide(block.first, width), firstWhole = divideUp(block.first, width);
    Value lastWhole = frame.max(frame.divide(block.last, width), firstWhole), last = divideUp(block.last, width);
    frame.loop(zero, eval.i64(3), 1, [&](Value number) {
      auto pick = [&](Value ofFirst, Value ofWhole, Value ofLast) {
        Value isFirst = compare(arith::CmpIPredicate::eq, number, zero),
              isWhole = compare(arith::CmpIPredicate::eq, number, one);
        return choose(isFirst, ofFirst, choose(isWhole, ofWhole, ofLast));
      };
      Value low = eval.sub(block.first, eval.mul(first, width)), high = eval.sub(block.last, eval.mul(lastWhole, width));
      Value highOfFirst = eval.min(eval.sub(block.last, eval.mul(first, width)), width);
      body(pick(first, firstWhole, lastWhole), pick(firstWhole, lastWhole, last), pick(low, zero, zero),
           pick(highOfFirst, width, high));
    });
  }

  /// Calls the body with groups of the lines [first, last) that have the same taps in all dimensions but the last one.
  void forLineGroups(Value first, Value last, function_ref<void(Value line, Value lines)> body) {
    if (!lineDim)
      return body(first, eval.sub(last, first)); // the image is one line
    size_t at = shape.dims.size() - 2;
    Value inPlane = imageLines.output()[at];
    auto ofPlane = [&](Value plane) {
      Value origin = eval.mul(plane, inPlane);
      Value low = frame.max(eval.sub(first, origin), eval.i64(0)), high = eval.min(eval.sub(last, origin), inPlane);
      forSegments(*lineDim, linePhases, imageLines.input()[at], low, high,
                  [&](const Segment &segment) { body(eval.add(origin, segment.first), segment.count); });
    };
    if (at == 0)
      return ofPlane(eval.i64(0));
    frame.loop(frame.divide(first, inPlane), divideUp(last, inPlane), 1, ofPlane);
  }

  /// Calls the body with the segments of the outputs [low, high) along a dimension, given its phases and its extent in the
  /// input.
  void forSegments(const ConvolutionDim &along, Value table, Value extent, Value low, Value high,
                   function_ref<void(const Segment &)> body) {
    const int64_t step = along.outputStep();
    frame.loop(eval.i64(0), eval.i64(step), 1, [&](Value residue) {
      auto before = [&](Value output) { return frame.divideUp(frame.max(eval.sub(output, residue), eval.i64(0)), step); };
      Value lowest = before(low), highest = before(high);
      forSegmentsOfPhase(along, table, extent, residue, lowest, highest, body);
    });
  }

  /// Calls the body with segments of the outputs residue + index * outputStep() for indices in [low, high): outputs before the
  /// first one that has all taps are segments of one, outputs with all taps form one segment, and those after it are segments
  /// of one again.
  void forSegmentsOfPhase(const ConvolutionDim &along, Value table, Value extent, Value residue, Value low, Value high,
                          function_ref<void(const Segment &)> body) {
    Value zero = eval.i64(0), one = eval.i64(1);
    Phase phase = phaseOf(frame, along, table, residue, zero);
    auto before = [&](Value places) { // indices before that input position
      return eval.min(frame.max(frame.divideUp(frame.max(places, zero), along.inputStep()), low), high);
    };
    Value begin = before(eval.sub(zero, phase.place));
    Value reach = eval.mul(eval.sub(frame.max(phase.taps, one), one), eval.i64(along.tapPlaces()));
    Value end = frame.max(before(eval.sub(eval.sub(extent, phase.place), reach)), begin);
    Value front = eval.sub(begin, low), back = eval.sub(high, end), inner = eval.min(eval.sub(end, begin), one);
    frame.loop(zero, eval.add(eval.add(front, inner), back), 1, [&](Value number) {
      Value place = eval.sub(number, front); // among those after the front
      Value isFront = compare(arith::CmpIPredicate::slt, place, zero);
      Value isInner =
          eval.both(compare(arith::CmpIPredicate::sge, place, zero), compare(arith::CmpIPredicate::slt, place, inner));
      Value behind = eval.add(end, eval.sub(place, inner));
      Value index = choose(isFront, eval.add(low, number), choose(isInner, begin, behind));
      Phase inside = insideOf(frame, along, phaseOf(frame, along, table, residue, index), extent);
      body({eval.add(residue, eval.mul(index, eval.i64(along.outputStep()))), choose(isInner, eval.sub(end, begin), one),
            inside.tap, inside.taps, inside.place});
    });
  }

  /// The sums of outputs, from output `first` of an image on.
  struct Sums {
    Value memory, first;
  };

  /// Adds some rows of the filter to the sums of a rectangle.
  void addRectangle(const TileColumns &columns, Value image, const Sums &into, Value firstRow, Value lastRow,
                    const Rectangle &rectangle) {
    const Segment &segment = rectangle.segment;
    SmallVector<Value> outer = flat ? SmallVector<Value>() : imageLines.lineOfOutputs(rectangle.firstLine);
    Value count = listRuns(outer, segment, firstRow, lastRow);
    Value start = eval.add(eval.mul(image, imagePlaces), segment.place);
    Value x = frame.at(frame.buffers.lookup(op.getInput()), element,
                       eval.add(eval.mul(start, eval.i64(shape.inputPitch())), firstChannel));
    Value from = filter.column(frame, columns.first);
    Value output = eval.sub(eval.add(eval.mul(rectangle.firstLine, width), segment.first), into.first);
    Value sumsOfFirst = frame.at(into.memory, element, eval.mul(output, eval.i64(pitch)));
    Value lineStep = eval.mul(imageLines.input().back(), eval.i64((lineDim ? lineDim->inputStep() : 0) * shape.inputPitch()));
    Value lineSumStep = eval.mul(width, eval.i64((lineDim ? lineDim->outputStep() : 0) * pitch));
    forTilesOf(rectangle, [&](const Tile &at, unsigned lines, unsigned pixels) {
      TileSums tileSums = code(columns, lines, pixels);
      Value inputs = frame.at(x, element, eval.add(eval.mul(at.line, lineStep), eval.mul(at.pixel, eval.i64(inputStep()))));
      Value sums = frame.at(sumsOfFirst, element,
                            eval.add(eval.mul(at.line, lineSumStep), eval.mul(at.pixel, eval.i64(dim.outputStep() * pitch))));
      tileSums.call(frame, {inputs, from, runs, count, sums, /*ahead=*/{}, lineStep, lineSumStep, /*adds=*/{}});
    });
  }

  /// The first line and the first pixel of a tile in a rectangle.
  struct Tile {
    Value line, pixel;
  };

  /// Emits the code for each kind of tile. Tiles cover a rectangle in stripes from top to bottom.
  void forTilesOf(const Rectangle &rectangle, function_ref<void(const Tile &, unsigned lines, unsigned pixels)> body) {
    forTiles(frame, tile.rows, 1, rectangle.segment.count, [&](Value pixel, Value pixels) {
      selectHeight(frame, pixels, heightsOf(tile.rows, 1), [&](unsigned wide) {
        const unsigned most = lineDim && !flat ? tile.rows / wide : 1;
        forTiles(frame, most, 1, rectangle.lines, [&](Value line, Value lines) {
          selectHeight(frame, lines, heightsOf(most, 1), [&](unsigned high) { body({line, pixel}, high, wide); });
        });
      });
    });
  }

  /// Lists the runs of the first line of a rectangle: the filter rows [firstRow, lastRow) that read inputs. Returns their
  /// number.
  Value listRuns(ArrayRef<Value> outer, const Segment &segment, Value firstRow, Value lastRow) {
    int64_t rowsOfLine = dim.taps * shape.channels; // of the filter
    bool joins = shape.groups == 1 && dim.tapStep() == 1 && dim.tapPlaces() == 1;
    Value one = eval.i64(1);
    auto lines = frame.loop(frame.divide(firstRow, rowsOfLine), frame.divideUp(lastRow, rowsOfLine), ValueRange{eval.i64(0)},
                            [&](Value line, ValueRange found) {
                              auto [place, meets] = imageLines.inputLine(outer, imageLines.rowOfFilter(line));
                              Value inLine = eval.mul(place, eval.i64(shape.inputPitch()));
                              Value firstTap = eval.add(eval.mul(line, eval.i64(dim.taps)), segment.tap);
                              auto append = [&](Value tap, Value count, Value at, Value number) {
                                Value row = eval.mul(tap, eval.i64(shape.channels)),
                                      end = eval.add(row, eval.mul(count, eval.i64(shape.channels)));
                                Value low = frame.max(row, firstRow), high = eval.min(end, lastRow);
                                Value to = frame.at(runs, word, eval.mul(number, eval.i64(3)));
                                frame.storeOne(eval.add(at, eval.sub(low, row)), to);
                                frame.storeOne(low, frame.at(to, word, 1));
                                frame.storeOne(eval.sub(high, low), frame.at(to, word, 2));
                                Value counts = compare(arith::CmpIPredicate::slt, low, high);
                                if (meets)
                                  counts = arith::AndIOp::create(frame.b, frame.loc, counts, meets);
                                return eval.add(number, arith::ExtUIOp::create(frame.b, frame.loc, word, counts));
                              };
                              if (joins)
                                return CodeFrame::Carry{append(firstTap, segment.taps, inLine, found[0])};
                              return frame.loop(eval.i64(0), segment.taps, found, [&](Value number, ValueRange inner) {
                                Value at = eval.add(inLine, eval.mul(number, eval.i64(dim.tapPlaces() * shape.inputPitch())));
                                Value tap = eval.add(firstTap, eval.mul(number, eval.i64(dim.tapStep())));
                                return CodeFrame::Carry{append(tap, one, at, inner[0])};
                              });
                            });
    return lines[0];
  }

  TileSums code(const TileColumns &columns, unsigned lines, unsigned pixels) const {
    bool isOnePixel = pixels == 1; // ignore unused distances, so that tiles share a function
    TileSums code{element,
                  lines,
                  pixels,
                  0,
                  isOnePixel ? 0 : inputStep(),
                  columns.vectors,
                  tile.lanes,
                  columns.lastLanes,
                  filter.pitch(),
                  isOnePixel ? 0 : dim.outputStep() * pitch,
                  /*continues=*/parts.count() > 1};
    code.isDepthwise = shape.isDepthwise();
    code.readsPanel = filter.isPacked();
    code.hasWideRuns = true;
    code.hasNamedLines = lines > 1;
    return code;
  }

  /// Returns the elements from the input of one output of a segment to that of the next.
  int64_t inputStep() const { return dim.inputStep() * shape.inputPitch(); }

  Value compare(arith::CmpIPredicate predicate, Value a, Value b) {
    return frame.b.createOrFold<arith::CmpIOp>(frame.loc, predicate, a, b);
  }
  Value choose(Value condition, Value yes, Value no) {
    return frame.b.createOrFold<arith::SelectOp>(frame.loc, condition, yes, no);
  }
  Value divideUp(Value x, Value divisor) { return frame.divide(eval.sub(eval.add(x, divisor), eval.i64(1)), divisor); }

  KernelFrame &frame;
  PointEvaluator &eval;
  ConvOp op;
  const ConvolutionShape &shape;
  const ConvolutionDim &dim;     // the last spatial dimension
  const ConvolutionDim *lineDim; // the one before it; null if there is none
  bool flat;
  Type element;
  TileShape tile;
  int64_t pitch; // sums of a pixel
  FilterMemory filter;
  FilterParts parts;
  Chains chains;
  ConvolutionLines imageLines;
  int64_t placesPerBlock; // output positions whose sums stay in the cache
  Type word;
  Value width, imagePlaces;      // outputs per line; positions per input image
  Value firstChannel;            // of the group
  Value chunks, runs;            // tables: a constant of the module, and a rectangle's list on the stack
  Value phases, linePhases;      // tables of the last dimension, and of that before it
  Value sums, chainSums, totals; // on the stack: of a block, of one chain, and the totals of groups of chains
};
} // namespace

OpenForwardSchedule lathe::cpu::chooseOpenForward(ConvOp op, const ConvolutionShape &shape, const VectorTarget &target) {
  int64_t bytes = cast<RankedTensorType>(op.getType()).getElementTypeBitWidth() / 8;
  OpenForwardSchedule schedule;
  schedule.tile = panelWidthOf(op) ? chooseHalvedPixels(shape, target, bytes) : choosePixelTile(target, bytes, shape.columns());
  int64_t rowBytes = schedule.tile.vectors * schedule.tile.lanes * bytes;
  if (shape.sumTerms() * rowBytes > 2 * target.cacheBlockBytes())
    schedule.chunkRows = std::max<int64_t>(1, target.cacheBlockBytes() / rowBytes);
  schedule.blockPlaces = std::max<int64_t>(1, target.cacheBlockBytes() / rowBytes);
  return schedule;
}

bool lathe::cpu::hasOpenForward(ConvOp op, const ConvolutionShape &shape, const OpenForwardSchedule &schedule) {
  return mostRuns(shape, partsOf(op, shape, schedule.chunkRows)) <= kMostRuns;
}

LogicalResult lathe::cpu::checkOpenForward(KernelOp kernel, ConvOp op, const ConvolutionShape &shape,
                                           const OpenForwardSchedule &schedule, const VectorTarget &target) {
  int64_t bytes = cast<RankedTensorType>(op.getType()).getElementTypeBitWidth() / 8;
  if (failed(checkTile(kernel, schedule.tile, bytes, target, Dim::unknown())) || failed(checkPanels(kernel, op, schedule.tile)))
    return failure();
  int64_t stack = 3 * schedule.blockPlaces * schedule.tile.vectors * schedule.tile.lanes * bytes;
  if (stack > tuning::kMostStackBytes)
    return kernel.emitError("a schedule with 'block_places' ")
           << schedule.blockPlaces << " takes " << stack << " bytes of a thread's stack; expected at most "
           << tuning::kMostStackBytes;
  if (!hasOpenForward(op, shape, schedule))
    return kernel.emitError("a schedule with 'chunk_rows' ") << schedule.chunkRows << " does too many taps at once";
  return success();
}

void lathe::cpu::emitOpenForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape,
                                 const OpenForwardSchedule &schedule) {
  OpenForwardEmitter(frame, op, shape, schedule).emit();
}
