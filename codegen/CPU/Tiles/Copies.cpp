#include "codegen/CPU/Tiles/Copies.h"
#include "codegen/CPU/Tiles/Steps.h"
#include "codegen/CPU/Tuning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

void lathe::cpu::fetchLines(CodeFrame &frame, Value from, Type element, int64_t count, FetchInto into) {
  constexpr int kData = 1; // as LLVM numbers it
  int64_t inLine = VectorTarget::kCacheLineBytes * 8 / element.getIntOrFloatBitWidth();
  for (int64_t i = 0; i < count; i += inLine)
    LLVM::Prefetch::create(frame.b, frame.loc, frame.at(from, element, i), /*rw=*/0, int(into), kData);
}

void lathe::cpu::packRows(CodeFrame &frame, const TileShape &tile, const TileColumns &columns, Type element, Value from,
                          int64_t pitch, Value count, Value to, int64_t packedPitch) {
  PointEvaluator &eval = frame.eval;
  std::array<Walk, 2> walks{Walk{from, element, eval.i64(pitch)}, Walk{to, element, eval.i64(packedPitch)}};
  ProductSteps steps{unsigned(tuning::kProductsAtOnce)};
  forProducts(frame, count, steps, walks, {}, [&](ArrayRef<Value> at, ValueRange) {
    Value ahead = frame.at(at[0], element, tuning::kFetchedAhead * pitch);
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
