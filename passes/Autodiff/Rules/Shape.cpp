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
  return e.reshape(sum, from); // broadcast dimensions come back with extent 1
}

static Value transposeTranspose(Emit &e, TransposeOp op, Values, Value c) {
  Ints inverse(op.getPermutation().size());
  for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
    inverse[dim] = i;
  return e.transpose(c, inverse);
}

static Value transposeSlice(Emit &e, SliceOp op, Values, Value c) {
  Dims full = dimsOf(op.getOperand()), taken = dimsOf(c), low = dimsOf(op.getStarts()), high;
  Ints interior;
  for (auto [i, step] : llvm::enumerate(op.getSteps())) {
    interior.push_back(step - 1);
    high.push_back(full[i] - low[i] - dilated(taken[i], step));
  }
  return e.pad(c, low, high, interior);
}

/// Returns the cotangent of the padding value. A difference of sums would leave rounding errors, and NaN if the operand's part
/// is infinite.
static Value paddingSum(Emit &e, PadOp op, Value c) {
  auto isNone = [](const Dim &amount) { return amount.isStatic() && amount.constant() <= 0; };
  Type element = typeOf(c).getElementType();
  Dims low = dimsOf(op.getLow()), high = dimsOf(op.getHigh());
  if (llvm::all_of(low, isNone) && llvm::all_of(high, isNone) && llvm::all_of(asDims(op.getInterior()), isNone))
    return e.scalar(element, 0);
  Dims from = dimsOf(op.getOperand());
  Value operand = e.splat(tensorOf(from, IntegerType::get(op.getContext(), 1)), 1);
  Value isOperand = e.pad(operand, low, high, op.getInterior());
  return e.reduceSum(e.select(isOperand, e.zeros(c.getType()), c), llvm::to_vector(llvm::seq<int64_t>(from.size())));
}

static void transposePad(Emit &e, PadOp op, Values a, Value c, MutableArrayRef<Value> out) {
  Dims full = dimsOf(op.getOperand()), low, high, starts(full.size());
  Ints steps;
  for (auto [before, behind, interior] : llvm::zip_equal(dimsOf(op.getLow()), dimsOf(op.getHigh()), op.getInterior())) {
    low.push_back(Dim(0) - before);
    high.push_back(Dim(0) - behind);
    steps.push_back(interior + 1);
  }
  Value inner = e.pad(c, low, high, Ints(full.size()));
  if (llvm::any_of(steps, [](int64_t step) { return step != 1; }))
    inner = e.make<SliceOp>(inner, e.shape(starts), e.shape(dimsOf(inner)), steps);
  if (!a[0])
    out[0] = inner;
  if (!a[1])
    out[1] = paddingSum(e, op, c);
}

/// Returns the `length` elements of `c` along `dim` that follow `before` others.
static Value partOf(Emit &e, Value c, int64_t dim, const Dim &before, const Dim &length) {
  Dims limits = dimsOf(c), starts(limits.size());
  starts[dim] = before;
  limits[dim] = before + length;
  return e.make<SliceOp>(c, e.shape(starts), e.shape(limits), Ints(limits.size(), 1));
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
      [](Emit &e, ReshapeOp op, Values, Value c) { return e.reshape(c, dimsOf(op.getOperand()), op); });
  rules.add<TransposeOp>().linearInFirst(transposeTranspose);
  rules.add<ReverseOp>().linearInFirst(
      [](Emit &e, ReverseOp op, Values, Value c) { return e.make<ReverseOp>(c, op.getDims()); });
  rules.add<SliceOp>().linearInFirst(transposeSlice);
  rules.add<PadOp>().linear({{0, 1}}).transpose(transposePad);
  rules.add<ConcatenateOp>().linearJointly().transpose(transposeConcatenate);
}
