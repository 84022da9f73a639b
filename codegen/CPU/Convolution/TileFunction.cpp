// The micro-kernel of a convolution, a function of its own that kernels with equal tiles share:
//
//   sums = 0, or the sums in memory                             // images * pixels * vectors registers
//   for run of the list: x, row of the filter, length           // taps and channels whose inputs are contiguous
//     for step of the run
//       columns = `vectors` vectors of the filter's row
//       for image, pixel: sums += splat(input) * columns        // depthwise: each column times its own input
//   store the sums, or add them to those in memory
//
// The list of runs leaves out taps that read no input, so that the loops have no test for borders.
#include "codegen/CPU/Convolution/TileFunction.h"
#include "codegen/CPU/Tiles/Copies.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

std::string TileSums::name() const {
  return std::string(llvm::formatv("{11}_tile_{0}_{1}x{2}_every{3}and{4}_{5}x{6}to{7}of{8}_{9}{10}",
                                   nameOf(*elementOf(element)), images, pixels, imageDistance, pixelDistance, vectors, lanes,
                                   lastLanes, filterPitch,
                                   continues ? "on"
                                   : adds    ? "add"
                                             : "by",
                                   sumDistance, isDepthwise ? "depthwise" : "conv")) +
         (hasWideRuns ? "_wide" : "") + (inFilter.vectors ? "_filter" + inFilter.name() : "") +
         (inSums.vectors ? "_sums" + inSums.name() : "") + (fetchesAhead ? "_ahead" : "") + (mayAdd ? "_or_add" : "") +
         (hasNamedLines ? "_lines" : "") + steps().name();
}

LLVM::LLVMFuncOp TileSums::function(KernelFrame &frame) const {
  Type pointer = LLVM::LLVMPointerType::get(frame.b.getContext());
  SmallVector<Type> types{pointer, pointer, pointer, frame.b.getI64Type(), pointer};
  if (fetchesAhead)
    types.push_back(frame.b.getI64Type());
  if (hasNamedLines)
    types.append(2, frame.b.getI64Type());
  if (mayAdd)
    types.push_back(frame.b.getI1Type());
  return sharedFunction(frame, name(), types, [&](CodeFrame &inside, ArrayRef<Value> arguments) { emit(inside, arguments); });
}

void TileSums::emit(CodeFrame &frame, ArrayRef<Value> arguments) const {
  PointEvaluator &eval = frame.eval;
  eval.lanes = lanes;
  WordTable words(frame, arguments[2]);
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  const unsigned firstDistance = fetchesAhead ? 6 : 5; // of the arguments
  Value namedDistance = hasNamedLines ? arguments[firstDistance] : Value();
  auto place = [&](unsigned i) {
    unsigned row = i / vectors, inImage = hasNamedLines ? row % pixels : row;
    Value image = arguments[4];
    if (hasNamedLines)
      image = frame.at(image, element, eval.mul(eval.i64(row / pixels), arguments[firstDistance + 1]));
    return frame.at(image, element, inImage * sumDistance + inSums.placeOf(i % vectors, lanes));
  };
  CodeFrame::Carry totals(images * pixels * vectors, eval.splat(eval.constant(element, 0)));
  if (continues)
    for (auto [i, total] : llvm::enumerate(totals))
      total = LLVM::LoadOp::create(frame.b, frame.loc, eval.vectorOf(element), place(i), bytes);
  auto word = [&](Value index, int64_t offset) -> Value {
    if (!hasWideRuns)
      return words(index, offset);
    Type wide = frame.b.getI64Type();
    return frame.loadOne(frame.at(frame.at(arguments[2], wide, index), wide, offset), wide);
  };
  totals = frame.loop(eval.i64(0), arguments[3], totals, [&](Value run, ValueRange carried) {
    Value at = eval.mul(run, eval.i64(3));
    Value x = frame.at(arguments[0], element, word(at, 0));
    Value w = frame.at(arguments[1], element, eval.mul(word(at, 1), eval.i64(filterPitch)));
    std::array<Walk, 2> walks{Walk{x, element, eval.i64(1)}, Walk{w, element, eval.i64(filterPitch)}};
    return forProducts(frame, word(at, 2), steps(), walks, carried, [&](ArrayRef<Value> places, ValueRange inner) {
      if (fetchesAhead)
        fetchLines(frame, frame.at(places[1], element, arguments[5]), element, vectors * int64_t(lanes),
                   FetchInto::SecondCache);
      return step(frame, places[0], namedDistance, places[1], inner);
    });
  });
  auto finish = [&](bool addsToMemory) {
    for (auto [i, total] : llvm::enumerate(totals)) {
      Value sum = total;
      if (addsToMemory) {
        Value before = LLVM::LoadOp::create(frame.b, frame.loc, eval.vectorOf(element), place(i), bytes);
        sum = arith::AddFOp::create(frame.b, frame.loc, before, total);
      }
      LLVM::StoreOp::create(frame.b, frame.loc, sum, place(i), bytes);
    }
  };
  if (mayAdd)
    frame.choose(arguments.back(), [&] { finish(/*addsToMemory=*/true); }, [&] { finish(/*addsToMemory=*/false); });
  else
    finish(adds);
}

/// Adds an outer product: one input element per row times one row of the filter. Depthwise, each column has its own input. What
/// there is less of, rows or vectors, is in registers before the first multiply-add; the others are loaded one by one.
CodeFrame::Carry TileSums::step(CodeFrame &frame, Value x, Value namedDistance, Value w, ValueRange totals) const {
  TileShape tile{images * pixels, vectors, lanes};
  auto load = [&](Value from, unsigned vector) {
    VectorScope scope(frame, tile, {Value(), vectors, lastLanes}, vector);
    return frame.loadLanes(from, element);
  };
  auto column = [&](unsigned v) { return load(frame.at(w, element, inFilter.placeOf(v, lanes)), v); };
  auto inputsOf = [&](unsigned row) {
    unsigned image = row / pixels, pixel = row % pixels;
    if (!hasNamedLines)
      return frame.at(x, element, image * imageDistance + pixel * pixelDistance);
    Value first = frame.at(x, element, frame.eval.mul(frame.eval.i64(image), namedDistance));
    return frame.at(first, element, pixel * pixelDistance);
  };
  auto factorOf = [&](unsigned row) { return frame.eval.splat(frame.loadOne(inputsOf(row), element)); };
  CodeFrame::Carry next(totals.begin(), totals.end());
  auto add = [&](unsigned row, unsigned v, Value factor, Value columns) {
    Value &total = next[row * vectors + v];
    total = frame.multiplyAdd(factor, columns, total);
  };
  if (isDepthwise || tile.rows >= vectors) {
    SmallVector<Value> columns;
    for (unsigned v = 0; v < vectors; ++v)
      columns.push_back(column(v));
    for (unsigned row = 0; row < tile.rows; ++row) {
      Value inputs = isDepthwise ? inputsOf(row) : Value(), factor = isDepthwise ? Value() : factorOf(row);
      for (unsigned v = 0; v < vectors; ++v)
        add(row, v, isDepthwise ? load(frame.at(inputs, element, v * lanes), v) : factor, columns[v]);
    }
    return next;
  }
  frame.eval.lanes = lanes;
  SmallVector<Value> factors;
  for (unsigned row = 0; row < tile.rows; ++row)
    factors.push_back(factorOf(row));
  for (unsigned v = 0; v < vectors; ++v) {
    Value columns = column(v);
    for (unsigned row = 0; row < tile.rows; ++row)
      add(row, v, factors[row], columns);
  }
  return next;
}
