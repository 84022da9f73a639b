// Derivative rules of gather and scatter: each is the other's transpose, because both treat a place outside as absent.
#include "passes/Autodiff/Rules.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

void autodiff::addIndexingRules(Rules &rules) {
  rules.add<GatherOp>().linearInFirst([](Emit &e, GatherOp op, Values a, Value c) {
    return e.make<ScatterOp>(ScatterKind::Add, e.zeros(op.getTable().getType()), a[1], c, op.getAxis(), op.getBatch());
  });
  rules.add<ScatterOp>().linear({{0, 2}}).transpose([](Emit &e, ScatterOp op, Values a, Value c, MutableArrayRef<Value> out) {
    out[0] = c;
    if (!a[2])
      out[2] = e.make<GatherOp>(c, a[1], op.getAxis(), op.getBatch());
  });
}
