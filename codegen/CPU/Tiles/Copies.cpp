#include "codegen/CPU/Tiles/Copies.h"
#include "codegen/CPU/Tiles/Steps.h"
#include "codegen/CPU/Tuning.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

void lathe::cpu::fetchLines(CodeFrame &frame, Value from, Type element, int64_t count, FetchInto into) {
  constexpr int kData = 1; // as LLVM numbers it
  int64_t inLine = VectorTarget::kCacheLineBytes * 8 / element.getIntOrFloatBitWidth();
  for (int64_t i = 0; i < count; i += inLine)
    LLVM::Prefetch::create(frame.b, frame.loc, frame.at(from, element, i), /*rw=*/0, int(into), kData);
}

/// The bytes before the first line boundary are stored as one vector, and their number is skipped: a Zen 3 or 4 needs 10 to 20
/// times as long where the destination is within a line.
void lathe::cpu::moveString(CodeFrame &frame, Value from, Value to, Value bytes) {
  OpBuilder &b = frame.b;
  PointEvaluator &eval = frame.eval;
  Value line = eval.i64(VectorTarget::kCacheLineBytes);
  Type byte = b.getI8Type(), vector = VectorType::get(VectorTarget::kCacheLineBytes, byte);
  Value hasLine = LLVM::ICmpOp::create(b, frame.loc, LLVM::ICmpPredicate::sge, bytes, line);
  frame.when(hasLine, [&] { LLVM::StoreOp::create(b, frame.loc, LLVM::LoadOp::create(b, frame.loc, vector, from, 1), to, 1); });
  Value address = LLVM::PtrToIntOp::create(b, frame.loc, b.getI64Type(), to);
  Value before = LLVM::AndOp::create(b, frame.loc, eval.sub(eval.i64(0), address), eval.sub(line, eval.i64(1)));
  Value skipped = LLVM::SelectOp::create(b, frame.loc, hasLine, before, eval.i64(0));
  SmallVector<Value> arguments{frame.at(to, byte, skipped), frame.at(from, byte, skipped), eval.sub(bytes, skipped)};
  SmallVector<Type> types = llvm::map_to_vector(arguments, [](Value value) { return value.getType(); });
  auto results = LLVM::LLVMStructType::getLiteral(b.getContext(), types); // the registers that the instruction changes
  LLVM::InlineAsmOp::create(b, frame.loc, TypeRange(results), arguments, "rep movsb",
                            "={di},={si},={cx},0,1,2,~{memory},~{dirflag},~{fpsr},~{flags}", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
                            ArrayAttr());
}

/// The body of the function that packRows calls.
static void emitPackRows(CodeFrame &frame, const TileShape &tile, const TileColumns &columns, Type element, int64_t packedPitch,
                         Value from, Value pitch, Value count, Value to) {
  PointEvaluator &eval = frame.eval;
  Value distance = eval.mul(pitch, eval.i64(tuning::kFetchedAhead));
  std::array<Walk, 2> walks{Walk{from, element, pitch}, Walk{to, element, eval.i64(packedPitch)}};
  ProductSteps steps{unsigned(tuning::kProductsAtOnce)};
  forProducts(frame, count, steps, walks, {}, [&](ArrayRef<Value> at, ValueRange) {
    Value ahead = frame.at(at[0], element, distance);
    fetchLines(frame, ahead, element, columns.vectors * int64_t(tile.lanes), FetchInto::AllCaches);
    for (unsigned v = 0; v < columns.vectors; ++v) {
      VectorScope scope(frame, tile, columns, v);
      Value lanes = frame.loadLanes(frame.at(at[0], element, v * tile.lanes), element);
      eval.tail = {};
      frame.storeLanes(lanes, frame.at(at[1], element, v * tile.lanes));
    }
    return CodeFrame::Carry();
  });
}

void lathe::cpu::packRows(KernelFrame &frame, const TileShape &tile, const TileColumns &columns, Type element, Value from,
                          int64_t pitch, Value count, Value to, int64_t packedPitch) {
  std::string symbol = llvm::formatv("pack_rows_{0}_{1}x{2}to{3}_by{4}", nameOf(*elementOf(element)), columns.vectors,
                                     tile.lanes, columns.lastLanes, packedPitch);
  SmallVector<Value> operands{from, frame.eval.i64(pitch), count, to};
  SmallVector<Type> types = llvm::map_to_vector(operands, [](Value value) { return value.getType(); });
  auto function = sharedFunction(frame, symbol, types, [&](CodeFrame &inside, ArrayRef<Value> given) {
    emitPackRows(inside, tile, columns, element, packedPitch, given[0], given[1], given[2], given[3]);
  });
  LLVM::CallOp::create(frame.b, frame.loc, function, operands);
}
