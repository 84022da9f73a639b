// The application's functions: one call for whole batches if there is such a function, else a call for each element.
#include "passes/Autodiff/Vmap/Vmap.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

static constexpr int64_t kMostCalls = 1024; // for one op; each of them is code

/// Calls the function for whole batches, which has no derivative of its own.
static LiftedResults callForBatch(Batch &b, ExternOp op, Lifteds operands) {
  auto types = llvm::map_to_vector(op.getResultTypes(), [&](Type type) -> Type {
    auto tensor = cast<RankedTensorType>(type);
    return tensorOf(b.over(dimsOf(tensor)), tensor.getElementType());
  });
  ExternOp made = callExtern(b.e.getBuilder(), op.getLoc(), op.getBatchedAttr(), b.whole(operands), types);
  return llvm::map_to_vector<1>(made.getResults(), [](Value result) { return Lifted{result, true}; });
}

/// Returns an element of a batch, without the batch dimension.
static Value element(Batch &b, Value batch, int64_t index) {
  Dims dims = dimsOf(batch), limits = dims;
  Ints starts(dims.size());
  starts[0] = index;
  limits[0] = Dim(index + 1);
  Value slice = b.e.make<SliceOp>(batch, b.e.shape(asDims(starts)), shapeOf(batch.getContext(), limits), Ints(dims.size(), 1));
  dims.erase(dims.begin());
  return b.e.reshape(slice, dims);
}

static LiftedResults callForEach(Batch &b, ExternOp op, Lifteds operands) {
  SmallVector<SmallVector<Value>> parts(op.getNumResults());
  for (int64_t i = 0; i < b.size.constant(); ++i) {
    Operation *made = b.e.getBuilder().clone(*op);
    for (auto [k, operand] : llvm::enumerate(operands))
      made->setOperand(k, operand.batched ? element(b, operand.value, i) : operand.value);
    made->moveBefore(b.e.getBuilder().getBlock(), b.e.getBuilder().getInsertionPoint()); // after its operands
    for (auto [part, result] : llvm::zip_equal(parts, made->getResults())) {
      Dims dims = dimsOf(result);
      dims.insert(dims.begin(), Dim(1));
      part.push_back(b.e.reshape(result, dims));
    }
  }
  return llvm::map_to_vector<1>(parts,
                                [&](const SmallVector<Value> &part) { return Lifted{b.e.make<ConcatenateOp>(part, 0), true}; });
}

void autodiff::addExternBatching(BatchRules &rules) {
  rules.add<ExternOp>([](Batch &b, ExternOp op, Lifteds operands) -> LiftedResults {
    if (op.getBatched())
      return callForBatch(b, op, operands);
    if (b.size.isStatic() && b.size.constant() > 0 && b.size.constant() <= kMostCalls)
      return callForEach(b, op, operands);
    b.fail(op, "of @" + op.getCallee() + " cannot be called for a batch of " + b.size.str() +
                   "; declare a function for whole batches, " + "`batched @function`, or give the batch a size from 1 to " +
                   Twine(kMostCalls));
    return {};
  });
}
