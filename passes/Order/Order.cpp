#include "passes/Order/Order.h"
#include "lib/Analysis/StepOrder.h"
#include "lib/Support/Explain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace lathe {
#define GEN_PASS_DEF_ORDERPASS
#include "passes/Order/Order.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {

/// The sizes of named dimensions for which an order is searched, and those for which it must not be worse.
constexpr int64_t kMiddle = 64;
constexpr int64_t kOthers[] = {1, 1000};

/// Puts ops in front of the block's terminator, each after the constants and views that it reads.
class Placer {
public:
  explicit Placer(Block &block) : block(block) {
    for (Operation &op : block.without_terminator())
      all.push_back(&op);
  }

  void place(Operation *op) {
    if (op->getBlock() != &block || isa<func::ReturnOp>(op) || op == block.getTerminator() || !placed.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      if (Operation *maker = operand.getDefiningOp())
        place(maker);
    op->moveBefore(block.getTerminator());
  }

  void placeRest() {
    for (Operation *op : all)
      place(op);
  }

private:
  Block &block;
  SmallVector<Operation *> all;
  DenseSet<Operation *> placed;
};

class Ordering {
public:
  Ordering(func::FuncOp function, size_t effort) : function(function), effort(effort) {}

  size_t run() {
    SmallVector<Block *> blocks; // inner ones first
    function.getBody().walk([&](Block *block) {
      if (isa<func::FuncOp>(block->getParentOp()) || isControl(block->getParentOp()))
        blocks.push_back(block);
    });
    return llvm::count_if(blocks, [&](Block *block) { return orderBlock(*block); });
  }

private:
  BlockMemory read(Block &block, int64_t size) { return BlockMemory(block, sizesOf(function, size), positions); }

  bool orderBlock(Block &block) {
    positions.number(function.getBody().front());
    BlockMemory memory = read(block, kMiddle);
    BlockMemory::Order order = findOrder(memory, effort);
    if (order == memory.order())
      return false;
    bool isOpen = !sizesOf(function, kMiddle).empty();
    for (int64_t size : isOpen ? ArrayRef(kOthers) : ArrayRef<int64_t>())
      if (BlockMemory other = read(block, size); other.peak(order) > other.peak(other.order()))
        return false;
    explain(block.getParentOp()->getLoc(), "plan",
            "@{}: another order of the kernels lowers the largest live set from {} to {} bytes{}", function.getSymName().str(),
            memory.peak(memory.order()), memory.peak(order), isOpen ? " where each named dimension is 64" : "");
    Placer placer(block);
    for (unsigned step : order)
      placer.place(memory.getSteps()[step].op);
    placer.placeRest();
    return true;
  }

  func::FuncOp function;
  const size_t effort;
  Positions positions;
};

struct OrderPass : lathe::impl::OrderPassBase<OrderPass> {
  using OrderPassBase::OrderPassBase;

  void runOnOperation() final {
    if (!getOperation().isDeclaration())
      ordered += Ordering(getOperation(), effort).run();
  }
};
} // namespace

size_t lathe::orderSteps(func::FuncOp function) { return Ordering(function, 1).run(); }
