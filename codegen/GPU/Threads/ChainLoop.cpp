#include "codegen/GPU/Threads/ChainLoop.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Carry = CodeFrame::Carry;

/// Steps of a chain, and chains of a group. Up to kFewChains times as many stay together, because another level costs more than
/// it gains.
static constexpr int64_t kChainSteps = 32, kFewChains = 2;

namespace {
struct ChainLoop {
  ThreadFrame &frame;
  int64_t step;
  const Carry &neutral;
  ArrayRef<bool> isSum;
  function_ref<Carry(Value, const Carry &)> body;

  Carry loop(Value low, Value high, int64_t by, const Carry &init, function_ref<Carry(Value, const Carry &)> inside) {
    return frame.loop(low, high, by, init, [&](Value first, ValueRange carried) { return inside(first, Carry(carried)); });
  }

  /// Emits the loop over segments of 32^level steps. The sum of each segment is added to the total; other accumulators are
  /// carried through.
  Carry run(unsigned level, Value low, Value high, const Carry &init) {
    if (level == 0)
      return loop(low, high, step, init, body);
    int64_t length = step;
    for (unsigned i = 0; i < level; ++i)
      length *= kChainSteps;
    return loop(low, high, length, init, [&](Value first, const Carry &before) {
      Carry start(before);
      for (auto [value, none, isOne] : llvm::zip_equal(start, neutral, isSum))
        value = isOne ? none : value;
      Value end = frame.eval.min(frame.eval.add(first, frame.eval.i64(length)), high);
      Carry next = run(level - 1, first, end, start);
      for (auto [value, total, isOne] : llvm::zip_equal(next, before, isSum))
        if (isOne)
          value = arith::AddFOp::create(frame.b, frame.loc, total, value);
      return next;
    });
  }
};
} // namespace

Carry lathe::gpu::loopInChains(ThreadFrame &frame, Value low, Value high, int64_t step, std::optional<int64_t> most,
                               const Carry &neutral, ArrayRef<bool> isSum, function_ref<Carry(Value, const Carry &)> body) {
  unsigned levels = 2;
  if (!llvm::is_contained(isSum, true) || (most && *most <= kFewChains * kChainSteps))
    levels = 0;
  else if (most && *most <= kFewChains * kChainSteps * kChainSteps)
    levels = 1;
  return ChainLoop{frame, step, neutral, isSum, body}.run(levels, low, high, neutral);
}
