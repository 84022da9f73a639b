// The micro-kernel of a convolution, a function of its own that kernels with equal tiles share:
//
//   load the distances of the rows' inputs from a table
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
  std::string kind = isDepthwise ? "depthwise" : "conv", start = continues ? "on" : "by";
  std::string text = llvm::formatv("{0}_tile_{1}_", kind, nameOf(*elementOf(element)));
  if (hasFixedDistances())
    text += llvm::formatv("{0}x{1}_every{2}and{3}_{4}x{5}to{6}of{7}", images, pixels, imageDistance, pixelDistance, vectors,
                          lanes, lastLanes, filterPitch);
  else
    text += llvm::formatv("{0}x{1}x{2}to{3}{4}", images * pixels, vectors, lanes, lastLanes, hasPitch() ? "_pitch" : "");
  text += llvm::formatv("_{0}{1}", start, sumDistance);
  std::string sums = !inSums.vectors ? "" : hasSumPlaces() ? std::to_string(inSums.vectors) : inSums.name();
  return text + (hasWideRuns ? "_wide" : "") + (inFilter.vectors ? "_filter" + inFilter.name() : "") +
         (inSums.vectors ? "_sums" + sums : "") + (fetchesAhead ? "_ahead" : "") + (mayAdd ? "_or_add" : "") +
         (hasNamedLines ? "_lines" : "") + steps().name();
}

/// The arguments of a tile's function, some of which only some tiles have.
struct TileSums::Arguments : Call {
  SmallVector<Value> rows; // distances that the row table has, once they are loaded

  /// Calls `visit` with each argument of the tile in order, and whether it is an address or a truth value.
  template <typename Visitor>
  void forEach(const TileSums &tile, OpBuilder &b, Visitor visit) {
    Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
    visit(input, pointer);
    visit(filter, pointer);
    visit(runs, pointer);
    visit(count, i64);
    visit(sums, pointer);
    if (tile.hasRowTable())
      visit(rowTable, pointer);
    if (tile.hasPitch())
      visit(pitch, i64);
    if (tile.hasSumPlaces())
      visit(sumPlaces, i64);
    if (tile.fetchesAhead)
      visit(ahead, i64);
    if (tile.hasNamedLines) {
      visit(imageDistance, i64);
      visit(imageSumDistance, i64);
    }
    if (tile.mayAdd)
      visit(adds, b.getI1Type());
  }
};

Value TileSums::rowTable(KernelFrame &frame) const {
  OpBuilder &b = frame.b;
  SmallVector<int64_t> distances;
  for (unsigned row = 1; row < images * pixels; ++row)
    distances.push_back(row / pixels * imageDistance + row % pixels * pixelDistance);
  std::string symbol = "tile_rows";
  for (int64_t distance : distances)
    symbol += "_" + std::to_string(distance);
  if (!frame.function->getParentOfType<ModuleOp>().lookupSymbol(symbol)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(frame.function);
    auto values = DenseElementsAttr::get(RankedTensorType::get(distances.size(), b.getI64Type()), ArrayRef(distances));
    LLVM::GlobalOp::create(b, frame.loc, LLVM::LLVMArrayType::get(b.getI64Type(), distances.size()), /*isConstant=*/true,
                           LLVM::Linkage::Internal, symbol, values, /*alignment=*/8);
  }
  return LLVM::AddressOfOp::create(b, frame.loc, LLVM::LLVMPointerType::get(b.getContext()), symbol);
}

void TileSums::call(KernelFrame &kernel, CodeFrame &frame, const Call &values) const {
  Arguments arguments{values, {}};
  if (hasRowTable() && !arguments.rowTable)
    arguments.rowTable = rowTable(kernel);
  if (!arguments.pitch)
    arguments.pitch = frame.eval.i64(filterPitch);
  if (!arguments.sumPlaces)
    arguments.sumPlaces = frame.eval.i64(inSums.distance);
  auto forEach = [&](Arguments &each, auto visit) { each.forEach(*this, frame.b, visit); };
  callSharedFunction(kernel, frame, name(), arguments, Arguments{}, forEach,
                     [&](CodeFrame &inside, const Arguments &own) { emit(inside, own); });
}

/// Returns the address of the sums of a vector, which are counted row by row.
Value TileSums::sumAt(CodeFrame &frame, const Arguments &arguments, unsigned i) const {
  PointEvaluator &eval = frame.eval;
  unsigned row = i / vectors, vector = i % vectors, inImage = hasNamedLines ? row % pixels : row;
  Value image = arguments.sums;
  if (hasNamedLines)
    image = frame.at(image, element, eval.mul(eval.i64(row / pixels), arguments.imageSumDistance));
  if (!hasSumPlaces())
    return frame.at(image, element, inImage * sumDistance + inSums.placeOf(vector, lanes));
  Value first = frame.at(image, element, eval.mul(eval.i64(vector / inSums.vectors), arguments.sumPlaces));
  return frame.at(first, element, inImage * sumDistance + vector % inSums.vectors * int64_t(lanes));
}

