#include "codegen/Math/Cost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace lathe::elementary {

// Cycles of Zen 3 and Zen 4; those of other CPUs since 2015 differ by a few.
constexpr double kDivision = 12, kRoot = 16;

Cost costOf(Operation &op, unsigned fmaLatency) {
  if (isa<arith::ConstantOp, arith::BitcastOp, vector::BroadcastOp>(op))
    return {};
  if (isa<arith::DivFOp>(op))
    return {1, kDivision};
  if (isa<math::SqrtOp>(op))
    return {1, kRoot};
  if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(op))
    return {1, double(fmaLatency)};
  return {1, 1};
}

Cost costOfChains(Block &block, llvm::function_ref<Cost(Operation &)> of) {
  Cost all;
  llvm::DenseMap<Value, double> latencies;
  for (Operation &op : block) {
    if (op.getNumResults() == 0)
      continue;
    Cost cost = of(op);
    double before = 0;
    for (Value operand : op.getOperands())
      before = std::max(before, latencies.lookup(operand));
    latencies[op.getResult(0)] = before + cost.latency;
    all.instructions += cost.instructions;
    all.latency = std::max(all.latency, before + cost.latency);
  }
  return all;
}

Cost costOf(MLIRContext *context, StringRef function, Type type, unsigned operands, MathTarget target, unsigned order,
            unsigned fmaLatency) {
  Location loc = UnknownLoc::get(context);
  Block block;
  SmallVector<Value> values;
  for (unsigned i = 0; i < operands; ++i)
    values.push_back(block.addArgument(type, loc));
  OpBuilder builder(context);
  builder.setInsertionPointToStart(&block);
  if (!emitMath(builder, loc, function, values, target, order))
    return {};
  return costOfChains(block, [&](Operation &op) { return costOf(op, fmaLatency); });
}

} // namespace lathe::elementary
