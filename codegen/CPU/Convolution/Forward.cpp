#include "codegen/CPU/Convolution/Forward.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
constexpr int64_t kFewImages = 4; // below, rows of a tile are pixels

/// A place that rows of a tile start from.
struct Start {
  SmallVector<Value> place; // in the output, without the channel
  Value input;              // address of the taps' base
  Value taps;               // class
};

class ForwardEmitter {
public:
  ForwardEmitter(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table, WordTable words,
                 const TileShape &shapeOfTile)
      : frame(frame), eval(frame.eval), op(op), shape(shape), table(table), words(words), tile(shapeOfTile),
        element(cast<RankedTensorType>(op.getType()).getElementType()), images(eval.extent(dimsOf(op.getResult())[0])),
        imageSize(shape.inputPlaces() * shape.channels) {}

  void emit() {
    Value isFew = frame.b.createOrFold<arith::CmpIOp>(frame.loc, arith::CmpIPredicate::slt, images, eval.i64(kFewImages));
    IntegerAttr known;
    if (matchPattern(isFew, m_Constant(&known)))
      return known.getValue().isZero() ? overImages() : overPixels();
    auto choice = scf::IfOp::create(frame.b, frame.loc, isFew, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(frame.b);
    frame.b.setInsertionPointToStart(choice.thenBlock());
    overPixels();
    frame.b.setInsertionPointToStart(choice.elseBlock());
    overImages();
  }

private:
  /// Rows of a tile are images at one pixel: every pixel has full tiles, whatever the borders.
  void overImages() {
    forPanels(frame, tile, shape.filters, [&](const Panel &panel) {
      forHeights(frame, tile.rows, images, [&](unsigned rows, Value image) {
        frame.loop(frame.begin, frame.end, 1, [&](Value pixel) {
          Start start{{image}, imageAt(image), eval.i64(0)};
          addPlaces(start, pixel, shape.dims.size());
          emitTile(panel, rows, start, imageSize, [&](SmallVector<Value> &place, unsigned row) {
            place[0] = eval.add(place[0], eval.i64(row));
          });
        });
      });
    });
  }

  /// Rows of a tile are neighbours in the last dimension that have the same taps.
  void overPixels() {
    int64_t width = shape.dims.back().output;
    Value low = frame.divide(frame.begin, width), high = frame.divideUp(frame.end, width);
    forPanels(frame, tile, shape.filters, [&](const Panel &panel) {
      frame.loop(eval.i64(0), images, 1, [&](Value image) {
        frame.loop(low, high, 1, [&](Value line) {
          Start start{{image}, imageAt(image), eval.i64(0)};
          addPlaces(start, line, shape.dims.size() - 1);
          frame.loop(eval.i64(0), eval.i64(table.segmentCount), 1, [&](Value segment) {
            emitSegment(panel, start, eval.mul(line, eval.i64(width)), eval.mul(segment, eval.i64(4)));
          });
        });
      });
    });
  }

  void emitSegment(const Panel &panel, Start start, Value lineStart, Value at) {
    int64_t step = shape.dims.back().outputStep();
    Value first = words(at, table.segments), count = words(at, table.segments + 1);
    start.taps = eval.add(start.taps, words(at, table.segments + 2));
    Value origin = eval.add(lineStart, first), zero = eval.i64(0);
    auto clip = [&](Value piece) {
      return eval.min(frame.divideUp(frame.max(eval.sub(piece, origin), zero), step), count);
    };
    Value low = clip(frame.begin), high = clip(frame.end);
    Value base = frame.at(start.input, element, words(at, table.segments + 3));
    forHeights(frame, tile.rows, eval.sub(high, low), [&](unsigned rows, Value done) {
      Value index = eval.add(low, done);
      Start here = start;
      here.input = frame.at(base, element, eval.mul(index, eval.i64(table.segmentStride)));
      here.place.push_back(eval.add(first, eval.mul(index, eval.i64(step))));
      emitTile(panel, rows, here, table.segmentStride, [&](SmallVector<Value> &place, unsigned row) {
        place.back() = eval.add(place.back(), eval.i64(row * step));
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

  using MovePlace = function_ref<void(SmallVector<Value> &place, unsigned row)>;

  void emitTile(const Panel &panel, unsigned rows, const Start &start, int64_t rowStride, MovePlace move) {
    eval.nextPoint();
    eval.lanes = tile.lanes;
    KernelFrame::Carry totals(rows * panel.vectors, eval.splat(eval.constant(element, 0)));
    Value filter = frame.at(frame.buffers.lookup(op.getFilter()), element, panel.first);
    Value firstRun = words(start.taps, table.starts), lastRun = words(start.taps, table.starts + 1);
    totals = frame.loop(firstRun, lastRun, totals, [&](Value run, ValueRange carried) {
      Value at = eval.mul(run, eval.i64(3));
      Value x = frame.at(start.input, element, words(at, table.runs));
      Value w = frame.at(filter, element, words(at, table.runs + 1));
      return frame.loop(eval.i64(0), words(at, table.runs + 2), carried, [&](Value c, ValueRange inner) {
        return step(panel, rows, frame.at(x, element, c), rowStride,
                    frame.at(w, element, eval.mul(c, eval.i64(shape.filters))), inner);
      });
    });
    for (unsigned row = 0; row < rows; ++row) {
      SmallVector<Value> place = start.place;
      move(place, row);
      SmallVector<Index> indices;
      for (Value coordinate : place)
        indices.push_back(eval.uniform(coordinate));
      indices.push_back({});
      for (unsigned v = 0; v < panel.vectors; ++v) {
        VectorScope scope(frame, tile, panel, v);
        indices.back() = {eval.add(panel.first, eval.i64(v * tile.lanes)), tile.lanes > 1, {}};
        frame.finish(op.getResult(), totals[row * panel.vectors + v], indices);
      }
    }
  }

  /// One element of the taps' channels: an outer product of `rows` inputs and a row of the filter.
  KernelFrame::Carry step(const Panel &panel, unsigned rows, Value x, int64_t rowStride, Value w, ValueRange totals) {
    SmallVector<Value> columns;
    for (unsigned v = 0; v < panel.vectors; ++v) {
      VectorScope scope(frame, tile, panel, v);
      columns.push_back(frame.loadLanes(frame.at(w, element, v * tile.lanes), element));
    }
    KernelFrame::Carry next;
    for (unsigned row = 0; row < rows; ++row) {
      Value factor = eval.splat(frame.loadOne(frame.at(x, element, row * rowStride), element));
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
  TileShape tile;
  Type element;
  Value images;
  int64_t imageSize;
};
} // namespace

void lathe::cpu::emitForward(KernelFrame &frame, ConvOp op, const ConvolutionShape &shape, const TapTable &table, WordTable words,
                             const TileShape &tile) {
  ForwardEmitter(frame, op, shape, table, words, tile).emit();
}
