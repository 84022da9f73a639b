// The code of a kernel over items:
//
//   for `lanes` items                                       // threads share items
//     for each element of an item that a result has         // unrolled, each value of the kernel's ops once
//       value = vector of this element of all these items   // a reduction within items in the order of its lanes, see reduce()
//     store all results                                     // turned, so that elements of an item are contiguous
//   for the remaining items, one by one: the same with scalars
#include "codegen/CPU/Items/Items.h"
#include "codegen/CPU/Items/ItemRows.h"
#include "codegen/CPU/Sums/SumLanes.h"
#include "codegen/CPU/Tiles/Frame.h"
#include "codegen/CPU/Tuning.h"
#include "codegen/Points/Reduction.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Returns the number of elements of static extents.
static int64_t sizeOf(ArrayRef<Dim> extents) {
  int64_t size = 1;
  for (const Dim &extent : extents)
    size *= extent.constant();
  return size;
}

/// Returns the indices of the `linear`-th element in row-major order.
static SmallVector<int64_t> indicesOf(int64_t linear, ArrayRef<Dim> extents) {
  SmallVector<int64_t> indices(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    indices[i] = linear % extents[i].constant();
    linear /= extents[i].constant();
  }
  return indices;
}

/// True if a nest reads an input whose elements are contiguous along its last dimension.
static bool readsAlong(NestOp nest) {
  unsigned last = nest.getExtents().getDims().size() - 1;
  return llvm::any_of(nest.getAccesses().getAsRange<AccessAttr>(), [&](AccessAttr access) {
    AffineMap map = access.getMap().getValue();
    return map.getNumResults() > 0 && map.getResults().back() == getAffineDimExpr(last, nest.getContext());
  });
}

namespace {
class ItemEmitter {
public:
  ItemEmitter(KernelOp kernel, const ItemsSchedule &schedule, const FunctionPlace &at)
      : kernel(kernel), schedule(schedule),
        frame(kernel, resultsWithoutLoops(kernel, symbolsOf(kernel)), at.function, at.target, at.builder), eval(frame.eval) {
    eval.countsIndices = true;
    eval.reduce = [this](NestOp nest, ArrayRef<Index> place) { return reduce(nest, place); };
  }

  KernelCode emit();

private:
  void emitItems(Value first, unsigned lanes);
  void store(unsigned result, ArrayRef<Value> values, Value first, unsigned lanes);
  Value reduce(NestOp nest, ArrayRef<Index> place);
  Index number(int64_t value) { return eval.uniform(eval.i64(value)); }

  KernelOp kernel;
  const ItemsSchedule &schedule;
  KernelFrame frame;
  PointEvaluator &eval;
};
} // namespace

/// Reduces within items. Loops of other forms go along the lanes of vectors where elements are contiguous: element i then is
/// added to that before it in lane i modulo the lanes, and halves of the lanes are added up. Here each of those lanes is a
/// vector of items, so that a sum has the same bits.
Value ItemEmitter::reduce(NestOp nest, ArrayRef<Index> place) {
  llvm::SaveAndRestore<Location> line(eval.loc, nest.getLoc());
  const Dims all = dimsOf(nest.getExtents());
  ArrayRef<Dim> extents = ArrayRef<Dim>(all).drop_front(place.size());
  Reduction reduction(nest, eval);
  int64_t length = extents.back().constant(), lanes = 1;
  if (unsigned bytes = bytesOfOrderedSum(nest); bytes && readsAlong(nest))
    lanes = int64_t(frame.target.lanes(bytes)) * vectorsAlong(extents.back(), frame.target.lanes(bytes));
  while (lanes > 1 && lanes / 2 >= length) // those behind are neutral
    lanes /= 2;
  SmallVector<Reduction::Accumulators> totals(lanes, reduction.neutral());
  for (int64_t linear = 0, end = sizeOf(extents); linear < end; ++linear) {
    SmallVector<Index> point(place);
    for (int64_t index : indicesOf(linear, extents))
      point.push_back(number(index));
    Reduction::Accumulators &total = totals[linear % length % lanes];
    total = reduction.step(total, point, {});
  }
  for (int64_t half = lanes / 2; half >= 1; half /= 2)
    for (int64_t i = 0; i < half; ++i)
      totals[i] = reduction.merge(totals[i], totals[i + half]);
  return reduction.result(totals[0]);
}

