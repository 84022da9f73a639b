#include "codegen/CPU/Convolution/OpenForward.h"
#include "codegen/CPU/Convolution/FilterParts.h"
#include "codegen/CPU/Convolution/TileFunction.h"
#include "codegen/CPU/Sums/Chains.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr int64_t kMostOpenTaps = 1 << 10; // their runs are on the stack

/// Neighbouring outputs of a line that have the same taps of the last dimension.
struct Segment {
  Value first, count;      // outputs
  Value firstTap, lastTap; // of the last dimension
  Value place;             // of the first output's first tap in the input line
};

/// Places of one image that are done together, row-major.
struct Block {
  Value first, last;
};

class OpenForwardEmitter {
public:
  OpenForwardEmitter(KernelFrame &frame, ConvOp op, const OpenConvolution &open, const VectorTarget &target)
      : frame(frame), eval(frame.eval), op(op), open(open), shape(open.shape), flat(open.isFlat()),
        element(scalarOf(cast<RankedTensorType>(op.getType()).getElementType())), bytes(element.getIntOrFloatBitWidth() / 8),
        parts(shape, isa<FloatType>(element) ? std::optional(kProductOrder) : std::nullopt, open.chunkRows),
        chains(frame, kProductOrder, element, Dim(shape.sumTerms()), Dim(shape.sumRow())),
        tile(choosePixelTile(target, bytes, shape.columns())), pitch(tile.vectors * tile.lanes),
        placesPerBlock(std::max<int64_t>(1, kSumsBytes / (pitch * bytes))), word(frame.b.getI64Type()) {
    for (auto [in, out] : llvm::zip_equal(open.input, open.output)) {
      input.push_back(eval.extent(in));
      output.push_back(eval.extent(out));
    }
    width = output.back();
    imagePlaces = eval.i64(1);
    for (Value extent : input)
      imagePlaces = eval.mul(imagePlaces, extent);
    chunks = WordTable(frame, "chunks", parts.words()).addressOf(eval.i64(0), 0);
    runs = frame.stack(word, 3 * shape.taps());
    sums = frame.stack(element, placesPerBlock * pitch);
    if (!chains.areOne())
      chainSums = frame.stack(element, placesPerBlock * pitch);
    if (!chains.areOneGroup())
      totals = frame.stack(element, placesPerBlock * pitch);
  }

