// The code of a convolution with named extents:
//
//   for group, for panel of `vectors * lanes` channels, for image
//     for block of `block_places` output positions, whole lines if they fit
//       for chain, for chunk of `chunk_rows` rows of the filter
//         for line of the block, for segment of it whose outputs have the same taps
//           runs = the segment's taps that read inputs, listed on the stack
//           for tile of adjacent outputs, for run: sums += input[run] * filter[run, panel]
//       for output of the block: results = epilogue(sums)
//
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

/// Outputs of a line that have the same taps of the last dimension. Outputs are outputStep() apart, taps tapStep().
struct Segment {
  Value first, count; // outputs
  Value tap, taps;    // first tap of the last dimension, and the number of taps
  Value place;        // position of the first output's first tap in the input line
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
      : frame(frame), eval(frame.eval), op(op), shape(shape), dim(shape.dims.back()), flat(isFlat(shape)),
        element(scalarOf(cast<RankedTensorType>(op.getType()).getElementType())), tile(schedule.tile),
        pitch(tile.vectors * tile.lanes), filter(op, shape), parts(partsOf(op, shape, schedule.chunkRows)),
        chains(frame, kProductOrder, element, Dim(shape.sumTerms()), Dim(shape.sumRow())), imageLines(frame, shape),
        placesPerBlock(schedule.blockPlaces), word(frame.b.getI64Type()), width(imageLines.output().back()),
        imagePlaces(imageLines.inputPlaces()) {
    chunks = WordTable(frame, "chunks", parts.words()).addressOf(eval.i64(0), 0);
    phases = phaseTable(frame, dim);
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
      forPanels(frame, tile, shape.columns(), [&](Panel panel) {
        panel.first = eval.add(panel.first, eval.mul(group, eval.i64(shape.columns())));
        firstChannel = shape.isDepthwise() ? panel.first : eval.mul(group, eval.i64(shape.channels));
        frame.loop(eval.i64(0), images, 1, [&](Value image) {
          Value number = frame.divide(frame.begin, step), end = divideUp(frame.end, step);
          frame.loop(number, end, 1, [&](Value block) {
            Value first = eval.mul(block, step);
            Value last = eval.min(eval.add(first, step), frame.end);
            emitBlock(panel, image, {frame.max(first, frame.begin), last});
          });
        });
      });
    });
  }

