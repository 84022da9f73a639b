#include "passes/KeyBlocks/ScoresOfBlock.h"

using namespace mlir;
using namespace lathe;

ScoresOfBlock::ScoresOfBlock(Value scores, int64_t keysDim) : scores(scores) {
  LoopDims dims(dimsOf(scores).size(), kUndivided);
  dims[keysDim] = 0;
  collect(scores, dims);
}

void ScoresOfBlock::addInput(Value value, const LoopDims &dims) {
  auto [entry, isNew] = loopDims.try_emplace(value, dims);
  if (isNew)
    inputs.push_back({value, llvm::is_contained(dims, 0) ? int64_t(llvm::find(dims, 0) - dims.begin()) : -1});
  isConsistent &= entry->second == dims;
}

/// Adds the ops that compute a value, operands first.
void ScoresOfBlock::collect(Value value, const LoopDims &dims) {
  if (auto known = loopDims.find(value); known != loopDims.end()) {
    isConsistent &= known->second == dims;
    return;
  }
  Operation *op = value.getDefiningOp();
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  bool isSplat = constant && constant.getValue().isSplat();
  bool isInside = op && (isa<BroadcastOp, DotGeneralOp, IotaOp>(op) || op->hasTrait<ElementwiseTrait>() || isSplat);
  bool isWhole = !llvm::is_contained(dims, 0); // the same for all blocks
  std::optional<SmallVector<LoopDims>> ofOperands;
  if (isInside && (!isWhole || isSplat || isa<IotaOp>(op)))
    ofOperands = loopDimsOfOperands(op, dims);
  if (!ofOperands)
    return addInput(value, dims);
  hasProduct |= isa<DotGeneralOp>(op);
  for (auto [operand, ofOperand] : llvm::zip_equal(op->getOperands(), *ofOperands))
    isa<DotGeneralOp>(op) ? addInput(operand, ofOperand) : collect(operand, ofOperand);
  if (loopDims.try_emplace(value, dims).second)
    ops.push_back(op);
}

Value ScoresOfBlock::emit(OpBuilder &builder, ValueRange parts, Value first, int64_t count) const {
  IRMapping map;
  for (auto [input, part] : llvm::zip_equal(inputs, parts))
    map.map(input.value, part);
  BlockPlace place{{count}, {first}};
  for (Operation *op : ops)
    map.map(op->getResult(0), emitInBlock(builder, op, loopDims.lookup(op->getResult(0)), place, map));
  return map.lookup(scores);
}