void TileSums::storeSums(CodeFrame &frame, const Arguments &arguments, ValueRange totals) const {
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  auto finish = [&](bool addsToMemory) {
    for (auto [i, total] : llvm::enumerate(totals)) {
      Value sum = total, to = sumAt(frame, arguments, i);
      if (addsToMemory) {
        Value before = LLVM::LoadOp::create(frame.b, frame.loc, frame.eval.vectorOf(element), to, bytes);
        sum = arith::AddFOp::create(frame.b, frame.loc, before, total);
      }
      LLVM::StoreOp::create(frame.b, frame.loc, sum, to, bytes);
    }
  };
  if (mayAdd)
    frame.choose(arguments.adds, [&] { finish(/*addsToMemory=*/true); }, [&] { finish(/*addsToMemory=*/false); });
  else
    finish(/*addsToMemory=*/false);
}

void TileSums::emit(CodeFrame &frame, const Arguments &given) const {
  PointEvaluator &eval = frame.eval;
  eval.lanes = lanes;
  Arguments arguments = given;
  if (hasRowTable())
    for (unsigned row = 1; row < images * pixels; ++row)
      arguments.rows.push_back(
          frame.loadOne(frame.at(arguments.rowTable, frame.b.getI64Type(), int64_t(row) - 1), frame.b.getI64Type()));
  WordTable words(frame, arguments.runs);
  CodeFrame::Carry totals(images * pixels * vectors, eval.splat(eval.constant(element, 0)));
  if (continues)
    for (auto [i, total] : llvm::enumerate(totals))
      total = LLVM::LoadOp::create(frame.b, frame.loc, eval.vectorOf(element), sumAt(frame, arguments, i),
                                   element.getIntOrFloatBitWidth() / 8);
  auto word = [&](Value index, int64_t offset) -> Value {
    if (!hasWideRuns)
      return words(index, offset);
    Type wide = frame.b.getI64Type();
    return frame.loadOne(frame.at(frame.at(arguments.runs, wide, index), wide, offset), wide);
  };
  Value pitch = hasPitch() ? arguments.pitch : eval.i64(filterPitch);
  totals = frame.loop(eval.i64(0), arguments.count, totals, [&](Value run, ValueRange carried) {
    Value at = eval.mul(run, eval.i64(3));
    Value x = frame.at(arguments.input, element, word(at, 0));
    Value w = frame.at(arguments.filter, element, eval.mul(word(at, 1), pitch));
    std::array<Walk, 2> walks{Walk{x, element, eval.i64(1)}, Walk{w, element, pitch}};
    return forProducts(frame, word(at, 2), steps(), walks, carried, [&](ArrayRef<Value> places, ValueRange inner) {
      if (fetchesAhead)
        fetchLines(frame, frame.at(places[1], element, arguments.ahead), element, vectors * int64_t(lanes),
                   FetchInto::SecondCache);
      return step(frame, places[0], arguments, places[1], inner);
    });
  });
  storeSums(frame, arguments, totals);
}

/// Returns the address of a row's input, or of its first one, given that of the first row.
Value TileSums::inputsOf(CodeFrame &frame, Value x, const Arguments &arguments, unsigned row) const {
  unsigned image = row / pixels, pixel = row % pixels;
  if (hasRowTable())
    return row ? frame.at(x, element, arguments.rows[row - 1]) : x;
  if (!hasNamedLines)
    return frame.at(x, element, image * imageDistance + pixel * pixelDistance);
  Value first = frame.at(x, element, frame.eval.mul(frame.eval.i64(image), arguments.imageDistance));
  return frame.at(first, element, pixel * pixelDistance);
}

/// Adds an outer product: one input element per row times one row of the filter. Depthwise, each column has its own input. What
/// there is less of, rows or vectors, is in registers before the first multiply-add; the others are loaded one by one.
CodeFrame::Carry TileSums::step(CodeFrame &frame, Value x, const Arguments &arguments, Value w, ValueRange totals) const {
  TileShape tile{images * pixels, vectors, lanes};
  auto load = [&](Value from, unsigned vector) {
    VectorScope scope(frame, tile, {Value(), vectors, lastLanes}, vector);
    return frame.loadLanes(from, element);
  };
  auto column = [&](unsigned v) { return load(frame.at(w, element, inFilter.placeOf(v, lanes)), v); };
  auto inputs = [&](unsigned row) { return inputsOf(frame, x, arguments, row); };
  auto factorOf = [&](unsigned row) { return frame.eval.splat(frame.loadOne(inputs(row), element)); };
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
      Value own = isDepthwise ? inputs(row) : Value(), factor = isDepthwise ? Value() : factorOf(row);
      for (unsigned v = 0; v < vectors; ++v)
        add(row, v, isDepthwise ? load(frame.at(own, element, v * lanes), v) : factor, columns[v]);
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
