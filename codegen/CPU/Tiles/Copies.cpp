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
