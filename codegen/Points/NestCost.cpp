#include "codegen/Points/NestCost.h"
#include "codegen/Points/MathTarget.h"
#include "dialects/Lathe/IR/Threefry.h"

using namespace mlir;
using namespace lathe;
using elementary::Cost;

/// Returns the cost of a scalar op of a nest's body, for a vector of points.
static Cost costOfScalar(Operation &op, const VectorTarget &target) {
  if (isa<arith::ConstantOp, IndexOp, ExtentOp>(op))
    return {};
  auto apply = dyn_cast<ApplyOp>(op);
  if (!apply)
    return elementary::costOf(op, target.fmaLatency);
  if (apply.getFunction() == kThreefry) // each round depends on the one before
    return {kThreefryOperations, kThreefryOperations};
  Type type = op.getResult(0).getType();
  auto vector = VectorType::get(target.lanes(type.getIntOrFloatBitWidth() / 8), type);
  return elementary::costOf(op.getContext(), functionOf(apply), vector, op.getNumOperands(), mathTargetOf(target),
                            apply.getOrder().value_or(0), target.fmaLatency);
}

Cost lathe::costOf(NestOp nest, const VectorTarget &target) {
  return elementary::costOfChains(nest.getBody().front(), [&](Operation &op) { return costOfScalar(op, target); });
}

double lathe::latencyBehind(Value value, const VectorTarget &target) {
  DenseMap<Value, double> latencies = {{value, 0}};
  double most = 0;
  for (NestOp nest : value.getParentBlock()->getOps<NestOp>()) {
    std::optional<double> before;
    for (Value input : nest.getInputs())
      if (auto known = latencies.find(input); known != latencies.end())
        before = std::max(before.value_or(0), known->second);
    if (!before)
      continue;
    double latency = *before + costOf(nest, target).latency;
    latencies[nest.getResult()] = latency;
    most = std::max(most, latency);
  }
  return most;
}
