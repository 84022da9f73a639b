// The loops of a persistent block over its tiles:
//
//   for tile = block; tile < tiles; tile += blocks            // tiles of all parts of the depth and all matrices
//     part, matrix, band and position from the tile's number   // neighbours share operands in the second-level cache
//     first point of each span = number of the box * its size
//     for k-slice of the part: body(k-slice, iteration)        // iterations count on across tiles
//
// All roles of a block run the same loops, so that the stages of the ring agree without any message between them.
#include "codegen/GPU/Hopper/BoxTiles.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Values = SmallVector<Value>;

void BoxTiles::each(function_ref<Value(Value)> body) {
  Value tiles = eval.mul(eval.mul(boxCount(form.left.own), boxCount(form.right.own)),
                         eval.mul(eval.extent(extentOf(form.loops, form.batch)), eval.i64(parts)));
  Value blocks = frame.blocks();
  auto loop = scf::ForOp::create(b, frame.loc, frame.block, tiles, blocks, ValueRange{number(0)});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  place(loop.getInductionVar());
  scf::YieldOp::create(b, frame.loc, body(loop.getRegionIterArgs()[0]));
}

void BoxTiles::place(Value tile) {
  Value down = frame.narrow(boxCount(form.left.own)), across = frame.narrow(boxCount(form.right.own));
  Value inMatrix = frame.narrow(tile), all = eval.mul(down, across);
  if (parts > 1) {
    Value ofPart = eval.mul(all, frame.narrow(eval.extent(extentOf(form.loops, form.batch))));
    part = frame.widen(frame.divide(inMatrix, ofPart));
    inMatrix = frame.remainder(inMatrix, ofPart);
  }
  if (!form.batch.empty()) {
    points.set(form.batch, frame.widen(frame.divide(inMatrix, all)));
    inMatrix = frame.remainder(inMatrix, all);
  }
  Value allSteps = form.isImage
                       ? frame.divideUp(boxCount(form.left.depths), slices())
                       : frame.divideUp(eval.extent(extentOf(form.loops, form.product.depth)), slices() * form.left.depth());
  std::tie(start, steps) = placePart(frame, part, parts, allSteps);
  auto [row, column] = placeInBands(frame, inMatrix, down, across);
  auto firstOf = [&](const Side &side, Value box) {
    return llvm::map_to_vector(llvm::zip_equal(side.own, boxAt(side.own, box)), [&](const auto &pair) {
      const auto &[span, number] = pair;
      return eval.mul(frame.widen(number), eval.i64(span.box));
    });
  };
  firstLeft = firstOf(form.left, row);
  firstRight = firstOf(form.right, column);
}

/// Returns the number of boxes of the spans, i64. The tile's residue may have fewer taps than others.
Value BoxTiles::boxCount(ArrayRef<Span> spans) {
  Value boxes;
  for (const Span &span : spans) {
    auto *residue = llvm::find_if(form.product.residues, [&](const Residue &each) { return each.tap == span.dims.front(); });
    Value extent = residue == form.product.residues.end()
                       ? eval.extent(extentOf(form.loops, span.dims))
                       : frame.divideUp(eval.sub(eval.i64(residue->taps), points.place[residue->residue].base), residue->step);
    Value count = frame.divideUp(extent, span.box);
    boxes = boxes ? eval.mul(boxes, count) : count;
  }
  return boxes;
}

/// Splits a row-major box number into one i32 index per span. The first span's index may run past the end.
Values BoxTiles::boxAt(ArrayRef<Span> spans, Value box) {
  Values numbers(spans.size());
  for (size_t i = spans.size(); i-- > 1;) {
    Value count = frame.narrow(boxCount(spans[i]));
    numbers[i] = frame.remainder(box, count);
    box = frame.divide(box, count);
  }
  numbers[0] = box;
  return numbers;
}

/// Returns the coordinate of a box along one axis.
Value BoxTiles::placeOf(const Side &side, const Matrix::Axis &axis, ArrayRef<unsigned> inTile, ArrayRef<Value> depths) {
  ArrayRef<Value> firsts = side.number == form.left.number ? firstLeft : firstRight;
  Value place = number(axis.first);
  for (const Matrix::Term &term : axis.terms) {
    Value at;
    if (term.role == Matrix::Depth)
      at = eval.mul(depths[term.number], number(side.depths[term.number].box));
    else if (term.role == Matrix::Own)
      at = eval.add(frame.narrow(firsts[term.number]), number(inTile[term.number]));
    else
      at = frame.narrow(points.place[term.number].base);
    place = eval.add(place, eval.mul(at, number(term.step)));
  }
  return place;
}

Values BoxTiles::depthsOf(const Side &side, Value slice) { return boxAt(side.depths, frame.narrow(slice)); }

Values BoxTiles::placesOf(const Side &side, ArrayRef<unsigned> inTile, ArrayRef<Value> depths) {
  return llvm::map_to_vector(side.matrix.axes, [&](const Matrix::Axis &axis) { return placeOf(side, axis, inTile, depths); });
}

Value BoxTiles::eachSlice(Value before, function_ref<void(Value, Value)> body) {
  return frame.loop(eval.i64(0), steps, before, [&](Value step, ValueRange carried) -> Values {
    Value first = eval.mul(eval.add(start, step), eval.i64(slices()));
    for (unsigned i = 0; i < slices(); ++i)
      body(eval.add(first, eval.i64(i)), eval.add(carried[0], number(i)));
    return {eval.add(carried[0], number(slices()))};
  })[0];
}
