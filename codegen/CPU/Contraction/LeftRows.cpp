#include "codegen/CPU/Contraction/LeftRows.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

bool lathe::cpu::canPackLhs(const ContractionShape &shape) {
  return shape.outer.empty() && shape.rowStride.isStatic(1) && shape.depth.isStatic() && shape.lhsDepthStride.isStatic() &&
         shape.columns.isStatic();
}

int64_t lathe::cpu::pitchOfPackedLhs(const ContractionSchedule &schedule) {
  constexpr int64_t kLine = 16; // elements of four bytes
  return llvm::alignTo(schedule.blockTiles * int64_t(schedule.tile.rows), kLine);
}

LeftRows LeftRows::inPlace(KernelFrame &frame, Value lhs, const ContractionShape &shape) {
  return {lhs, frame.eval.i64(0), frame.eval.extent(shape.lhsDepthStride)};
}

LeftRows LeftRows::packed(KernelFrame &frame, Value lhs, Type element, const ContractionShape &shape, Value copy, int64_t pitch,
                          Value top, Value height, Value isWorthIt) {
  PointEvaluator &eval = frame.eval;
  LeftRows there = inPlace(frame, lhs, shape);
  auto copyRows = [&] {
    Value from = frame.at(lhs, element, top), bytes = eval.mul(height, eval.i64(element.getIntOrFloatBitWidth() / 8));
    frame.loop(eval.i64(0), eval.extent(shape.depth), 1, [&](Value product) {
      LLVM::MemcpyOp::create(frame.b, frame.loc, frame.at(copy, element, eval.mul(product, eval.i64(pitch))),
                             frame.at(from, element, eval.mul(product, there.depthStride)), bytes, /*isVolatile=*/false);
    });
  };
  frame.choose(isWorthIt, copyRows, [] {});
  auto select = [&](Value here, Value otherwise) {
    return arith::SelectOp::create(frame.b, frame.loc, isWorthIt, here, otherwise);
  };
  return {select(copy, there.data), select(top, there.first), select(eval.i64(pitch), there.depthStride)};
}
