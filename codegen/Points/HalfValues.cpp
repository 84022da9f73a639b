#include "codegen/Points/HalfValues.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lathe;

/// True if `half` differs from `other`, which may be null.
static bool isAnother(Type half, Type other) { return other && half != other; }

/// Sets `half` to the type that the value's readers round to. Returns false if a reader uses it unrounded.
static bool addHalf(Value value, Type &half) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto rounding = dyn_cast<arith::TruncFOp>(user); rounding && isHalf(rounding.getType())) {
      if (isAnother(rounding.getType(), half))
        return false;
      half = rounding.getType();
      continue;
    }
    auto own = dyn_cast<NestOp>(user->getParentOp());
    if (auto reader = dyn_cast<NestOp>(user)) { // uses the nest's result
      if (!addHalf(reader.getBody().getArgument(use.getOperandNumber()), half))
        return false;
    } else if (!own || !user->hasTrait<OpTrait::IsTerminator>() || own.getReduction() != NestReduction::None ||
               !addHalf(own.getResult(), half)) {
      return false;
    }
  }
  return true;
}

Type lathe::halfReadFrom(Value value) {
  Type half;
  return addHalf(value, half) ? half : Type();
}

Type lathe::halfWidenedTo(Value value) {
  if (auto widening = value.getDefiningOp<arith::ExtFOp>())
    return isHalf(widening.getIn().getType()) ? widening.getIn().getType() : Type();
  auto argument = dyn_cast<BlockArgument>(value);
  auto reader = argument ? dyn_cast<NestOp>(argument.getOwner()->getParentOp()) : NestOp();
  if (!reader)
    return {};
  auto access = cast<AccessAttr>(reader.getAccesses()[argument.getArgNumber()]);
  if (auto fill = dyn_cast<FloatAttr>(access.getFill());
      !fill || !fill.getValue().isZero()) // the access reads a nonzero value out of range
    return {};
  auto nest = reader.getInputs()[argument.getArgNumber()].getDefiningOp<NestOp>();
  if (!nest || nest.getReduction() != NestReduction::None)
    return {};
  return halfWidenedTo(nest.getBody().front().getTerminator()->getOperand(0));
}
