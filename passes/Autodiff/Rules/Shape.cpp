// Derivative rules of shape ops. All are linear; c: cotangent.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

using Ints = SmallVector<int64_t>;

static Value transposeBroadcast(Emit &e, BroadcastOp op, Values, Value c) {
  Dims from = dimsOf(op.getOperand()), to = dimsOf(op.getResult());
  Ints kept;
  for (auto [i, dim] : llvm::enumerate(op.getDims()))
    if (from[i] == to[dim])
      kept.push_back(dim);
  Value sum = e.reduceSum(c, otherDims(to.size(), kept));
  return e.reshape(sum, from); // grown dimensions come back with extent 1
}

static Value transposeTranspose(Emit &e, TransposeOp op, Values, Value c) {
  Ints inverse(op.getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
    inverse[dim] = i;
  return e.transpose(c, inverse);
}

/// Zeros after the value along one dimension, up to a named extent; what pad cannot say.
static Value extend(Emit &e, Value value, size_t dim, const Dim &extent) {
  Dims missing = dimsOf(value);
  missing[dim] = extent - missing[dim];
  Value zeros = e.zeros(tensorOf(missing, typeOf(value).getElementType()));
  return e.make<ConcatenateOp>(ValueRange{value, zeros}, dim);
}

static Value transposeSlice(Emit &e, SliceOp op, Values, Value c) {
  Dims full = dimsOf(op.getOperand()), taken = dimsOf(c);
  Ints low(op.getStarts()), high, interior;
  SmallVector<size_t> open; // a static part of a named dimension was taken
  for (size_t i = 0; i < full.size(); ++i) {
    int64_t step = op.getSteps()[i];
    interior.push_back(step - 1);
    Dim read = taken[i].isStatic(0) ? Dim(0) : (taken[i] - Dim(1)) * Dim(step) + Dim(1);
    Dim rest = full[i] - Dim(low[i]) - read;
    high.push_back(rest.isStatic() ? rest.constant() : 0);
    if (!rest.isStatic())
      open.push_back(i);
  }
  Value result = e.pad(c, low, high, interior);
  for (size_t dim : open)
    result = extend(e, result, dim, full[dim]);
  return result;
}

/// What came from the padding. A difference of sums would leave roundings there, and NaN where the operand's part is infinite.
static Value paddingSum(Emit &e, PadOp op, Value c) {
  auto isNone = [](int64_t amount) { return amount <= 0; };
  Type element = typeOf(c).getElementType();
  if (llvm::all_of(op.getLow(), isNone) && llvm::all_of(op.getHigh(), isNone) && llvm::all_of(op.getInterior(), isNone))
    return e.scalar(element, 0);
  Dims from = dimsOf(op.getOperand());
  Value operand = e.splat(tensorOf(from, IntegerType::get(op.getContext(), 1)), 1);
  Value isOperand = e.pad(operand, op.getLow(), op.getHigh(), op.getInterior());
  return e.reduceSum(e.select(isOperand, e.zeros(c.getType()), c), llvm::to_vector(llvm::seq<int64_t>(from.size())));
}

static void transposePad(Emit &e, PadOp op, Values a, Value c, MutableArrayRef<Value> out) {
  Dims full = dimsOf(op.getOperand());
  Ints low, high, starts(full.size()), steps;
  bool strided = false;
  for (size_t i = 0; i < full.size(); ++i) {
    low.push_back(-op.getLow()[i]);
    high.push_back(-op.getHigh()[i]);
    steps.push_back(op.getInterior()[i] + 1);
    strided |= steps[i] != 1;
    if (steps[i] != 1 && !full[i].isStatic()) {
      e.fail(op, "has no transpose: dimension " + Twine(i) + " has the named extent " + full[i].str() +
                     ", and interior padding, whose transpose is a strided slice, needs a static one");
      return;
    }
  }
  Value inner = e.pad(c, low, high, Ints(full.size()));
  if (strided)
    inner = e.make<SliceOp>(inner, starts, shapeOf(op.getContext(), dimsOf(inner)), steps);
  if (!a[0])
    out[0] = inner;
  if (!a[1])
    out[1] = paddingSum(e, op, c);
}

/// Operand of extent `length` after `before` elements: a slice where numbers can say it, else a gather of computed indices.
static Value partOf(Emit &e, Value c, int64_t dim, const Dim &before, const Dim &length) {
  Dims limits = dimsOf(c);
  Dim after = limits[dim] - before - length;
  Ints starts(limits.size()), steps(limits.size(), 1);
  MLIRContext *context = c.getContext();
  if (before.isStatic() && (length.isStatic() || after.isStatic(0))) {
    starts[dim] = before.constant();
    limits[dim] = before + length;
    return e.make<SliceOp>(c, starts, shapeOf(context, limits), steps);
  }
  if (before.isStatic() && after.isStatic()) {
    Ints high = starts;
    starts[dim] = -before.constant();
    high[dim] = -after.constant();
    return e.pad(c, starts, high, Ints(starts.size()));
  }
  Type index = IntegerType::get(context, 64);
  Value place = e.make<IotaOp>(0, shapeOf(context, {length}), index);
  return e.make<GatherOp>(c, e.add(place, e.broadcast(e.sizeOf(before), {}, {length})), dim);
}

static void transposeConcatenate(Emit &e, ConcatenateOp op, Values a, Value c, MutableArrayRef<Value> out) {
  int64_t dim = op.getDim();
  Dim before(0);
  for (size_t i = 0; i < a.size(); ++i) {
    Dim length = dimsOf(op.getInputs()[i])[dim];
    if (!a[i])
      out[i] = partOf(e, c, dim, before, length);
    before = before + length;
  }
}

void autodiff::addShapeRules(Rules &rules) {
  rules.add<BroadcastOp>().linearInFirst(transposeBroadcast);
  rules.add<ReshapeOp>().linearInFirst(
      [](Emit &e, ReshapeOp op, Values, Value c) { return e.reshape(c, dimsOf(op.getOperand())); });
  rules.add<TransposeOp>().linearInFirst(transposeTranspose);
  rules.add<ReverseOp>().linearInFirst(
      [](Emit &e, ReverseOp op, Values, Value c) { return e.make<ReverseOp>(c, op.getDims()); });
  rules.add<SliceOp>().linearInFirst(transposeSlice);
  rules.add<PadOp>().linear({{0, 1}}).transpose(transposePad);
  rules.add<ConcatenateOp>().linearJointly().transpose(transposeConcatenate);
}
