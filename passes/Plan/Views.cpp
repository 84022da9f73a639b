#include "passes/Plan/Views.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Analysis/InPlace.h"
#include "lib/Support/Explain.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Plan/Joins.h"

using namespace mlir;
using namespace lathe;

/// Returns the slice that a kernel consists of, possibly with reshapes around it, or null.
static SliceOp loneSlice(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  SliceOp slice;
  for (Operation &op : body.without_terminator()) {
    if (!isa<ReshapeOp, SliceOp>(op) || (slice && isa<SliceOp>(op)))
      return {};
    if (isa<SliceOp>(op))
      slice = cast<SliceOp>(op);
  }
  return kernel.getNumResults() == 1 && kernel.getInputs().size() == 1 ? slice : SliceOp();
}

/// True if something may write over the argument of a function or region while the part is read, which is until `last`.
static bool isOverwritten(BlockArgument argument, uint64_t last, const Positions &positions) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return !isReadOnly(argument);
  Attribute variable = function.getArgAttr(argument.getArgNumber(), kStateAttr);
  for (auto [i, next] : llvm::enumerate(argument.getOwner()->getTerminator()->getOperands()))
    if (variable && function.getResultAttr(i, kStateAttr) == variable && next != Value(argument))
      return !next.getDefiningOp() || last >= positions.begin(next.getDefiningOp());
  return false;
}

/// Returns why the slice needs memory of its own; empty if it does not.
static StringRef obstacleTo(KernelOp kernel, SliceOp slice, const Positions &positions) {
  Value part = kernel.getResult(0), whole = memoryOf(kernel.getInputs()[0]);
  std::optional<Dim> offset = contiguousOffset(slice);
  if (!offset)
    return "its elements are not contiguous in the operand";
  if (!isAlignedOffset(*offset))
    return "its offset is not a multiple of 64 bytes";
  if (isYielded(part) || beginsCarry(part))
    return "it is a result, or begins a loop's carry";
  if (whole.getDefiningOp<ConstantOp>())
    return "the operand is a constant";
  uint64_t last = positions.lastUse(part);
  if (auto argument = dyn_cast<BlockArgument>(whole))
    return isOverwritten(argument, last, positions) ? "the operand changes while the slice is read" : "";
  if (beginsCarry(whole))
    return "the operand begins a loop's carry";
  return isYielded(whole) || positions.lastUse(whole) > last ? "" : "the operand would live longer";
}

void lathe::makeSliceViews(func::FuncOp function, Positions &positions) {
  SmallVector<KernelOp> kernels;
  function.walk<WalkOrder::PreOrder>([&](KernelOp kernel) {
    if (loneSlice(kernel))
      kernels.push_back(kernel);
    return WalkResult::skip();
  });
  positions.number(function.getBody().front());
  for (KernelOp kernel : kernels) {
    SliceOp slice = loneSlice(kernel);
    if (StringRef obstacle = obstacleTo(kernel, slice, positions); !obstacle.empty()) {
      explainNot(kernel.getLoc(), "plan", "@{}: the slice is a copy: {}", function.getSymName().str(), obstacle.str());
      continue;
    }
    explain(kernel.getLoc(), "plan", "@{}: the slice is a view of its operand", function.getSymName().str());
    OpBuilder builder(kernel);
    IRMapping map;
    Block &body = kernel.getBody().front();
    map.map(body.getArgument(0), kernel.getInputs()[0]);
    for (Operation &op : body.without_terminator())
      builder.clone(op, map);
    kernel.getResult(0).replaceAllUsesWith(map.lookup(body.getTerminator()->getOperand(0)));
    kernel.erase();
  }
}
