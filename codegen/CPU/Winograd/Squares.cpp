#include "codegen/CPU/Winograd/Squares.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

SquareGrid::SquareGrid(KernelFrame &frame, const WinogradShape &shape, WinogradSquare square) : frame(frame), square(square) {
  images = frame.eval.extent(shape.output[0]);
  for (unsigned d : {0, 1}) {
    inputExtent[d] = frame.eval.extent(shape.input[d + 1]);
    outputExtent[d] = frame.eval.extent(shape.output[d + 1]);
    grid[d] = frame.divideUp(outputExtent[d], square.outputs);
  }
}

SquareGrid::Place SquareGrid::placeOf(Value number) const {
  PointEvaluator &eval = frame.eval;
  Value inRow = frame.remainder(number, grid[1]), row = frame.divide(number, grid[1]), side = eval.i64(square.outputs);
  return {frame.divide(row, grid[0]), {eval.mul(frame.remainder(row, grid[0]), side), eval.mul(inRow, side)}};
}

Value SquareGrid::count() const { return frame.eval.mul(images, frame.eval.mul(grid[0], grid[1])); }

SquareReader::SquareReader(KernelFrame &frame, Value images, const std::array<Value, 2> &extent, int64_t side, int64_t channels,
                           int64_t most, unsigned lanes)
    : frame(frame), images(images), extent(extent), side(side), channels(channels), most(most), lanes(lanes),
      patch(frame.stack(frame.b.getF32Type(), elements(side, most))) {}

Value SquareReader::atMost(Value x, Value y) {
  return arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::sle, x, y);
}

Value SquareReader::both(Value x, Value y) { return x ? Value(arith::AndIOp::create(frame.b, frame.loc, x, y)) : y; }

void SquareReader::read(Value image, const std::array<Value, 2> &first, Value channel, Value size,
                        function_ref<void(const SquareOfVectors &)> transform) {
  PointEvaluator &eval = frame.eval;
  Type element = frame.b.getF32Type();
  Value isInside;
  for (unsigned d : {0, 1}) {
    Value last = eval.add(first[d], eval.i64(side));
    isInside = both(isInside, both(atMost(eval.i64(0), first[d]), atMost(last, extent[d])));
  }
  Value row = eval.mul(image, extent[0]);
  Value pixel = eval.add(eval.mul(eval.add(row, first[0]), extent[1]), first[1]);
  Value from = frame.at(frame.at(images, element, eval.mul(pixel, eval.i64(channels))), element, channel);
  SquareOfVectors inImage{from, eval.mul(extent[1], eval.i64(channels)), eval.i64(channels)};
  frame.choose(
      isInside, [&] { transform(inImage); },
      [&] {
        copy(first, inImage, size);
        transform({patch, eval.i64(side * most), eval.i64(most)});
      });
}

void SquareReader::copy(const std::array<Value, 2> &first, const SquareOfVectors &from, Value size) {
  PointEvaluator &eval = frame.eval;
  Type element = frame.b.getF32Type();
  auto isThere = [&](unsigned d, Value offset) {
    Value position = eval.add(first[d], offset);
    return both(atMost(eval.i64(0), position), atMost(eval.add(position, eval.i64(1)), extent[d]));
  };
  frame.loop(eval.i64(0), eval.i64(side), 1, [&](Value row) {
    frame.loop(eval.i64(0), eval.i64(side), 1, [&](Value column) {
      Value number = eval.add(eval.mul(row, eval.i64(side)), column);
      Value to = frame.at(patch, element, eval.mul(number, eval.i64(most)));
      Value offset = eval.add(eval.mul(row, from.rowDistance), eval.mul(column, from.columnDistance));
      frame.choose(
          both(isThere(0, row), isThere(1, column)),
          [&] {
            forLanes(size, [&](Value at) {
              Value vector = frame.loadLanes(frame.at(frame.at(from.address, element, offset), element, at), element);
              frame.storeLanes(vector, frame.at(to, element, at));
            });
          },
          [&] {
            forLanes(size,
                     [&](Value at) { frame.storeLanes(eval.splat(eval.constant(element, 0)), frame.at(to, element, at)); });
          });
    });
  });
}

void SquareReader::forLanes(Value size, function_ref<void(Value)> body) {
  frame.loop(frame.eval.i64(0), size, lanes, [&](Value at) {
    frame.eval.lanes = lanes;
    body(at);
  });
}
