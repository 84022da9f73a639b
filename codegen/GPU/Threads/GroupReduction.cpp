// The code of a reduction across threads, by their arrangement:
//
//   a column of at most a warp:  butterfly of shuffles
//   a column of more:            the same per warp; warps store their totals; every thread merges all totals in order
//   several columns:             a tree in shared memory: row i takes in row i + n / 2, for n = rows, rows / 2, ..., 2
#include "codegen/GPU/Threads/GroupReduction.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using Accumulators = Reduction::Accumulators;

/// Combines adjacent threads of a warp by a butterfly of shuffles. Both partners combine the same two values, so all threads
/// get the same bits.
static Accumulators acrossWarp(ThreadFrame &frame, const Reduction &reduction, Accumulators values, unsigned threads) {
  for (unsigned mask = threads / 2; mask > 0; mask /= 2) {
    Accumulators others;
    for (Value value : values)
      others.push_back(frame.exchange(value, mask));
    values = reduction.merge(values, others);
  }
  return values;
}

namespace {
/// Accumulators of several threads in shared memory, where an i1 takes a byte.
class SharedValues {
public:
  SharedValues(ThreadFrame &frame, const Accumulators &like, unsigned count) : frame(frame) {
    for (auto [i, value] : llvm::enumerate(like)) {
      types.push_back(value.getType());
      std::string name = "partial" + std::to_string(i) + "_" + std::to_string(stored(value.getType()).getIntOrFloatBitWidth()) +
                         (isa<FloatType>(value.getType()) ? "f" : "");
      memory.push_back(frame.shared(name, stored(value.getType()), count));
    }
  }

  void store(const Accumulators &values, Value place) {
    for (auto [value, type, from] : llvm::zip_equal(values, types, memory)) {
      Value bits = type == stored(type) ? value : arith::ExtUIOp::create(frame.b, frame.loc, stored(type), value).getResult();
      frame.storeOne(bits, frame.at(from, stored(type), place));
    }
  }

  Accumulators load(Value place) {
    Accumulators values;
    for (auto [type, from] : llvm::zip_equal(types, memory)) {
      Value bits = frame.loadOne(frame.at(from, stored(type), place), stored(type));
      values.push_back(type == stored(type) ? bits : arith::TruncIOp::create(frame.b, frame.loc, type, bits).getResult());
    }
    return values;
  }

private:
  Type stored(Type type) { return type.isInteger(1) ? frame.b.getI8Type() : type; }

  ThreadFrame &frame;
  SmallVector<Type> types;
  SmallVector<Value> memory;
};
} // namespace

/// Combines whole warps: each warp stores its total to shared memory, and every thread combines the totals in order.
static Accumulators acrossBlock(ThreadFrame &frame, const Reduction &reduction, Accumulators values, unsigned threads) {
  PointEvaluator &eval = frame.eval;
  values = acrossWarp(frame, reduction, values, kWarp);
  unsigned warps = threads / kWarp;
  SharedValues partials(frame, values, warps);
  Value isFirst =
      arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::eq, frame.remainder(frame.thread, kWarp), eval.i64(0));
  frame.barrier(); // all threads have read the previous contents
  frame.when(isFirst, [&] { partials.store(values, frame.divide(frame.thread, kWarp)); });
  frame.barrier();
  Accumulators total = partials.load(eval.i64(0));
  for (unsigned warp = 1; warp < warps; ++warp)
    total = reduction.merge(total, partials.load(eval.i64(warp)));
  return total;
}

/// Combines rows by a tree in shared memory: while n rows are left, row i takes in row i + n / 2.
static Accumulators acrossRows(ThreadFrame &frame, const Reduction &reduction, Accumulators values, Group group) {
  PointEvaluator &eval = frame.eval;
  SharedValues partials(frame, values, group.columns * group.rows);
  frame.barrier();
  partials.store(values, frame.thread);
  for (unsigned rows = group.rows / 2; rows > 0; rows /= 2) {
    frame.barrier();
    frame.when(frame.isBelow(frame.thread, eval.i64(rows * group.columns)), [&] {
      Value other = eval.add(frame.thread, eval.i64(rows * group.columns));
      partials.store(reduction.merge(partials.load(frame.thread), partials.load(other)), frame.thread);
    });
  }
  frame.barrier();
  return partials.load(frame.remainder(frame.thread, group.columns));
}

Accumulators lathe::gpu::combineGroup(ThreadFrame &frame, const Reduction &reduction, Accumulators values, Group group) {
  if (group.rows == 1)
    return values;
  if (group.columns > 1)
    return acrossRows(frame, reduction, values, group);
  if (group.rows <= kWarp)
    return acrossWarp(frame, reduction, values, group.rows);
  return acrossBlock(frame, reduction, values, group.rows);
}
