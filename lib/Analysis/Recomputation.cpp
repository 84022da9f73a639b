#include "lib/Analysis/Recomputation.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/Threefry.h"
#include "lib/Analysis/Bytes.h"
#include "lib/Analysis/PairProducts.h"
#include "lib/Analysis/Widening.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace lathe;

/// True for a left operand of a product with columns. A tile loads its elements one by one, and again for every panel of
/// columns. Right operands are loaded as vectors, each of which meets all rows of the tile.
static bool isTakenByElements(Operation *op) {
  return llvm::any_of(op->getUses(), [](OpOperand &use) {
    auto dot = dyn_cast<DotGeneralOp>(use.getOwner());
    return dot && use.getOperandNumber() == 0 &&
           dimsOf(dot.getRhs()).size() > dot.getRhsBatch().size() + dot.getRhsContract().size();
  });
}

/// True if the op widens halves only for products, which read halves directly on a device's tensor cores.
static bool isForTensorCores(ConvertOp op) {
  return isOnDevice(op) && isHalf(getElementTypeOrSelf(op.getOperand().getType())) && widens(op) && !op->use_empty() &&
         llvm::all_of(op->getUsers(), multiplies);
}

/// True if all elements are one number, computed from sizes and constants only, and by few ops. Readers recompute it. The
/// search stops after these few ops, because it runs for every op of a graph.
static bool isOneNumber(Operation *op) {
  constexpr size_t kMostOps = 64;
  llvm::SmallPtrSet<Operation *, 8> seen{op};
  SmallVector<Operation *> open{op};
  while (!open.empty()) {
    Operation *each = open.pop_back_val();
    if (auto constant = dyn_cast<ConstantOp>(each); constant && !isa<SplatElementsAttr>(constant.getValue()))
      return false;
    if (isa<ConstantOp, DimSizeOp>(each))
      continue;
    if (!isa<BroadcastOp>(each) && !each->hasTrait<ElementwiseTrait>())
      return false;
    for (Value operand : each->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer)
        return false;
      if (seen.insert(producer).second)
        open.push_back(producer);
    }
    if (seen.size() > kMostOps)
      return false;
  }
  return true;
}

/// True if a broadcast repeats each element of its operand many times: by a named extent, or by this number at least.
static bool repeatsMuch(BroadcastOp op) {
  constexpr int64_t kOften = 8;
  Dim times(1);
  for (auto [i, extent] : llvm::enumerate(dimsOf(op.getResult())))
    if (!llvm::is_contained(op.getDims(), int64_t(i)))
      times = times * extent;
  return !times.isStatic() || times.constant() >= kOften;
}

/// True for a sum, difference or product of broadcasts that several kernels may read: a table of all pairs. It is much larger
/// than what it is made of, which stays in the cache, so that to compute it again takes less than to load it.
static bool isOfPairs(Operation *op) {
  if (!isa<AddOp, SubOp, MulOp>(op) || op->hasOneUse())
    return false;
  bool isSpread = llvm::all_of(op->getOperands(), [](Value operand) {
    auto broadcast = operand.getDefiningOp<BroadcastOp>();
    return broadcast && repeatsMuch(broadcast);
  });
  return isSpread && llvm::all_of(op->getUsers(),
                                  [](Operation *user) { return user->hasTrait<ElementwiseTrait>() || isa<ReduceOp>(user); });
}

/// True if a value is in memory, however ops are grouped into kernels: an argument, a view, or the result of a product or
/// convolution that a reduction reads, for both need a kernel of their own.
static bool isStored(Value value) {
  Operation *producer = value.getDefiningOp();
  if (!producer)
    return true;
  return isa<ReshapeOp>(producer) || (multiplies(producer) && llvm::any_of(value.getUsers(), llvm::IsaPred<ReduceOp>));
}

