#include "codegen/CPU/Convolution/TileFunction.h"
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
         (hasWideRuns ? "_wide" : "");
}

LLVM::LLVMFuncOp TileSums::function(KernelFrame &frame) const {
  Type pointer = LLVM::LLVMPointerType::get(frame.b.getContext());
  return sharedFunction(frame, name(), {pointer, pointer, pointer, frame.b.getI64Type(), pointer},
                        [&](CodeFrame &inside, ArrayRef<Value> arguments) { emit(inside, arguments); });
}

void TileSums::emit(CodeFrame &frame, ArrayRef<Value> arguments) const {
  PointEvaluator &eval = frame.eval;
  eval.lanes = lanes;
  WordTable words(frame, arguments[2]);
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  auto place = [&](unsigned i) { return frame.at(arguments[4], element, i / vectors * sumDistance + i % vectors * lanes); };
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
    Value w = frame.at(arguments[1], element, word(at, 1));
    return frame.loop(eval.i64(0), word(at, 2), carried, [&](Value c, ValueRange inner) {
      return step(frame, frame.at(x, element, c), frame.at(w, element, eval.mul(c, eval.i64(filterPitch))), inner);
    });
  });
  for (auto [i, total] : llvm::enumerate(totals)) {
    if (adds) {
      Value before = LLVM::LoadOp::create(frame.b, frame.loc, eval.vectorOf(element), place(i), bytes);
      total = arith::AddFOp::create(frame.b, frame.loc, before, total);
    }
    LLVM::StoreOp::create(frame.b, frame.loc, total, place(i), bytes);
  }
}

/// Adds an outer product: one input element per row times one row of the filter. Depthwise, each column has its own input.
CodeFrame::Carry TileSums::step(CodeFrame &frame, Value x, Value w, ValueRange totals) const {
  TileShape tile{images * pixels, vectors, lanes};
  SmallVector<Value> columns;
  for (unsigned v = 0; v < vectors; ++v) {
    VectorScope scope(frame, tile, {Value(), vectors, lastLanes}, v);
    columns.push_back(frame.loadLanes(frame.at(w, element, v * lanes), element));
  }
  CodeFrame::Carry next;
  for (unsigned row = 0; row < tile.rows; ++row) {
    Value inputs = frame.at(x, element, row / pixels * imageDistance + row % pixels * pixelDistance);
    Value factor = isDepthwise ? Value() : frame.eval.splat(frame.loadOne(inputs, element));
    for (unsigned v = 0; v < vectors; ++v) {
      if (isDepthwise) {
        VectorScope scope(frame, tile, {Value(), vectors, lastLanes}, v);
        factor = frame.loadLanes(frame.at(inputs, element, v * lanes), element);
      }
      next.push_back(frame.multiplyAdd(factor, columns[v], totals[row * vectors + v]));
    }
  }
  return next;
}
