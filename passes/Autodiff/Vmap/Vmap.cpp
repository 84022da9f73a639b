#include "passes/Autodiff/Vmap/Vmap.h"
#include "dialects/Lathe/IR/Control.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

Ints autodiff::shifted(ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [](int64_t dim) { return dim + 1; });
}

Ints autodiff::prepended(int64_t first, ArrayRef<int64_t> rest) {
  Ints all = {first};
  llvm::append_range(all, rest);
  return all;
}

Dims autodiff::prepended(const Dim &first, ArrayRef<Dim> rest) {
  Dims all = {first};
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
  return e.transpose(value, prepended(dim, otherDims(typeOf(value).getRank(), {dim})));
}

Value Batch::again(Operation *like, ValueRange operands) {
  Operation *made = e.getBuilder().clone(*like);
  made->setOperands(operands);
  return inferred(made);
}

Value Batch::inferred(Operation *made) {
  if (failed(refineResults(made)))
    failedOnce = true; // inference has reported the reason
  return made->getResult(0);
}

Value Batch::fail(Operation *at, const Twine &reason) {
  if (!failedOnce)
    at->emitError("'").append(at->getName(), "' ", reason).attachNote(op.getLoc())
        << "a batch of '" << op.getCallee() << "' is made here";
  failedOnce = true;
  return {};
}

BatchRules::BatchRules(MLIRContext *context, ModuleOp module) : context(context) {
  // Broadcasts are explicit: all operands have one shape.
  elementwise = [](Batch &b, Operation *op, Lifteds operands) -> LiftedResults {
    return {Lifted{b.again(op, b.whole(operands)), true}};
  };
  addShapeBatching(*this);
  addReductionBatching(*this);
  addContractionBatching(*this);
  addIndexingBatching(*this);
  addRandomBatching(*this);
  addCollectiveBatching(*this);
  addExternBatching(*this);
  addCallBatching(*this, module);
  addReportBatching(*this);
}

const BatchRules::Rule *BatchRules::find(OperationName op) const {
  if (op.hasTrait<ElementwiseTrait>())
    return &elementwise;
  auto found = table.find(op);
  return found == table.end() ? nullptr : &found->second;
}

/// Batches an op by its rule.
static FailureOr<SmallVector<Lifted>> liftPlain(const BatchRules &rules, Batch &batch, Operation *op, Lifteds operands) {
  const BatchRules::Rule *rule = rules.find(op->getName());
  if (!rule)
    batch.fail(op, "has no batching rule; use operands that all elements of the batch share");
  LiftedResults results = rule ? (*rule)(batch, op, operands) : LiftedResults();
  if (batch.hasFailed())
    return failure();
  return SmallVector<Lifted>(results.begin(), results.end());
}

/// True if the op, or one in it, reports on the run. Under a mask it reports only on a part of the batch.
static bool reports(Operation *op) {
  return op->walk([](Operation *each) { return isReport(each) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

FailureOr<SmallVector<Lifted>> autodiff::lift(const BatchRules &rules, Batch &batch, const Piece &piece,
                                              const DenseSet<Value> &batched, Lifteds arguments) {
  DenseMap<Value, Lifted> lifted;
  IRMapping shared;
  auto become = [&](ValueRange values, Lifteds results) {
    for (auto [value, result] : llvm::zip_equal(values, results)) {
      lifted[value] = result;
      if (!result.batched)
        shared.map(value, result.value);
    }
  };
  become(piece.arguments(), arguments);
  for (Operation &op : piece.ops()) {
    batch.e.at(op.getLoc());
    auto operands = llvm::map_to_vector(op.getOperands(), [&](Value operand) { return lifted.lookup(operand); });
    bool isLifted = llvm::any_of(operands, [](const Lifted &operand) { return operand.batched; });
    isLifted |= isControl(&op) && llvm::any_of(op.getResults(), [&](Value result) { return batched.contains(result); });
    isLifted |= batch.mask && reports(&op);
    if (!isLifted) {
      Operation *made = batch.e.getBuilder().clone(op, shared);
      become(op.getResults(), llvm::map_to_vector(made->getResults(), [](Value result) { return Lifted{result}; }));
      continue;
    }
    FailureOr<SmallVector<Lifted>> results =
        isControl(&op) ? liftControl(rules, batch, &op, batched, operands) : liftPlain(rules, batch, &op, operands);
    if (failed(results))
      return failure();
    become(op.getResults(), *results);
  }
  return llvm::map_to_vector(piece.yields, [&](Value value) { return lifted.lookup(value); });
}

FailureOr<SmallVector<Value>> autodiff::vmap(const BatchRules &rules, Batch &batch, Body &body, Lifteds arguments) {
  SmallVector<Value> seeds;
  for (auto [argument, given] : llvm::zip_equal(body.block.getArguments(), arguments))
    if (given.batched)
      seeds.push_back(argument);
  Piece piece = Piece::of(body);
  FailureOr<SmallVector<Lifted>> yields = lift(rules, batch, piece, batchedValues(piece, seeds), arguments);
  if (failed(yields))
    return failure();
  return batch.whole(*yields);
}
