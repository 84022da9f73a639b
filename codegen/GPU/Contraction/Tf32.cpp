#include "codegen/GPU/Contraction/Tf32.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Values = SmallVector<Value>;

static Value single(ThreadFrame &frame, Value word) {
  return arith::BitcastOp::create(frame.b, frame.loc, frame.b.getF32Type(), word);
}

static Value bitsOf(ThreadFrame &frame, Value value) {
  return arith::BitcastOp::create(frame.b, frame.loc, frame.b.getI32Type(), value);
}

/// Rounds w as w * 8193 - w * 8192, where the rounding of the first product keeps the bits of TF32. The largest numbers become
/// infinite. An addition to the bits would turn the largest NaN, which instructions produce, into zero.
Values lathe::gpu::nearestTf32(ThreadFrame &frame, ArrayRef<Value> words) {
  OpBuilder &b = frame.b;
  Type f32 = b.getF32Type();
  Values nearest;
  for (Value word : words) {
    Value value = single(frame, word), raised = arith::MulFOp::create(b, frame.loc, value, frame.eval.constant(f32, 8193));
    nearest.push_back(bitsOf(frame, LLVM::FMAOp::create(b, frame.loc, f32, value, frame.eval.constant(f32, -8192), raised)));
  }
  return nearest;
}

Values lathe::gpu::splitTf32(ThreadFrame &frame, ArrayRef<Value> words) {
  OpBuilder &b = frame.b;
  Values high, low;
  for (Value word : words) {
    Value raised = arith::AddIOp::create(b, frame.loc, word, frame.number(0x1000));
    Value first = arith::AndIOp::create(b, frame.loc, raised, frame.number(int32_t(0xFFFFE000)));
    Value rest = arith::SubFOp::create(b, frame.loc, single(frame, word), single(frame, first));
    high.push_back(first);
    low.push_back(bitsOf(frame, rest));
  }
  llvm::append_range(high, low);
  return high;
}
