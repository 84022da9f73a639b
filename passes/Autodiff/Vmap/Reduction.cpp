// Batching rules of ops along dimensions: the dimensions move by one, and the computation along them does not change.
#include "passes/Autodiff/Vmap/Vmap.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Adds an op along one dimension of operands of one shape.
template <typename Op>
static void addAlongDim(BatchRules &rules) {
  rules.add<Op>(
      [](Batch &b, Op op, Lifteds in) { return b.again<Op>(op, b.whole(in), [&](Op made) { made.setDim(op.getDim() + 1); }); });
}

/// Adds a window op: the window has extent 1 along the batch, which leaves the numbers of its taps unchanged.
template <typename Op>
static void addWindow(BatchRules &rules) {
  rules.add<Op>([](Batch &b, Op op, Lifteds in) {
    return b.again<Op>(op, b.whole(in), [&](Op made) {
      WindowAttr window = op.getWindow();
      auto list = [&](int64_t first, DenseI64ArrayAttr rest) {
        return DenseI64ArrayAttr::get(op.getContext(), prepended(first, rest.asArrayRef()));
      };
      made.setWindowAttr(WindowAttr::get(op.getContext(), list(1, window.getSize()), list(1, window.getStride()),
                                         list(1, window.getDilation()), list(1, window.getBaseDilation()),
                                         list(0, window.getLow()), list(0, window.getHigh())));
      if constexpr (std::is_same_v<Op, WindowScatterOp>)
        made.setShapeAttr(shapeOf(op.getContext(), b.over(dimsOf(op.getShape()))));
    });
  });
}

/// Adds an op on the last two dimensions; there may be any number of others.
template <typename Op>
static void addMatrices(BatchRules &rules) {
  rules.add<Op>([](Batch &b, Op op, Lifteds in) { return b.again<Op>(op, b.whole(in)); });
}

void autodiff::addReductionBatching(BatchRules &rules) {
  rules.add<ReduceOp>(
      [](Batch &b, ReduceOp op, Lifteds in) { return b.e.make<ReduceOp>(op.getKind(), in[0].value, shifted(op.getDims())); });
  addAlongDim<ArgmaxOp>(rules);
  addAlongDim<ArgminOp>(rules);
  addAlongDim<CumulativeOp>(rules);
  addAlongDim<LinearRecurrenceOp>(rules);
  addAlongDim<SortOp>(rules);
  addAlongDim<ArgsortOp>(rules);
  addAlongDim<TopKOp>(rules);
  addWindow<ReduceWindowOp>(rules);
  addWindow<WindowIndexOp>(rules);
  addWindow<WindowGatherOp>(rules);
  addWindow<WindowScatterOp>(rules);
  addMatrices<TriangularSolveOp>(rules);
  addMatrices<CholeskyOp>(rules);
}
