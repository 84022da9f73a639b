#include "codegen/CPU/Convolution/TileFunction.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

std::string TileSums::name() const {
  return llvm::formatv("conv_tile_{0}_{1}x{2}_every{3}and{4}_{5}x{6}to{7}of{8}_{9}{10}", nameOf(*elementOf(element)), images,
                       pixels, imageDistance, pixelDistance, vectors, lanes, lastLanes, filterPitch, continues ? "on" : "by",
                       sumDistance);
}

LLVM::LLVMFuncOp TileSums::function(KernelFrame &frame) const {
  OpBuilder &b = frame.b;
  auto module = frame.function->getParentOfType<ModuleOp>();
  std::string symbol = name();
  if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(frame.function);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, pointer, pointer, b.getI64Type(), pointer});
  auto function = LLVM::LLVMFuncOp::create(b, frame.loc, symbol, type, LLVM::Linkage::Internal);
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  CodeFrame inside(b, frame.loc, frame.target);
  emit(inside, entry);
  return function;
}

void TileSums::emit(CodeFrame &frame, Block *entry) const {
  PointEvaluator &eval = frame.eval;
  eval.lanes = lanes;
  WordTable words(frame, entry->getArgument(2));
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  auto place = [&](unsigned i) {
    return frame.at(entry->getArgument(4), element, i / vectors * sumDistance + i % vectors * lanes);
  };
  CodeFrame::Carry totals(images * pixels * vectors, eval.splat(eval.constant(element, 0)));
  if (continues)
    for (auto [i, total] : llvm::enumerate(totals))
      total = LLVM::LoadOp::create(frame.b, frame.loc, eval.vectorOf(element), place(i), bytes);
  totals = frame.loop(eval.i64(0), entry->getArgument(3), totals, [&](Value run, ValueRange carried) {
    Value at = eval.mul(run, eval.i64(3));
    Value x = frame.at(entry->getArgument(0), element, words(at, 0));
    Value w = frame.at(entry->getArgument(1), element, words(at, 1));
    return frame.loop(eval.i64(0), words(at, 2), carried, [&](Value c, ValueRange inner) {
      return step(frame, frame.at(x, element, c), frame.at(w, element, eval.mul(c, eval.i64(filterPitch))), inner);
    });
  });
  for (auto [i, total] : llvm::enumerate(totals))
    LLVM::StoreOp::create(frame.b, frame.loc, total, place(i), bytes);
  frame.close();
}

/// One element of the input for each row with its row of the filter: an outer product.
CodeFrame::Carry TileSums::step(CodeFrame &frame, Value x, Value w, ValueRange totals) const {
  TileShape tile{images * pixels, vectors, lanes};
  SmallVector<Value> columns;
  for (unsigned v = 0; v < vectors; ++v) {
    VectorScope scope(frame, tile, {Value(), vectors, lastLanes}, v);
    columns.push_back(frame.loadLanes(frame.at(w, element, v * lanes), element));
  }
  CodeFrame::Carry next;
  for (unsigned row = 0; row < tile.rows; ++row) {
    int64_t offset = row / pixels * imageDistance + row % pixels * pixelDistance;
    Value factor = frame.eval.splat(frame.loadOne(frame.at(x, element, offset), element));
    for (unsigned v = 0; v < vectors; ++v)
      next.push_back(frame.multiplyAdd(factor, columns[v], totals[row * vectors + v]));
  }
  return next;
}
