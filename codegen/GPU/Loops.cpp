// Kernels of nests: a thread evaluates points of the results. Neighbouring threads have neighbouring elements, so that a warp
// reads and writes whole lines of memory.
#include "codegen/CPU/Reduction.h"
#include "codegen/GPU/Forms.h"
#include "codegen/GPU/GroupReduction.h"
#include "codegen/GPU/ThreadFrame.h"
#include "codegen/GPU/Vectors.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;
using cpu::Index;
using Accumulators = cpu::Reduction::Accumulators;

namespace {
class LoopsEmitter {
public:
  LoopsEmitter(KernelOp kernel, cpu::KernelLoops kernelLoops, const FunctionPlace &place)
      : loops(std::move(kernelLoops)), thread(place.target.thread()), group(chooseGroup()),
        lanes(loops.reduction ? 1 : vectorLanes(kernel, loops.extents)), b(kernel.getContext()),
        words(wordsOf(kernel, loops.symbols)), threads(threadsOf(group)),
        frame(kernel, loops.symbols, makeFunction(kernel, place.module, place.name, words, threads), threads, thread, b) {}

  KernelCode emit();

private:
  ArrayRef<Dim> parallel() const { return ArrayRef(loops.extents).take_front(loops.parallel); }
  ArrayRef<Dim> reduced() const { return ArrayRef(loops.extents).drop_front(loops.parallel); }
  bool reducesNeighbours() const;
  Group chooseGroup() const;
  static unsigned threadsOf(Group group) { return group.rows == 1 ? kPointThreads : group.columns * group.rows; }
  unsigned pointsPerBlock() const { return threads / group.rows; }
  Accumulators reduce(const cpu::Reduction &reduction, ArrayRef<Index> point);
  SmallVector<Index> pointsOf(Value number);
  void store(ArrayRef<Index> point);

  static constexpr unsigned kPointThreads = 128; // of a block where every thread has points of its own

  cpu::KernelLoops loops;
  cpu::Target thread;
  Group group;
  unsigned lanes; // neighbours that a thread has at once
  OpBuilder b;
  unsigned words, threads;
  ThreadFrame frame;
};

/// Whether neighbours in memory lie along the reduction rather than along results.
bool LoopsEmitter::reducesNeighbours() const {
  unsigned along = 0, across = 0, dims = loops.extents.size(), last = dims - 1;
  for (const cpu::LeafAccess &leaf : cpu::collectLeafAccesses(loops)) {
    if (!leaf.inReduction)
      continue;
    along += cpu::strideByPosition(leaf, last, dims, loops.symbols.size()) == 1;
    for (unsigned dim = 0; dim < loops.parallel; ++dim)
      across += cpu::strideByPosition(leaf, dim, dims, loops.symbols.size()) == 1;
  }
  return along > across || loops.parallel == 0;
}

/// From the kernel's structure, and from sizes that are known: never from those of a call.
Group LoopsEmitter::chooseGroup() const {
  constexpr int64_t kEnoughThreads = 1 << 15, kShort = 64, kLong = 2048;
  if (!loops.reduction || reduced().empty())
    return {};
  Dim points = ThreadFrame::product(parallel()), length = ThreadFrame::product(reduced());
  if (length.isStatic() && length.constant() <= 4)
    return {};
  if (reducesNeighbours()) {
    if (length.isStatic() && length.constant() <= kShort)
      return {1, kWarp};
    return {1, length.isStatic() && length.constant() >= kLong ? 256u : 64u};
  }
  if (points.isStatic() && points.constant() >= kEnoughThreads)
    return {};
  return {kWarp, 8};
}

/// The thread's part of a reduction: every `rows`-th element from its own on.
Accumulators LoopsEmitter::reduce(const cpu::Reduction &reduction, ArrayRef<Index> point) {
  cpu::PointEvaluator &eval = frame.eval;
  Value row = group.rows == 1 ? eval.i64(0) : frame.divide(frame.thread, group.columns);
  if (group.columns == 1 && group.rows > 1)
    row = frame.remainder(frame.thread, group.rows);
  Value length = eval.extent(ThreadFrame::product(reduced()));
  auto loop = scf::ForOp::create(b, frame.loc, row, length, eval.i64(group.rows), reduction.neutral());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    eval.nextPlace();
    SmallVector<Index> place(point);
    llvm::append_range(place, frame.indicesOf(loop.getInductionVar(), reduced()));
    scf::YieldOp::create(b, frame.loc, reduction.step(Accumulators(loop.getRegionIterArgs()), place, {}));
  }
  eval.nextPlace();
  return Accumulators(loop.getResults());
}

