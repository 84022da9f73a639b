#include "passes/Winograd/Winograd.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Analysis/Winograd.h"
#include "lib/Support/Explain.h"

namespace lathe {
#define GEN_PASS_DEF_WINOGRADPASS
#include "passes/Winograd/Winograd.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
struct WinogradPass : lathe::impl::WinogradPassBase<WinogradPass> {
  void runOnOperation() final {
    getOperation()->walk([&](Operation *op) {
      std::optional<WinogradSquare> square = chooseWinograd(op);
      if (!square)
        return;
      op->setAttr(kWinogradAttr, Builder(&getContext()).getI64IntegerAttr(square->outputs));
      ++chosen;
      explain(op->getLoc(), "layout", "--math=fast: the {1} is computed by Winograd's F({0}x{0}, 3x3)", square->outputs,
              isa<ConvOp>(op) ? "convolution" : "gradient of the filter");
    });
  }
};
} // namespace
