// Declares the slots of all optimisers before functions are removed.
#include "mlir/Pass/Pass.h"
#include "passes/State/Optimizer.h"
#include "passes/State/State.h"

namespace lathe {
#define GEN_PASS_DEF_DECLARESLOTSPASS
#include "passes/State/State.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::state;

namespace {
struct DeclareSlots : lathe::impl::DeclareSlotsPassBase<DeclareSlots> {
  void runOnOperation() final {
    Variables variables(getOperation());
    Optimizer optimizer(variables);
    if (failed(optimizer.plan(getOperation())))
      return signalPassFailure();
    optimizer.markSlots();
    declared += optimizer.getSlots().size();
  }
};
} // namespace
