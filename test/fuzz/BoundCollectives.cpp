// Bounds of the results of collectives.
#include "dialects/Lathe/Interpreter/Ranks.h"
#include "test/fuzz/Bounds.h"
#include "test/fuzz/Graph.h"
#include <cmath>

using namespace mlir;
using namespace lathe;
using namespace fuzz;

static std::optional<CollectiveKind> reductionOf(Operation *op) {
  if (auto reduce = dyn_cast<AllReduceOp>(op))
    return reduce.getKind();
  if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    return scatter.getKind();
  return std::nullopt;
}

static Tensor negated(Tensor tensor) {
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.data<double>()[i] = 0 - tensor.at(i);
  return tensor;
}

Tensor fuzz::boundCollective(Operation *op, const Tensor &result, ArrayRef<const Tensor *> values,
                             ArrayRef<const Tensor *> bounds, size_t index) {
  Sizes sizes; // all dimensions are numbers
  Call call{op, {}, Element::F64, SmallVector<int64_t>(result.getShape()), sizes};
  auto evaluate = [&](ArrayRef<const Tensor *> operands, auto change) {
    std::vector<Tensor> own;
    for (const Tensor *operand : operands)
      own.push_back(change(*operand));
    return evaluateCollective(call, own, index);
  };
  // A move takes the bounds with it, and a sum or mean adds them up. A maximum or minimum is no further off than the worst of
  // its operands.
  std::optional<CollectiveKind> kind = reductionOf(op);
  Tensor bound = evaluate(bounds, [&](const Tensor &each) { return kind == CollectiveKind::Min ? negated(each) : each; });
  if (kind == CollectiveKind::Min) // the largest of the bounds
    bound = negated(bound);
  if (!kind || !isFloat(result.getElement()))
    return bound;
  Tensor size = evaluate(values, magnitudes);
  double ranks = double(values.size());
  for (int64_t i = 0; i < bound.size(); ++i) {
    double &passed = bound.data<double>()[i], value = result.at(i);
    if (passed == 0)
      continue;
    if (*kind == CollectiveKind::Sum)
      passed = boundOfSum(result.getElement(), value, size.at(i), passed, ranks);
    else if (*kind == CollectiveKind::Mean) // the sum, rounded, is divided
      passed = boundOfSum(result.getElement(), value * ranks, size.at(i) * ranks, passed * ranks, ranks) / ranks +
               roundings(result.getElement(), std::fabs(value) + passed);
    else if (!std::isfinite(value))
      passed = std::nan("");
  }
  return bound;
}
