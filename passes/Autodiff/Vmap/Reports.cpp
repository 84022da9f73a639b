// Asserts and prints of a batch: one for all elements, with the batch as dimension 0.
#include "passes/Autodiff/Vmap/Vmap.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Returns the mask for a value with the batch as dimension 0, repeated over its other dimensions.
static Value maskFor(Batch &b, const Dims &dims) { return b.e.broadcast(b.mask, {0}, dims); }

void autodiff::addReportBatching(BatchRules &rules) {
  // Masked elements hold.
  rules.add<AssertOp>([](Batch &b, AssertOp op, Lifteds operands) -> LiftedResults {
    Value predicate = b.whole(operands[0]);
    if (b.mask)
      predicate = b.e.make<OrOp>(predicate, b.e.make<NotOp>(maskFor(b, dimsOf(predicate))));
    AssertOp::create(b.e.getBuilder(), op.getLoc(), predicate, op.getTextAttr());
    return {};
  });
  rules.add<PrintOp>([](Batch &b, PrintOp op, Lifteds operands) -> LiftedResults {
    Value mask = op.getMask() ? b.whole(operands[1]) : Value();
    if (b.mask)
      mask = mask ? b.e.make<AndOp>(mask, maskFor(b, dimsOf(mask))) : b.mask;
    PrintOp::create(b.e.getBuilder(), op.getLoc(), b.whole(operands[0]), op.getTextAttr(), mask);
    return {};
  });
}