  void emit() {
    Value images = eval.extent(dimsOf(op.getResult())[0]);
    // Whole lines where they fit into a block. A line of no outputs has no block, but is divided by all the same.
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
      SmallVector<Value> outer = outerPlace(line);
      frame.loop(low, high, 1, [&](Value last) {
        Value index = eval.sub(eval.add(eval.mul(line, width), last), block.first);
        finish(panel, frame.at(sums, element, eval.mul(index, eval.i64(pitch))), image, outer, last);
      });
    });
  }

  /// Calls the body with each line of a block, and the outputs of it that the block has.
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
      SmallVector<Value> outer = outerPlace(line);
      Value behind = eval.sub(eval.mul(line, width), block.first);
      forSegments(low, high, [&](const Segment &segment) {
        addSegment(panel, image, into, eval.sub(eval.i64(0), behind), firstRow, lastRow, line, outer, segment);
      });
    });
  }

  /// Calls the body with the segments of the outputs [low, high) of a line: those in front of the first one that has all taps,
  /// one by one, then all that have them, then what is behind.
  void forSegments(Value low, Value high, function_ref<void(const Segment &)> body) {
    const ConvolutionDim &dim = shape.dims.back();
    Value extent = input.back();
    int64_t reach = (dim.taps - 1) * dim.dilation;
    auto clip = [&](Value at) { return eval.min(frame.max(at, low), high); };
    Value begin = clip(eval.i64(llvm::divideCeil(std::max<int64_t>(dim.padLow, 0), dim.stride)));
    Value room = eval.add(extent, eval.i64(dim.padLow - reach - 1)); // the last output's base that has all taps
    Value whole = frame.divideUp(frame.max(eval.add(room, eval.i64(1)), eval.i64(0)), dim.stride);
    Value end = frame.max(clip(whole), begin);
    Value before = eval.sub(begin, low), behind = eval.sub(high, end);
    Value count = eval.add(eval.add(before, behind), eval.i64(1));
    frame.loop(eval.i64(0), count, 1, [&](Value number) {
      Value isFront = compare(arith::CmpIPredicate::slt, number, before);
      Value isInner = compare(arith::CmpIPredicate::eq, number, before);
      Value back = eval.add(end, eval.sub(eval.sub(number, before), eval.i64(1)));
      Segment segment;
      segment.first = choose(isFront, eval.add(low, number), choose(isInner, begin, back));
      segment.count = choose(isInner, eval.sub(end, begin), eval.i64(1));
      Value base = eval.sub(eval.mul(segment.first, eval.i64(dim.stride)), eval.i64(dim.padLow));
      // The first tap that is not in front of the input, and the first one that is behind it.
      Value missing = frame.max(eval.sub(eval.i64(0), base), eval.i64(0));
      segment.firstTap = eval.min(frame.divideUp(missing, dim.dilation), eval.i64(dim.taps));
      Value left = frame.max(eval.sub(extent, base), eval.i64(0));
      segment.lastTap = frame.max(eval.min(frame.divideUp(left, dim.dilation), eval.i64(dim.taps)), segment.firstTap);
      segment.place = eval.add(base, eval.mul(segment.firstTap, eval.i64(dim.dilation)));
      body(segment);
    });
  }

  /// Adds some rows of the filter to the sums of a segment, which begin `offset` places behind its line's in `into`.
  void addSegment(const Panel &panel, Value image, Value into, Value offset, Value firstRow, Value lastRow, Value line,
                  ArrayRef<Value> outer, const Segment &segment) {
    Value count = listRuns(outer, segment, firstRow, lastRow);
    Value start = eval.add(eval.mul(image, imagePlaces), segment.place);
    Value x = frame.at(frame.buffers.lookup(op.getInput()), element,
                       eval.add(eval.mul(start, eval.i64(shape.inputPitch())), firstChannel));
    Value filter = frame.at(frame.buffers.lookup(op.getFilter()), element, panel.first);
    int64_t step = shape.dims.back().stride * shape.inputPitch();
    forTiles(frame, tile.rows, 1, segment.count, [&](Value done, Value pixels) {
      Value from = frame.at(x, element, eval.mul(done, eval.i64(step)));
      Value index = eval.sub(eval.add(segment.first, done), offset);
      Value at = frame.at(into, element, eval.mul(index, eval.i64(pitch)));
      selectHeight(frame, pixels, heightsOf(tile.rows, 1), [&](unsigned rows) {
        LLVM::CallOp::create(frame.b, frame.loc, code(panel, rows, step).function(frame),
                             ValueRange{from, filter, runs, count, at});
      });
    });
  }

  /// Writes down the runs of a segment: the part of the filter's rows from firstRow to lastRow that meet the input. Returns how
  /// many there are.
  Value listRuns(ArrayRef<Value> outer, const Segment &segment, Value firstRow, Value lastRow) {
    const ConvolutionDim &dim = shape.dims.back();
    int64_t rowsOfLine = dim.taps * shape.channels; // of the filter
    bool joins = shape.groups == 1 && dim.dilation == 1;
    Value one = eval.i64(1);
    auto lines = frame.loop(frame.divide(firstRow, rowsOfLine), frame.divideUp(lastRow, rowsOfLine), ValueRange{eval.i64(0)},
                            [&](Value line, ValueRange found) {
                              auto [place, meets] = inputLine(outer, line);
                              Value inLine = eval.mul(place, eval.i64(shape.inputPitch()));
                              Value firstTap = eval.add(eval.mul(line, eval.i64(dim.taps)), segment.firstTap);
                              Value taps = eval.sub(segment.lastTap, segment.firstTap);
                              auto append = [&](Value tap, Value count, Value at, Value number) {
                                Value row = eval.mul(tap, eval.i64(shape.channels)),
                                      end = eval.add(row, eval.mul(count, eval.i64(shape.channels)));
                                Value low = frame.max(row, firstRow), high = eval.min(end, lastRow);
                                Value to = frame.at(runs, word, eval.mul(number, eval.i64(3)));
                                frame.storeOne(eval.add(at, eval.sub(low, row)), to);
                                frame.storeOne(eval.mul(low, eval.i64(shape.outputPitch())), frame.at(to, word, 1));
                                frame.storeOne(eval.sub(high, low), frame.at(to, word, 2));
                                Value counts = compare(arith::CmpIPredicate::slt, low, high);
                                if (meets)
                                  counts = arith::AndIOp::create(frame.b, frame.loc, counts, meets);
                                return eval.add(number, arith::ExtUIOp::create(frame.b, frame.loc, word, counts));
                              };
                              if (joins)
                                return CodeFrame::Carry{append(firstTap, taps, inLine, found[0])};
                              return frame.loop(eval.i64(0), taps, found, [&](Value tap, ValueRange inner) {
                                Value at = eval.add(inLine, eval.mul(tap, eval.i64(dim.dilation * shape.inputPitch())));
                                return CodeFrame::Carry{append(eval.add(firstTap, tap), one, at, inner[0])};
                              });
                            });
    return lines[0];
  }

  /// The place, in the image, where the line begins that a line of outputs meets through a line of the filter, and whether
  /// there is one; null if always.
  std::pair<Value, Value> inputLine(ArrayRef<Value> outer, Value line) {
    Value place = eval.i64(0), meets, stride = input.back();
    for (size_t d = outer.size(); d-- > 0;) {
      const ConvolutionDim &dim = shape.dims[d];
      Value tap = d ? frame.remainder(line, dim.taps) : line;
      line = d ? frame.divide(line, dim.taps) : line;
      Value at = eval.add(eval.mul(outer[d], eval.i64(dim.stride)), eval.mul(tap, eval.i64(dim.dilation)));
      at = eval.sub(at, eval.i64(dim.padLow));
      Value isInside = compare(arith::CmpIPredicate::ult, at, input[d]); // negative ones are large
      meets = meets ? Value(arith::AndIOp::create(frame.b, frame.loc, meets, isInside)) : isInside;
      place = eval.add(place, eval.mul(at, stride));
      stride = eval.mul(stride, input[d]);
    }
    return {place, meets};
  }

  /// The place of a line of outputs in all spatial dimensions but the last.
  SmallVector<Value> outerPlace(Value line) {
    SmallVector<Value> place(output.size() - 1);
    for (size_t d = place.size(); d-- > 0;) {
      place[d] = d ? frame.remainder(line, output[d]) : line;
      line = d ? frame.divide(line, output[d]) : line;
    }
    return place;
  }

  TileSums code(const Panel &panel, unsigned pixels, int64_t step) const {
    bool isAlone = pixels == 1; // one function, whatever its distances
    TileSums code{element,
                  1,
                  pixels,
                  0,
                  isAlone ? 0 : step,
                  panel.vectors,
                  tile.lanes,
                  panel.lastLanes,
                  shape.outputPitch(),
                  isAlone ? 0 : pitch,
                  /*continues=*/parts.count() > 1};
    code.isDepthwise = shape.isDepthwise();
    code.hasWideRuns = true;
    return code;
  }

  void finish(const Panel &panel, Value from, Value image, ArrayRef<Value> outer, Value last) {
    eval.lanes = tile.lanes;
    eval.nextPoint();
    SmallVector<Index> place{eval.uniform(image)};
    for (Value coordinate : outer)
      place.push_back(eval.uniform(coordinate));
    place.append({eval.uniform(last), Index()});
    finishPanel(frame, tile, panel, op.getResult(), from, place);
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
  const OpenConvolution &open;
  const ConvolutionShape &shape;
  bool flat;
  Type element;
  unsigned bytes;
  FilterParts parts;
  Chains chains;
  TileShape tile;
  int64_t pitch, placesPerBlock; // elements of a panel's sums; places whose sums stay in the cache
  Type word;
  SmallVector<Value> input, output; // spatial extents
  Value width, imagePlaces;         // outputs of a line; places of an input image
  Value firstChannel;               // of the group
  Value chunks, runs;               // tables: of the module, and of a segment on the stack
  Value sums, chainSums, totals;    // on the stack: of a block, of one chain, of all groups of chains
};
} // namespace