/// Stores the elements of one result for `lanes` items, given those of each place in an item.
void ItemEmitter::store(unsigned result, ArrayRef<Value> values, Value first, unsigned lanes) {
  Value buffer = frame.output(result);
  auto type = cast<RankedTensorType>(frame.loops.roots[result].getType());
  const Dims extents = dimsOf(type);
  ArrayRef<Dim> inner = ArrayRef<Dim>(extents).drop_front();
  Type element = eval.registerType(type.getElementType());
  if (lanes > 1 && values.size() > 1 && !element.isInteger(1)) {
    SmallVector<Value> vectors;
    for (Value value : values)
      vectors.push_back(eval.splat(value));
    Value to = frame.at(buffer, element, eval.mul(first, eval.i64(values.size())));
    return storeItems(frame, vectors, to, lanes);
  }
  for (auto [linear, value] : llvm::enumerate(values)) {
    SmallVector<Index> place{{first, lanes > 1, {}}};
    for (int64_t index : indicesOf(linear, inner))
      place.push_back(number(index));
    eval.store(value, buffer, type, place);
  }
}

/// All values are computed before the first store, since a result may have the buffer of an input.
void ItemEmitter::emitItems(Value first, unsigned lanes) {
  eval.lanes = lanes;
  eval.nextPoint();
  SmallVector<SmallVector<Value>> results;
  for (Value root : frame.loops.roots) {
    const Dims extents = dimsOf(root);
    ArrayRef<Dim> inner = ArrayRef<Dim>(extents).drop_front();
    SmallVector<Value> &values = results.emplace_back();
    for (int64_t linear = 0, end = sizeOf(inner); linear < end; ++linear) {
      SmallVector<Index> place{{first, lanes > 1, {}}};
      for (int64_t index : indicesOf(linear, inner))
        place.push_back(number(index));
      values.push_back(eval.tensor(root, place));
    }
  }
  for (auto [result, values] : llvm::enumerate(results))
    store(result, values, first, lanes);
}

/// Returns the number of scalar ops for each item.
static int64_t opsPerItem(KernelOp kernel) {
  int64_t ops = 0;
  for (auto nest : kernel.getBody().getOps<NestOp>()) {
    const Dims extents = dimsOf(nest.getExtents());
    std::optional<Dim> each = extents.empty() ? std::nullopt : numElements(ArrayRef<Dim>(extents).drop_front());
    ops += each && each->isStatic() ? each->constant() : 0; // others are broadcasts
  }
  return ops;
}

/// A work item is `lanes` items, so that only the last one may have fewer.
KernelCode ItemEmitter::emit() {
  int64_t lanes = schedule.lanes;
  KernelCode code;
  code.function = frame.function;
  code.symbols = frame.loops.symbols;
  code.unit = lanes;
  const Dims extents = dimsOf(frame.loops.roots.front());
  code.extent = extents.front();
  code.work = code.extent * Dim(opsPerItem(kernel));

  Value begin = eval.mul(frame.begin, eval.i64(lanes)), last = eval.mul(frame.end, eval.i64(lanes));
  Value end = eval.min(last, eval.extent(code.extent));
  Value whole = lanes == 1 ? end : eval.sub(end, frame.remainder(eval.sub(end, begin), lanes));
  frame.loop(begin, whole, lanes, [&](Value first) { emitItems(first, lanes); });
  if (lanes > 1)
    frame.loop(whole, end, 1, [&](Value first) { emitItems(first, 1); });
  frame.close();
  return code;
}

/// Returns the bytes of the widest value that the kernel computes for an element.
static unsigned widestBytes(KernelOp kernel) {
  unsigned bytes = 1;
  auto count = [&](Type type) {
    if (type.isIntOrFloat())
      bytes = std::max(bytes, type.getIntOrFloatBitWidth() / 8);
  };
  for (Value argument : kernel.getBody().getArguments())
    count(cast<RankedTensorType>(argument.getType()).getElementType());
  kernel.getBody().walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (!isa<IndexOp, ExtentOp>(op))
        count(getElementTypeOrSelf(result.getType()));
  });
  return bytes;
}

namespace {
class ItemsForm : public FormOf<ItemsSchedule> {
public:
  ItemsForm() : FormOf("items") {}

  bool takes(KernelOp kernel, const VectorTarget &) const override { return kernel->hasAttr(kItemsAttr); }

protected:
  FailureOr<ItemsSchedule> chooseFor(KernelOp kernel, const VectorTarget &target) const override {
    return ItemsSchedule{target.lanes(widestBytes(kernel))};
  }

  LogicalResult check(KernelOp kernel, const ItemsSchedule &schedule, const VectorTarget &) const override {
    if (!llvm::isPowerOf2_64(schedule.lanes))
      return kernel.emitError("a schedule with 'lanes' ") << schedule.lanes << "; expected a power of two";
    return success();
  }

  FailureOr<KernelCode> emitBy(KernelOp kernel, const ItemsSchedule &schedule, const FunctionPlace &at) const override {
    return ItemEmitter(kernel, schedule, at).emit();
  }
};
} // namespace

const Form &lathe::cpu::itemsForm() {
  static const ItemsForm form;
  return form;
}
