#include "passes/Autodiff/Control/Control.h"
#include "dialects/Lathe/IR/Steps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// Moves a body into a region's empty block, before the terminator that `end` creates from its yields.
template <typename Terminator>
static void fill(Region &region, Body &body) {
  Block &block = region.front();
  for (auto [argument, become] : llvm::zip_equal(body.block.getArguments(), block.getArguments()))
    argument.replaceAllUsesWith(become);
  for (auto [i, value] : llvm::enumerate(body.yields)) // an argument that is yielded unchanged
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == &body.block)
      body.yields[i] = block.getArgument(argument.getArgNumber());
  block.getOperations().splice(block.end(), body.block.getOperations());
  OpBuilder builder(region.getContext());
  builder.setInsertionPointToEnd(&block);
  if constexpr (std::is_same_v<Terminator, ConditionOp>)
    ConditionOp::create(builder, region.getLoc(), body.yields.front());
  else
    YieldOp::create(builder, region.getLoc(), body.yields);
}

ScanOp autodiff::makeScan(Emit &e, const Dim &trip, Value length, bool reverse, const Operands &operands, Body &body) {
  auto collected = ValueRange(body.yields).drop_front(operands.carry.size()).getTypes();
  OpBuilder &builder = e.getBuilder();
  ScanOp scan = ScanOp::create(builder, e.getLocation(), length, operands.consts, operands.carry, operands.xs,
                               shapeOf(builder.getContext(), {trip}), collected, reverse);
  fill<YieldOp>(scan.getBody(), body);
  return scan;
}

IfOp autodiff::makeIf(Emit &e, Value predicate, ValueRange consts, Body &taken, Body &otherwise) {
  IfOp branch = IfOp::create(e.getBuilder(), e.getLocation(), ValueRange(taken.yields).getTypes(), predicate, consts);
  fill<YieldOp>(branch.getTaken(), taken);
  fill<YieldOp>(branch.getOtherwise(), otherwise);
  return branch;
}

CheckpointOp autodiff::makeCheckpoint(Emit &e, ValueRange consts, Body &body) {
  CheckpointOp checkpoint = CheckpointOp::create(e.getBuilder(), e.getLocation(), ValueRange(body.yields).getTypes(), consts);
  fill<YieldOp>(checkpoint.getBody(), body);
  return checkpoint;
}

WhileOp autodiff::makeWhile(Emit &e, WhileOp like, ValueRange consts, ValueRange carry, Body &condition, Body &body) {
  WhileOp loop = WhileOp::create(e.getBuilder(), e.getLocation(), consts, carry, like.getBoundAttr(), like.getCheckpointAttr());
  if (Attribute declared = like->getAttr(kDeclaredBoundAttr))
    loop->setAttr(kDeclaredBoundAttr, declared);
  if (like.getBound() && (like->hasAttr(kMadeOfLoopAttr) || !like->use_empty()))
    loop->setAttr(kMadeOfLoopAttr, e.getBuilder().getUnitAttr());
  fill<ConditionOp>(loop.getCondition(), condition);
  fill<YieldOp>(loop.getBody(), body);
  return loop;
}

SmallVector<Value> autodiff::addLike(Body &body, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) -> Value { return body.add(value); });
}

void autodiff::moveOps(Body &from, Body &to, ValueRange arguments) {
  IRMapping moved;
  moved.map(from.block.getArguments(), arguments);
  for (Value value : from.yields)
    to.yields.push_back(moved.lookupOrDefault(value));
  for (auto [argument, become] : llvm::zip_equal(from.block.getArguments(), arguments))
    argument.replaceAllUsesWith(become);
  to.block.getOperations().splice(to.block.end(), from.block.getOperations());
}

SmallVector<Value> autodiff::copyRegion(Emit &e, Region &region, ValueRange arguments) {
  Piece piece = Piece::of(region);
  IRMapping map;
  map.map(piece.arguments(), arguments);
  for (Operation &op : piece.ops())
    e.getBuilder().clone(op, map);
  return llvm::map_to_vector(piece.yields, [&](Value value) { return map.lookup(value); });
}
