// The layout of a block's shared memory, in this order:
//
//   per stage:             a k-slice of left, then of right
//   kConverted times:      a converted k-slice of right, if there are any
//   per warp of consumers: a buffer for a part of its sums
//   per stage:             the mbarrier of a full stage; then, per stage, that of an empty one
#include "codegen/GPU/Hopper/Ring.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

void Ring::place() {
  Value memory = frame.dynamicShared();
  shared = LLVM::PtrToIntOp::create(b, frame.loc, b.getI32Type(), memory);
}

void Ring::makeBarriers(Instructions &instructions, unsigned readers) {
  for (unsigned stage = 0; stage < stages; ++stage) {
    instructions.makeBarrier(barrierAt(number(stage), false), 1);
    instructions.makeBarrier(barrierAt(number(stage), true), readers);
  }
  instructions.publishBarriers();
}

Value Ring::convertedAt(Value iteration) {
  Value buffer = frame.remainder(iteration, number(kConverted));
  return eval.add(number(convertedOffset()), eval.mul(buffer, number(form.convertedBytes())));
}

Value Ring::pointerTo(Value offset) { return frame.at(frame.dynamicShared(), b.getI8Type(), frame.widen(offset)); }

Value Ring::barrierAt(Value stage, bool isEmpty) {
  unsigned first = barrierOffset() + (isEmpty ? stages * kBarrierBytes : 0);
  return sharedAt(eval.add(eval.mul(stage, number(kBarrierBytes)), number(first)));
}
