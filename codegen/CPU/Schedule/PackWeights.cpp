#include "codegen/CPU/PanelChooser.h"
#include "codegen/CPU/Schedule/CpuSchedule.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Support/Explain.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"

namespace lathe {
#define GEN_PASS_DEF_PACKWEIGHTSPASS
#include "codegen/CPU/Schedule/CpuSchedule.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
/// The part of all constants' bytes by which panels may enlarge an object.
constexpr int64_t kMostGrowth = 8;

/// The uses of a constant by all functions.
struct Readers {
  SmallVector<OpOperand *> kernels;
  bool others = false; // something other than a kernel uses it

  void add(Value value) {
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto kernel = dyn_cast<KernelOp>(user); kernel && isCompiled(kernel))
        kernels.push_back(&use);
      else if (isa<ReshapeOp>(user))
        add(user->getResult(0));
      else if (isControl(user) && isConst(use))
        for (Region &region : user->getRegions())
          add(region.getArgument(placeAmongConsts(use)));
      else
        others = true;
    }
  }

private:
  static unsigned placeAmongConsts(OpOperand &use) {
    return use.getOperandNumber() - constsOf(use.getOwner()).getBeginOperandIndex();
  }
  static bool isConst(OpOperand &use) {
    OperandRange consts = constsOf(use.getOwner());
    return use.getOperandNumber() >= consts.getBeginOperandIndex() && placeAmongConsts(use) < consts.size();
  }
};

struct PackWeightsPass : lathe::impl::PackWeightsPassBase<PackWeightsPass> {
  using PackWeightsPassBase::PackWeightsPassBase;
  explicit PackWeightsPass(const std::vector<VectorTarget> &targets) : targets(targets) {}

  void runOnOperation() final {
    FailureOr<PanelChooser> made = PanelChooser::of(getOperation(), targets, targetNames);
    if (failed(made))
      return signalPassFailure();
    chooser = std::move(*made);
    llvm::MapVector<Attribute, Readers> constants;
    getOperation().walk([&](ConstantOp op) { constants[op.getValue()].add(op.getResult()); });
    int64_t all = 0;
    for (auto &[value, readers] : constants)
      all += bytesOf(cast<ElementsAttr>(value));
    growthLeft = all / kMostGrowth;
    for (auto &[value, readers] : constants)
      if (isPackable(cast<ElementsAttr>(value)) && failed(pack(cast<ElementsAttr>(value), readers)))
        return signalPassFailure();
  }

private:
  static int64_t bytesOf(ElementsAttr value) {
    auto type = cast<RankedTensorType>(value.getShapedType());
    return type.getNumElements() * std::max(1u, type.getElementTypeBitWidth() / 8);
  }
  static bool isPackable(ElementsAttr value) {
    auto dense = dyn_cast<DenseElementsAttr>(value);
    return !(dense && dense.isSplat());
  }

  /// Marks the kernels that read a constant in panels, if any.
  LogicalResult pack(ElementsAttr value, Readers &readers) {
    SmallVector<std::pair<OpOperand *, PanelChoice>> chosen;
    bool needsRowMajor = readers.others;
    std::optional<PanelLayout> layout;
    for (OpOperand *use : readers.kernels) {
      FailureOr<std::optional<PanelChoice>> choice = chooser->choose(cast<KernelOp>(use->getOwner()));
      if (failed(choice))
        return failure();
      if (!*choice || (*choice)->operand != use->getOperandNumber()) {
        needsRowMajor = true;
        continue;
      }
      PanelLayout wanted = panelLayoutOf(cast<KernelOp>(use->getOwner()), (*choice)->operand, (*choice)->width);
      if (layout && *layout != wanted) { // the first reader's order
        needsRowMajor = true;
        continue;
      }
      layout = wanted;
      chosen.push_back({use, **choice});
    }
    bool isLarge =
        bytesOf(value) >= leastBytes || (layout && layout->ofBytes); // a kernel packs bytes that are in another order
    if (chosen.empty() || !isLarge)
      return success();
    int64_t growth = layout->bytes() - (needsRowMajor ? 0 : bytesOf(value));
    if (growth > growthLeft) {
      explainNot(chosen.front().first->getOwner()->getLoc(), "schedule",
                 "weights stay in row-major order: panels of {} columns would make the object {} bytes larger", layout->width,
                 growth);
      return success();
    }
    growthLeft -= growth;
    ++packed;
    for (auto &[use, choice] : chosen)
      mark(cast<KernelOp>(use->getOwner()), choice);
    return success();
  }

  static void mark(KernelOp kernel, const PanelChoice &choice) {
    SmallVector<int64_t> widths(kernel.getNumOperands(), 0);
    if (auto others = kernel->getAttrOfType<DenseI64ArrayAttr>(kPanelsAttr))
      widths = SmallVector<int64_t>(others.asArrayRef());
    widths[choice.operand] = choice.width;
    kernel->setAttr(kPanelsAttr, DenseI64ArrayAttr::get(kernel.getContext(), widths));
    explain(kernel.getLoc(), "schedule", "the object stores the weights in panels of {} columns", choice.width);
  }

  std::vector<VectorTarget> targets;
  std::optional<PanelChooser> chooser;
  int64_t growthLeft = 0; // bytes
};
} // namespace

std::unique_ptr<Pass> lathe::createPackWeightsPass(const std::vector<VectorTarget> &targets) {
  return std::make_unique<PackWeightsPass>(targets);
}
