#include "passes/Autodiff/Vmap/Vmap.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

Ints autodiff::shifted(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [](int64_t dim) { return dim + 1; });
}

Ints autodiff::behind(int64_t first, ArrayRef<int64_t> rest) {
  Ints all = {first};
  llvm::append_range(all, rest);
  return all;
}

Dims Batch::over(const Dims &dims) const {
  Dims all = {size};
  llvm::append_range(all, dims);
  return all;
}

Value Batch::whole(const Lifted &value) {
  if (value.batched)
    return value.value;
  Dims dims = dimsOf(value.value);
  return e.broadcast(value.value, shifted(llvm::to_vector(llvm::seq<int64_t>(dims.size()))), over(dims));
}

SmallVector<Value> Batch::whole(Lifteds values) {
  return llvm::map_to_vector(values, [&](const Lifted &value) { return whole(value); });
}

Value Batch::toFront(Value value, int64_t dim) {
  return e.transpose(value, behind(dim, otherDims(typeOf(value).getRank(), {dim})));
}

Value Batch::again(Operation *like, ValueRange operands) {
  Operation *made = e.getBuilder().clone(*like);
  made->setOperands(operands);
  return inferred(made);
}

Value Batch::inferred(Operation *made) {
  if (failed(refineResults(made)))
    failedOnce = true; // inference has said why
  return made->getResult(0);
}

Value Batch::fail(Operation *at, const Twine &reason) {
  if (!failedOnce)
    at->emitError("'").append(at->getName(), "' ", reason).attachNote(op.getLoc())
        << "a batch of '" << op.getCallee() << "' is made here";
  failedOnce = true;
  return {};
}

BatchRules::BatchRules(MLIRContext *context) : context(context) {
  // Broadcasts are explicit: all operands have one shape.
  elementwise = [](Batch &b, Operation *op, Lifteds operands) -> LiftedResults {
    return {Lifted{b.again(op, b.whole(operands)), true}};
  };
  addShapeBatching(*this);
  addReductionBatching(*this);
  addContractionBatching(*this);
  addIndexingBatching(*this);
  addRandomBatching(*this);
  addExternBatching(*this);
}

const BatchRules::Rule *BatchRules::find(OperationName op) const {
  if (op.hasTrait<ElementwiseTrait>())
    return &elementwise;
  auto found = table.find(op);
  return found == table.end() ? nullptr : &found->second;
}

FailureOr<SmallVector<Value>> autodiff::vmap(const BatchRules &rules, Batch &batch, Body &body, Lifteds arguments) {
  DenseMap<Value, Lifted> lifted;
  IRMapping shared;
  auto become = [&](Value value, const Lifted &result) {
    lifted[value] = result;
    if (!result.batched)
      shared.map(value, result.value);
  };
  for (auto [argument, given] : llvm::zip_equal(body.block.getArguments(), arguments))
    become(argument, given);

  for (Operation &op : body.block) {
    batch.e.at(op.getLoc());
    auto operands = llvm::map_to_vector(op.getOperands(), [&](Value operand) { return lifted.lookup(operand); });
    if (llvm::none_of(operands, [](const Lifted &operand) { return operand.batched; })) {
      Operation *made = batch.e.getBuilder().clone(op, shared);
      for (auto [before, after] : llvm::zip_equal(op.getResults(), made->getResults()))
        become(before, {after});
      continue;
    }
    const BatchRules::Rule *rule = rules.find(op.getName());
    if (!rule)
      batch.fail(&op, "has no batching rule; give it operands that all elements of the batch share");
    LiftedResults results = rule ? (*rule)(batch, &op, operands) : LiftedResults();
    if (batch.hasFailed())
      return failure();
    for (auto [result, made] : llvm::zip_equal(op.getResults(), results))
      become(result, made);
  }
  return llvm::map_to_vector(body.yields, [&](Value value) { return batch.whole(lifted.lookup(value)); });
}