/// The place of a vector of neighbours.
SmallVector<Index> LoopsEmitter::pointsOf(Value number) {
  Dims vectors(parallel().begin(), parallel().end());
  if (lanes > 1)
    vectors.back() = Dim(vectors.back().constant() / lanes);
  SmallVector<Index> place = frame.indicesOf(number, vectors);
  if (lanes > 1) {
    place.back() = {frame.eval.mul(place.back().base, frame.eval.i64(lanes)), 1, {}};
    frame.eval.lanes = lanes;
    frame.eval.alignsVectors = true;
  }
  return place;
}

void LoopsEmitter::store(ArrayRef<Index> point) {
  SmallVector<Value> values;
  for (Value root : loops.roots)
    values.push_back(frame.eval.tensor(root, point)); // all before the first store: an output may be the buffer of an input
  for (auto [root, value, buffer] : llvm::zip_equal(loops.roots, values, frame.outputs))
    frame.eval.store(value, buffer, cast<RankedTensorType>(root.getType()), point);
}

KernelCode LoopsEmitter::emit() {
  cpu::PointEvaluator &eval = frame.eval;
  // Threads of one column share a point: of one column they are neighbours, else they are `columns` apart.
  Value inBlock = group.columns > 1 ? frame.remainder(frame.thread, group.columns) : frame.divide(frame.thread, group.rows);
  if (group.rows == 1)
    inBlock = frame.thread;
  Value number = eval.add(eval.mul(frame.block, eval.i64(pointsPerBlock())), inBlock);
  Dim points = lanes > 1 ? *ThreadFrame::product(parallel()).dividedBy(lanes) : ThreadFrame::product(parallel());
  Value count = eval.extent(points);
  Value inside = frame.isBelow(number, count);
  if (!loops.reduction) {
    frame.when(inside, [&] { store(pointsOf(number)); });
  } else if (group.rows == 1) {
    frame.when(inside, [&] {
      SmallVector<Index> point = frame.indicesOf(number, parallel());
      cpu::Reduction reduction(loops.reduction, eval);
      Accumulators values = reduce(reduction, point);
      eval.nextPoint();
      eval.reduced[loops.reduction.getResult()] = reduction.result(values);
      store(point);
    });
  } else { // all threads meet: one past the end does the last point's work, and stores nothing
    Value last = eval.sub(count, eval.i64(1));
    SmallVector<Index> point = frame.indicesOf(eval.min(number, last), parallel());
    cpu::Reduction reduction(loops.reduction, eval);
    Accumulators values = combineGroup(frame, reduction, reduce(reduction, point), group);
    Value row = group.columns > 1 ? frame.divide(frame.thread, group.columns) : frame.remainder(frame.thread, group.rows);
    Value isFirst = arith::CmpIOp::create(b, frame.loc, arith::CmpIPredicate::eq, row, eval.i64(0));
    frame.when(arith::AndIOp::create(b, frame.loc, inside, isFirst), [&] {
      eval.nextPoint();
      eval.reduced[loops.reduction.getResult()] = reduction.result(values);
      store(point);
    });
  }
  frame.close();
  KernelCode code;
  code.function = frame.function;
  code.symbols = loops.symbols;
  code.words = words;
  code.threads = threads;
  code.extent = points;
  code.unit = pointsPerBlock();
  code.form = lanes > 1         ? "a thread for each " + std::to_string(lanes) + " neighbours"
              : group.rows == 1 ? "a thread for each point"
                                : std::to_string(group.rows) + " threads for each result";
  return code;
}
} // namespace

KernelCode lathe::gpu::emitLoops(KernelOp kernel, cpu::KernelLoops loops, const FunctionPlace &place) {
  return LoopsEmitter(kernel, std::move(loops), place).emit();
}
