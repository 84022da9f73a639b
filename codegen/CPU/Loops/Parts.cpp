#include "codegen/CPU/Loops/Parts.h"
#include "codegen/CPU/Loops/Stages.h"
#include "codegen/CPU/Tuning.h"
#include "dialects/Lathe/IR/KernelAttributes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

std::optional<unsigned> lathe::cpu::concatenatedDim(NestOp nest) {
  auto dim = nest->getAttrOfType<IntegerAttr>(kConcatenatedAttr);
  return dim ? std::optional<unsigned>(dim.getInt()) : std::nullopt;
}

Dims lathe::cpu::extentsOfParts(NestOp nest) {
  Dims extents;
  for (Value part : nest.getInputs()) {
    Dims dims = dimsOf(part);
    extents.push_back(dims[*concatenatedDim(nest)]);
  }
  return extents;
}

std::string lathe::cpu::whyNoParts(NestOp nest, const KernelLoops &loops, int64_t vectorLoop) {
  std::optional<unsigned> dim = concatenatedDim(nest);
  if (!dim)
    return "it is not a concatenation";
  if (loops.reduction)
    return "the kernel has a reduction";
  if (vectorLoop >= 0 && vectorLoop < int64_t(*dim))
    return "the vectorised loop is further out than the concatenated dimension";
  if (!llvm::all_of(nest.getInputs(), llvm::IsaPred<BlockArgument>))
    return "a part of it is not in memory";
  return whyNotAtOwnPoints(nest, loops);
}

/// True if loops over the parts take fewer instructions than the choice of a part for each vector of points.
static bool arePartsCheaper(KernelOp kernel, NestOp nest, const KernelLoops &loops, int64_t vectorLoop, int64_t lanes) {
  unsigned dim = *concatenatedDim(nest);
  int64_t others = 1; // instructions of a point beside the concatenation's
  kernel.getBody().walk([&](Operation *op) { others += op->getNumRegions() == 0 && op->getParentOp() != nest; });
  int64_t width = vectorLoop == int64_t(dim) ? lanes : 1, vectorsInParts = 0, all = 0;
  for (const Dim &extent : extentsOfParts(nest)) {
    if (!extent.isStatic())
      return true;
    vectorsInParts += llvm::divideCeil(extent.constant(), width);
    all += extent.constant();
  }
  int64_t inside = 1; // points of the inner loops
  for (const Dim &extent : ArrayRef(loops.extents).drop_front(dim + 1))
    inside *= extent.isStatic() ? extent.constant() : lanes;
  if (width == 1)
    inside = llvm::divideCeil(inside, lanes);
  int64_t count = nest.getInputs().size();
  return vectorsInParts * inside * (others + 1) + count * tuning::kPartInstructions <
         int64_t(llvm::divideCeil(all, width)) * inside * (others + count * tuning::kChoiceInstructions);
}

int64_t lathe::cpu::chooseParts(KernelOp kernel, const KernelLoops &loops, int64_t vectorLoop, int64_t lanes) {
  for (auto [number, nest] : llvm::enumerate(kernel.getBody().getOps<NestOp>()))
    if (whyNoParts(nest, loops, vectorLoop).empty() && arePartsCheaper(kernel, nest, loops, vectorLoop, lanes))
      return number;
  return -1;
}

Parts::Parts(KernelFrame &frame, NestOp nest) : dim(*concatenatedDim(nest)), frame(frame), nest(nest) {
  PointEvaluator &eval = frame.eval;
  auto pointer = LLVM::LLVMPointerType::get(frame.b.getContext());
  size_t count = nest.getInputs().size();
  buffers = frame.stack(pointer, count);
  bounds = frame.stack(frame.b.getI64Type(), count + 1);
  Value end = eval.i64(0);
  frame.storeOne(end, bounds);
  for (auto [i, part, extent] : llvm::enumerate(nest.getInputs(), extentsOfParts(nest))) {
    LLVM::StoreOp::create(frame.b, frame.loc, frame.buffers.lookup(part), frame.at(buffers, pointer, i));
    end = eval.add(end, eval.extent(extent));
    frame.storeOne(end, frame.at(bounds, frame.b.getI64Type(), i + 1));
  }
}

Value Parts::originOf(Value part, Value first, Value width, ArrayRef<Index> place) {
  PointEvaluator &eval = frame.eval;
  ArrayRef<Dim> extents(frame.loops.extents);
  Value line = eval.i64(0);
  for (auto [index, extent] : llvm::zip_equal(place.take_front(dim), extents.take_front(dim)))
    line = eval.add(eval.mul(line, eval.extent(extent)), eval.materialize(index));
  Value origin = eval.mul(eval.sub(eval.mul(line, width), first), eval.extent(productOf(extents.drop_front(dim + 1))));
  auto pointer = LLVM::LLVMPointerType::get(frame.b.getContext());
  Value buffer = LLVM::LoadOp::create(frame.b, frame.loc, pointer, frame.at(buffers, pointer, part));
  unsigned bits = cast<RankedTensorType>(nest.getType()).getElementTypeBitWidth();
  return frame.at(buffer, frame.b.getIntegerType(std::max(bits, 8u)), origin);
}

void Parts::inside(Value part, ArrayRef<Index> place, function_ref<void(Value, Value)> body) {
  PointEvaluator &eval = frame.eval;
  Type word = frame.b.getI64Type();
  auto type = cast<RankedTensorType>(nest.getType());
  SmallVector<unsigned> inner = llvm::to_vector(llvm::seq<unsigned>(dim, type.getRank()));
  RankedTensorType ofPart = tensorOf(ArrayRef(frame.loops.extents).drop_front(dim), type.getElementType());
  Value from = frame.at(bounds, word, part);
  Value first = frame.loadOne(from, word), end = frame.loadOne(frame.at(from, word, 1), word);
  eval.kept[nest.getResult()] = {originOf(part, first, eval.sub(end, first), place), ofPart, inner};
  body(first, end);
  eval.kept.erase(nest.getResult());
}

void Parts::each(Value low, Value high, ArrayRef<Index> place, function_ref<void(Value, Value)> body) {
  PointEvaluator &eval = frame.eval;
  frame.loop(eval.i64(0), eval.i64(nest.getInputs().size()), 1, [&](Value part) {
    inside(part, place, [&](Value first, Value end) {
      Value begin = frame.max(low, first);
      body(begin, frame.max(begin, eval.min(high, end)));
    });
  });
}

void Parts::at(ArrayRef<Index> place, function_ref<void()> body) {
  PointEvaluator &eval = frame.eval;
  Type word = frame.b.getI64Type();
  Value index = eval.materialize(place[dim]);
  // The part's number is the number of parts that end at the index or before it.
  Value last = eval.i64(nest.getInputs().size() - 1);
  Value part = frame.loop(eval.i64(0), last, eval.i64(0), [&](Value other, ValueRange count) -> KernelFrame::Carry {
    Value end = frame.loadOne(frame.at(frame.at(bounds, word, other), word, 1), word);
    Value isBehind = arith::CmpIOp::create(frame.b, frame.loc, arith::CmpIPredicate::sle, end, index);
    return {eval.add(count[0], arith::ExtUIOp::create(frame.b, frame.loc, word, isBehind))};
  })[0];
  inside(part, place, [&](Value, Value) { body(); });
}
