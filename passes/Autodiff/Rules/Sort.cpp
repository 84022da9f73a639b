// The derivative rule of sort: tangents move with their elements.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

static Value sortTangent(Emit &e, SortOp op, Values t) {
  int64_t dim = op.getDim(), last = typeOf(op.getResult()).getRank() - 1;
  // A gather with one index for each element works along the last dimension.
  SmallVector<int64_t> swapped = llvm::to_vector(llvm::seq<int64_t>(last + 1));
  std::swap(swapped[dim], swapped[last]);
  Value order = e.make<ArgsortOp>(op.getOperand(), dim, op.getDescending());
  return e.transpose(e.make<GatherOp>(e.transpose(t[0], swapped), e.transpose(order, swapped), last, last), swapped);
}

void autodiff::addSortRules(Rules &rules) { rules.add<SortOp>().tangent(sortTangent); }