/// True for a value that each kernel has in registers: one number, or a number for each element of the last dimension.
static bool isSmall(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return value.getDefiningOp() && isOneNumber(value.getDefiningOp());
  int64_t last = cast<RankedTensorType>(value.getType()).getRank() - 1;
  return repeatsMuch(broadcast) && (broadcast.getDims().empty() || llvm::is_contained(broadcast.getDims(), last));
}

static bool isCheap(Operation *op) { return isa<AddOp, SubOp, MulOp, NegOp, AbsOp, MaxOp, MinOp, CompareOp>(op); }

/// Returns the only operand of a cheap op that is not small, if all readers of the op read it at their own index.
static Value largeOperandOf(Operation *op) {
  bool isRead =
      llvm::all_of(op->getUsers(), [](Operation *user) { return user->hasTrait<ElementwiseTrait>() || isa<ReduceOp>(user); });
  if (!isCheap(op) || !isRead || cast<RankedTensorType>(op->getResult(0).getType()).getRank() < 2)
    return {};
  Value large;
  for (Value operand : op->getOperands()) {
    if (isSmall(operand) || operand == large)
      continue;
    if (large || !isFloatTensor(operand.getType()))
      return {};
    large = operand;
  }
  return large;
}

/// True if a few cheap ops make the result of a stored value and of small ones, such as the terms of a batch norm.
static bool derivesFromStored(Operation *op) {
  constexpr int kMostOps = 6;
  for (int depth = 0; op && depth < kMostOps; ++depth) {
    Value large = largeOperandOf(op);
    if (!large || isStored(large))
      return bool(large);
    op = large.getDefiningOp();
  }
  return false;
}

/// True if several kernels may read what derives from a stored value, or the only reader is such an op itself. Each kernel then
/// reads the stored value, which takes no longer, and none stores this one.
static bool isOfStored(Operation *op) {
  while (derivesFromStored(op)) {
    if (!op->hasOneUse())
      return true;
    op = *op->user_begin();
  }
  return false;
}

bool lathe::isRecomputed(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (isOneNumber(op) || isForByteProducts(op) || isForPairProducts(op))
    return true;
  if (auto convert = dyn_cast<ConvertOp>(op)) // widened where it is read: fewer bytes, and no copy
    return isForTensorCores(convert) ||
           (widens(convert) && (isa<BlockArgument>(convert.getOperand()) || convert.getOperand().getDefiningOp<ConstantOp>()) &&
            // Widening f16 elements one by one takes longer than their products.
            !(getElementTypeOrSelf(convert.getOperand().getType()).isF16() && isTakenByElements(op)) &&
            llvm::none_of(op->getUsers(), llvm::IsaPred<ConvolutionOpInterface>));
  return isa<BroadcastOp, IotaOp, DimSizeOp>(op) || isOfPairs(op) || isOfStored(op);
}

/// True if adjacent elements of a row are not contiguous in the memory that an access reads.
static bool isStrided(AccessAttr access) {
  AffineMap map = access.getMap().getValue();
  return map.getNumResults() && llvm::any_of(map.getResults().drop_back(), [&](AffineExpr index) {
           return map.getNumDims() && index.isFunctionOfDim(map.getNumDims() - 1);
         });
}

unsigned lathe::pointCost(NestOp nest) {
  constexpr unsigned kFunction = 16, kDivision = 8, kPicked = 4;
  unsigned cost = 0;
  for (Attribute access : nest.getAccesses())
    cost += isStrided(cast<AccessAttr>(access)) ? kDivision : 0;
  for (Operation &op : nest.getBody().front().without_terminator()) {
    bool divides = isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, math::SqrtOp>(op);
    auto function = dyn_cast<ApplyOp>(op);
    cost += function && function.getFunction() == kThreefry ? kThreefryOperations
            : function || isa<arith::RemFOp>(op)            ? kFunction
            : divides                                       ? kDivision
            : isa<ElementOp>(op)                            ? kPicked
            : isa<arith::ConstantOp>(op)                    ? 0
                                                            : 1;
  }
  return cost;
}