private:
  void emitBlock(const Panel &panel, Value image, const Block &block) {
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
          frame.loop(from, to, 1, [&](Value chunk) { addChunk(panel, image, block, chunk, into); });
          if (chainSums)
            addVectors(frame, vector, chainSums, sums, vectors, frame.isNot(isFirst));
        },
        [&](Value group, Value groups) { addGroup(frame, vector, sums, totals, vectors, group, groups); });
    forLines(block, [&](Value line, Value low, Value high) {
      SmallVector<Value> outer = imageLines.lineOfOutputs(line);
      frame.loop(low, high, 1, [&](Value last) {
        Value index = eval.sub(eval.add(eval.mul(line, width), last), block.first);
        finish(panel, frame.at(sums, element, eval.mul(index, eval.i64(pitch))), image, outer, last);
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

  void addChunk(const Panel &panel, Value image, const Block &block, Value chunk, Value into) {
    WordTable words(frame, chunks);
    Value firstRow = words(chunk, 0), lastRow = words(chunk, 1); // of the filter
    if (flat)
      return addSegment(panel, image, into, block.first, firstRow, lastRow, eval.i64(0), {},
                        {block.first, eval.sub(block.last, block.first), eval.i64(0), eval.i64(1), block.first});
    forLines(block, [&](Value line, Value low, Value high) {
      SmallVector<Value> outer = imageLines.lineOfOutputs(line);
      Value behind = eval.sub(eval.mul(line, width), block.first);
      forSegments(low, high, [&](const Segment &segment) {
        addSegment(panel, image, into, eval.sub(eval.i64(0), behind), firstRow, lastRow, line, outer, segment);
      });
    });
  }

  /// Calls the body with the segments of the outputs [low, high) of a line.
  void forSegments(Value low, Value high, function_ref<void(const Segment &)> body) {
    const int64_t step = dim.outputStep();
    frame.loop(eval.i64(0), eval.i64(step), 1, [&](Value residue) {
      auto before = [&](Value output) { return frame.divideUp(frame.max(eval.sub(output, residue), eval.i64(0)), step); };
      forSegments(residue, before(low), before(high), body);
    });
  }

  /// Calls the body with segments of the outputs residue + index * outputStep() for indices in [low, high): outputs before the
  /// first one that has all taps are segments of one, outputs with all taps form one segment, and those after it are segments
  /// of one again.
  void forSegments(Value residue, Value low, Value high, function_ref<void(const Segment &)> body) {
    Value extent = imageLines.input().back(), zero = eval.i64(0), one = eval.i64(1);
    Phase phase = phaseOf(frame, dim, phases, residue, zero);
    auto before = [&](Value places) { // indices before that input position
      return eval.min(frame.max(frame.divideUp(frame.max(places, zero), dim.inputStep()), low), high);
    };
    Value begin = before(eval.sub(zero, phase.place));
    Value reach = eval.mul(eval.sub(frame.max(phase.taps, one), one), eval.i64(dim.tapPlaces()));
    Value end = frame.max(before(eval.sub(eval.sub(extent, phase.place), reach)), begin);
    Value front = eval.sub(begin, low), back = eval.sub(high, end);
    frame.loop(zero, eval.add(eval.add(front, back), one), 1, [&](Value number) {
      Value isFront = compare(arith::CmpIPredicate::slt, number, front);
      Value isInner = compare(arith::CmpIPredicate::eq, number, front);
      Value behind = eval.add(end, eval.sub(eval.sub(number, front), one));
      Value index = choose(isFront, eval.add(low, number), choose(isInner, begin, behind));
      Phase inside = insideOf(frame, dim, phaseOf(frame, dim, phases, residue, index), extent);
      body({eval.add(residue, eval.mul(index, eval.i64(dim.outputStep()))), choose(isInner, eval.sub(end, begin), one),
            inside.tap, inside.taps, inside.place});
    });
  }

  /// Adds some rows of the filter to the sums of a segment. Its output `o` of the line has its sums at position o - offset of
  /// `into`.
  void addSegment(const Panel &panel, Value image, Value into, Value offset, Value firstRow, Value lastRow, Value line,
                  ArrayRef<Value> outer, const Segment &segment) {
    Value count = listRuns(outer, segment, firstRow, lastRow);
    Value start = eval.add(eval.mul(image, imagePlaces), segment.place);
    Value x = frame.at(frame.buffers.lookup(op.getInput()), element,
                       eval.add(eval.mul(start, eval.i64(shape.inputPitch())), firstChannel));
    Value from = filter.column(frame, panel.first);
    int64_t step = dim.inputStep() * shape.inputPitch();
    forTiles(frame, tile.rows, 1, segment.count, [&](Value done, Value pixels) {
      Value inputs = frame.at(x, element, eval.mul(done, eval.i64(step)));
      Value index = eval.sub(eval.add(segment.first, eval.mul(done, eval.i64(dim.outputStep()))), offset);
      Value at = frame.at(into, element, eval.mul(index, eval.i64(pitch)));
      selectHeight(frame, pixels, heightsOf(tile.rows, 1), [&](unsigned rows) {
        LLVM::CallOp::create(frame.b, frame.loc, code(panel, rows, step).function(frame),
                             ValueRange{inputs, from, runs, count, at});
      });
    });
  }

  /// Lists the runs of a segment: the filter rows [firstRow, lastRow) that read inputs. Returns their number.
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

  TileSums code(const Panel &panel, unsigned pixels, int64_t step) const {
    bool isOnePixel = pixels == 1; // ignore unused distances, so that tiles share a function
    TileSums code{element,
                  1,
                  pixels,
                  0,
                  isOnePixel ? 0 : step,
                  panel.vectors,
                  tile.lanes,
                  panel.lastLanes,
                  filter.pitch(),
                  isOnePixel ? 0 : dim.outputStep() * pitch,
                  /*continues=*/parts.count() > 1};
    code.isDepthwise = shape.isDepthwise();
    code.hasWideRuns = true;
    return code;
  }

  void finish(const Panel &panel, Value from, Value image, ArrayRef<Value> outer, Value last) {
    SmallVector<Value> at{image};
    llvm::append_range(at, outer);
    at.push_back(last);
    finishPixel(frame, tile, panel, op.getResult(), from, at);
  }

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
  const ConvolutionDim &dim; // the last spatial dimension
  bool flat;
  Type element;
  TileShape tile;
  int64_t pitch; // elements per panel of sums
  FilterMemory filter;
  FilterParts parts;
  Chains chains;
  ConvolutionLines imageLines;
  int64_t placesPerBlock; // output positions whose sums stay in the cache
  Type word;
  Value width, imagePlaces;      // outputs per line; positions per input image
  Value firstChannel;            // of the group
  Value chunks, phases, runs;    // tables: constants of the module, and a segment's list on the stack
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