bool OpenConvolution::isFlat() const {
  return llvm::all_of(llvm::enumerate(shape.dims), [&](auto it) {
    const ConvolutionDim &dim = it.value();
    return dim.taps == 1 && dim.stride == 1 && dim.padLow == 0 && input[it.index()] == output[it.index()];
  });
}

std::optional<OpenConvolution> lathe::cpu::openConvolution(ConvOp op, const VectorTarget &target) {
  ConvolutionGeometry g = op.getGeometry();
  Dims x = dimsOf(op.getInput()), w = dimsOf(op.getFilter()), y = dimsOf(op.getResult());
  OpenConvolution open;
  for (size_t i = 0; i + 2 < x.size(); ++i) {
    if (g.inputDilation[i] != 1 || !w[i].isStatic() || w[i].constant() == 0)
      return std::nullopt;
    open.shape.dims.push_back({0, w[i].constant(), 0, g.strides[i], g.dilation[i], 1, g.padLow[i]});
    open.input.push_back(x[i + 1]);
    open.output.push_back(y[i + 1]);
  }
  if (!x.back().isStatic() || !y.back().isStatic() || x.back().constant() == 0 || y.back().constant() == 0)
    return std::nullopt;
  ConvolutionShape &shape = open.shape;
  shape.groups = g.groups;
  shape.channels = x.back().constant() / g.groups;
  shape.filters = y.back().constant() / g.groups;
  if ((shape.groups > 1 && shape.filters == 1 && !shape.isDepthwise()) || shape.taps() > kMostOpenTaps)
    return std::nullopt;
  unsigned bytes = cast<RankedTensorType>(op.getType()).getElementTypeBitWidth() / 8;
  TileShape tile = choosePixelTile(target, bytes, shape.columns());
  int64_t rowBytes = tile.vectors * tile.lanes * bytes;
  bool fits = shape.sumTerms() * rowBytes <= 2 * kChunkBytes;
  open.chunkRows = fits ? 0 : std::max<int64_t>(1, kChunkBytes / rowBytes);
  return open;
}

void lathe::cpu::emitOpenForward(KernelFrame &frame, ConvOp op, const OpenConvolution &open, const VectorTarget &target) {
  OpenForwardEmitter(frame, op, open, target).emit();
}
