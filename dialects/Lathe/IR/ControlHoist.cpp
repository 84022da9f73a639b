// Hoists loop-invariant ops.
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/WidenedBytes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace lathe;

bool lathe::widensBytes(Operation *op) {
  auto convert = dyn_cast<ConvertOp>(op);
  if (!convert)
    return false;
  Type from = getElementTypeOrSelf(convert.getOperand().getType()), to = getElementTypeOrSelf(convert.getType());
  return from.isInteger(8) && isa<IntegerType>(to) && to.getIntOrFloatBitWidth() > 8;
}

/// True if the op only widens bf16 for products that read the bf16 themselves.
static bool widensPairs(Operation *op) {
  return isa<ConvertOp>(op) && getElementTypeOrSelf(op->getOperand(0).getType()).isBF16() && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [](Operation *user) { return user->hasAttr(kPairsAttr); });
}

/// True if recomputing the op costs less than a buffer: it repeats or names an existing value, or widens for its readers.
static bool isFree(Operation *op) {
  return isa<ConstantOp, IotaOp, BroadcastOp, ReshapeOp>(op) || widensBytes(op) || widensPairs(op);
}

/// True if the region runs for all inputs: that of a while's condition, or the body of a scan with at least one step.
static bool alwaysRuns(Region &region) {
  auto scan = dyn_cast<ScanOp>(region.getParentOp());
  if (!scan)
    return region.getRegionNumber() == 0;
  return !scan.getLength() && leastOf(scan.getSteps(), anySize) >= 1;
}

/// True if the op's derivative maps a cotangent of 0 to 0 for all operands.
static bool keepsZeros(Operation *op) {
  bool hasFloats = llvm::any_of(op->getResultTypes(), [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); });
  return !hasFloats || isa<AddOp, SubOp, NegOp, ConvertOp>(op) ||
         (op->hasTrait<MovesElementsTrait>() && !isa<ExternOp, CollectiveOpInterface>(op));
}

bool lathe::mayHoistBeforeDerivatives(Operation *op) { return alwaysRuns(*op->getParentRegion()) || keepsZeros(op); }

namespace {
/// Hoists from one region of a loop.
class Hoist {
public:
  Hoist(RewriterBase &rewriter, Operation *loop, Block &body, MayHoist mayHoist)
      : rewriter(rewriter), loop(loop), body(body), mayHoist(mayHoist) {}

  bool run() {
    for (auto [argument, operand] : llvm::zip(body.getArguments(), constsOf(loop)))
      outside.map(argument, operand);
    SmallVector<Operation *> hoisted;
    for (Operation &op : body.without_terminator()) {
      if (!isInvariant(op))
        continue;
      invariant.insert(&op);
      if (!isFree(&op) && readsConst.contains(&op))
        hoisted.push_back(&op);
    }
    rewriter.setInsertionPoint(loop);
    for (Operation *op : hoisted)
      copyOutside(op);
    for (Operation *op : llvm::reverse(hoisted))
      replace(op);
    return !hoisted.empty();
  }

private:
  /// True if the op depends only on consts, cannot fail, and has no other effect than its value.
  bool isInvariant(Operation &op) {
    if (op.getNumRegions() != 0 || !isPure(&op) || !mayHoist(&op))
      return false;
    bool reads = false;
    for (Value operand : op.getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (maker ? !invariant.contains(maker) : !outside.contains(operand))
        return false;
      reads |= !maker || readsConst.contains(maker);
    }
    if (reads)
      readsConst.insert(&op);
    return true;
  }

  void copyOutside(Operation *op) {
    for (Value operand : op->getOperands())
      if (!outside.contains(operand))
        copyOutside(operand.getDefiningOp());
    rewriter.clone(*op, outside);
  }

  /// Replaces the uses of an op. Users that are hoisted themselves have been removed.
  void replace(Operation *op) {
    for (Value result : op->getResults()) {
      if (result.use_empty())
        continue;
      unsigned index = constsOf(loop).size();
      rewriter.modifyOpInPlace(loop, [&] { addConst(loop, outside.lookup(result)); });
      rewriter.replaceAllUsesWith(result, body.getArgument(index));
    }
    rewriter.eraseOp(op);
  }

  RewriterBase &rewriter;
  Operation *loop;
  Block &body;
  MayHoist mayHoist;
  IRMapping outside;
  DenseSet<Operation *> invariant, readsConst;
};
} // namespace

bool lathe::hoistInvariants(RewriterBase &rewriter, Operation *loop, MayHoist mayHoist) {
  bool changed = false;
  for (Region &region : loop->getRegions())
    changed |= Hoist(rewriter, loop, region.front(), mayHoist).run();
  return changed;
}

bool lathe::sinkWidenedBytes(RewriterBase &rewriter, Operation *loop) {
  bool changed = false;
  for (unsigned i = 0, count = constsOf(loop).size(); i < count; ++i) {
    Operation *widening = constsOf(loop)[i].getDefiningOp();
    bool isUsed = llvm::any_of(loop->getRegions(), [&](Region &region) { return !region.getArgument(i).use_empty(); });
    if (!isUsed || !widening || !widensBytes(widening))
      continue;
    unsigned bytes = constsOf(loop).size();
    rewriter.modifyOpInPlace(loop, [&] { addConst(loop, widening->getOperand(0)); });
    for (Region &region : loop->getRegions()) {
      rewriter.setInsertionPointToStart(&region.front());
      IRMapping inside;
      inside.map(widening->getOperand(0), region.getArgument(bytes));
      if (BlockArgument wide = region.getArgument(i); !wide.use_empty())
        rewriter.replaceAllUsesWith(wide, rewriter.clone(*widening, inside)->getResult(0));
    }
    changed = true;
  }
  return changed;
}
