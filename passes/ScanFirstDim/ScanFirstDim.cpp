// Transposes every scan to the first dimension, where a step's slice is contiguous.
#include "passes/ScanFirstDim/ScanFirstDim.h"
#include "dialects/Lathe/IR/Control.h"

namespace lathe {
#define GEN_PASS_DEF_SCANFIRSTDIMPASS
#include "passes/ScanFirstDim/ScanFirstDim.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
struct ScanFirstDim : lathe::impl::ScanFirstDimPassBase<ScanFirstDim> {
  void runOnOperation() final {
    getOperation()->walk([&](ScanOp scan) {
      if (scan.getDim())
        turn(scan);
    });
  }

private:
  void turn(ScanOp scan) {
    int64_t dim = scan.getDim();
    OpBuilder builder(scan);
    for (OpOperand &operand : scan.getXsMutable()) {
      SmallVector<int64_t> order = {dim};
      for (int64_t other = 0, rank = dimsOf(operand.get()).size(); other < rank; ++other)
        if (other != dim)
          order.push_back(other);
      operand.set(TransposeOp::create(builder, scan.getLoc(), operand.get(), order));
    }
    scan.setDim(0);
    builder.setInsertionPointAfter(scan);
    for (Value stack : scan.getStacks()) {
      auto type = cast<RankedTensorType>(stack.getType());
      auto order = llvm::to_vector(llvm::seq<int64_t>(1, dim + 1)); // the dimensions before the steps
      order.push_back(0);
      llvm::append_range(order, llvm::seq<int64_t>(dim + 1, type.getRank()));
      stack.setType(stackOf(sliceOf(type, dim), 0, dimsOf(type)[dim]));
      Value turned = TransposeOp::create(builder, scan.getLoc(), stack, order);
      stack.replaceAllUsesExcept(turned, turned.getDefiningOp());
    }
    ++scans;
  }
};
} // namespace
