// A walk in program order plans each op from the shardings of its operands. A loop is planned again when the end of its body
// splits a value that the loop carries whole: a sum of gradients, for instance, which begins with zeros.
#include "passes/Partition/Propagate.h"
#include "dialects/Lathe/IR/Control.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::partition;

/// Returns the sharding of a stack of slices, or of a slice of a stack: the first dimension is not divided.
static Sharding stacked(const Sharding &slice) {
  Sharding result = slice.combined();
  result.dims.insert(result.dims.begin(), StringAttr());
  return result;
}
static Sharding sliced(const Sharding &stack) {
  Sharding result = stack.combined();
  result.dims.erase(result.dims.begin());
  return result;
}

namespace {
class Propagation {
public:
  explicit Propagation(const Axes &axes) : axes(axes) {}

  FunctionPlan run(func::FuncOp function, ArrayRef<Sharding> arguments, ArrayRef<Sharding> results) {
    Block &block = function.front();
    setArguments(block, arguments);
    runBlock(block);
    plan.ops[block.getTerminator()].operands.assign(results.begin(), results.end());
    return std::move(plan);
  }

private:
  void setArguments(Block &block, ArrayRef<Sharding> shardings) {
    for (auto [argument, sharding] : llvm::zip_equal(block.getArguments(), shardings))
      plan.values[argument] = sharding;
  }

  /// Plans all ops of a block except its last one.
  void runBlock(Block &block) {
    for (Operation &op : block.without_terminator())
      isControl(&op) ? runControl(&op) : runOp(&op);
  }

  SmallVector<Sharding> shardingsOf(ValueRange values) const {
    return llvm::map_to_vector(values, [&](Value value) { return plan.values.at(value); });
  }
  SmallVector<Sharding> combinedOf(ValueRange values) const {
    return llvm::map_to_vector(values, [&](Value value) { return plan.values.at(value).combined(); });
  }

  void setResults(Operation *op) {
    for (auto [result, sharding] : llvm::zip_equal(op->getResults(), plan.ops[op].results)) {
      // A sum may wait for one reader; several would each add it up.
      bool waits = sharding.kind == CollectiveKind::Sum && result.hasOneUse();
      plan.values[result] = waits ? sharding : sharding.combined();
    }
  }

  void runOp(Operation *op) {
    plan.ops[op] = planOf(op, shardingsOf(op->getOperands()), axes);
    setResults(op);
  }

  /// Plans the regions of a branch or a loop with these values of their arguments.
  void runRegions(Operation *op, ArrayRef<Sharding> arguments) {
    for (Region &region : op->getRegions()) {
      Block &block = region.front();
      setArguments(block, arguments.take_front(block.getNumArguments()));
      runBlock(block);
    }
  }

  void runControl(Operation *op) {
    auto control = cast<ControlOpInterface>(op);
    unsigned leading = control.getNumLeadingOperands(), carries = control.getCarry().size();
    SmallVector<Sharding> operands;
    for (Value operand : op->getOperands().take_front(leading))
      operands.emplace_back(operand.getType());
    llvm::append_range(operands, combinedOf(op->getOperands().drop_front(leading)));
    unsigned firstCarry = leading + control.getConsts().size(), firstStack = firstCarry + carries;
    SmallVector<Sharding> ends;
    for (bool changed = true; changed;) {
      changed = false;
      SmallVector<Sharding> arguments(ArrayRef(operands).slice(leading, firstStack - leading));
      for (unsigned i = firstStack; i < operands.size(); ++i) {
        operands[i].dims[0] = nullptr;
        arguments.push_back(sliced(operands[i]));
      }
      runRegions(op, arguments);
      ends = endsOf(op);
      for (unsigned i = 0; i < carries; ++i)
        if (operands[firstCarry + i].isWhole() && ends[i].isSplit()) {
          operands[firstCarry + i] = ends[i];
          changed = true;
        }
    }
    for (unsigned i = 0; i < carries; ++i)
      ends[i] = operands[firstCarry + i];
    finish(op, std::move(operands), ends);
  }

  /// Returns the shardings of the values at the end of the last region. Of two branches, the first that splits a value decides.
  SmallVector<Sharding> endsOf(Operation *op) {
    SmallVector<Sharding> ends = combinedOf(op->getRegions().back().front().getTerminator()->getOperands());
    if (isa<IfOp>(op))
      for (auto [end, other] : llvm::zip_equal(ends, combinedOf(op->getRegion(0).front().getTerminator()->getOperands())))
        if (other.isSplit())
          end = other;
    return ends;
  }

  void finish(Operation *op, SmallVector<Sharding> operands, ArrayRef<Sharding> ends) {
    for (Region &region : op->getRegions()) {
      Operation *terminator = region.front().getTerminator();
      Plan last;
      if (isa<ConditionOp>(terminator))
        last.operands.emplace_back(terminator->getOperand(0).getType());
      else
        last.operands.assign(ends.begin(), ends.end());
      plan.ops[terminator] = std::move(last);
    }
    Plan own;
    own.operands = std::move(operands);
    unsigned carries = carriesOf(op).size();
    for (auto [i, end] : llvm::enumerate(ends))
      own.results.push_back(isa<ScanOp>(op) && i >= carries ? stacked(end) : end);
    plan.ops[op] = std::move(own);
    setResults(op);
  }

  const Axes &axes;
  FunctionPlan plan;
};
} // namespace

FunctionPlan partition::propagate(func::FuncOp function, ArrayRef<Sharding> arguments, ArrayRef<Sharding> results,
                                  const Axes &axes) {
  return Propagation(axes).run(function, arguments, results);
}
