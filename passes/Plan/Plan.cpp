#include "passes/Plan/Plan.h"
#include "lib/Support/Explain.h"
#include "lib/Support/SourcePlace.h"
#include "passes/Plan/Arena.h"
#include "passes/Plan/Liveness.h"

using namespace mlir;
using namespace lathe;

namespace {

/// Plans one function. Positions are indices of ops in the block.
class Planner {
public:
  explicit Planner(func::FuncOp function)
      : function(function), name(function.getSymName()), block(function.getBody().front()) {}

  /// Returns how many places in the arena there are.
  size_t run() {
    isolateResults();
    number();
    placeState();
    number(); // copies at the end may have come in
    allocate();
    annotate();
    return allocations.size();
  }

private:
  bool isState(unsigned result) { return bool(function.getResultAttr(result, kStateAttr)); }

  /// The argument that holds the old value of the variable that a result updates.
  BlockArgument oldValue(unsigned result) {
    Attribute name = function.getResultAttr(result, kStateAttr);
    for (unsigned i = 0; name && i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, kStateAttr) == name)
        return function.getArgument(i);
    return {};
  }

  /// What folding made has no place of its own.
  Location placeOf(Value value) { return sourcePlace(value.getLoc()).line ? value.getLoc() : function.getLoc(); }

  Value copyOf(Value value) {
    OpBuilder builder(block.getTerminator());
    auto kernel = KernelOp::create(builder, placeOf(value), value.getType(), value);
    Block *body = builder.createBlock(&kernel.getBody());
    body->addArgument(value.getType(), placeOf(value));
    Value copy = StopGradientOp::create(builder, placeOf(value), body->getArgument(0)); // an identity
    YieldOp::create(builder, placeOf(value), copy);
    return kernel.getResult(0);
  }

  /// After this every returned value is a kernel's result that is returned once.
  void isolateResults() {
    llvm::SmallPtrSet<void *, 8> returned;
    for (OpOperand &operand : block.getTerminator()->getOpOperands()) {
      Value value = operand.get();
      if (value.getDefiningOp<KernelOp>() && returned.insert(value.getAsOpaquePointer()).second)
        continue;
      explainNot(placeOf(value), "plan",
                 "@{}: result {} is a copy: what is returned is an argument, a view, a constant or another result", name,
                 operand.getOperandNumber());
      operand.set(copyOf(value));
    }
  }

  void number() {
    position.clear();
    for (Operation &op : block)
      position[&op] = position.size();
  }

  unsigned lastUse(Value value) {
    unsigned last = value.getDefiningOp() ? position.lookup(value.getDefiningOp()) : 0;
    for (Operation *user : value.getUsers()) {
      last = std::max(last, position.lookup(user));
      if (isa<ReshapeOp>(user))
        last = std::max(last, lastUse(user->getResult(0)));
    }
    return last;
  }

  /// State is updated in place by the kernel that makes the new value if nothing reads the old one later, and that kernel only
  /// where it writes, and no call that may fail comes then; else from a copy at the end, where all have read.
  void placeState() {
    Operation *terminator = block.getTerminator();
    for (unsigned i = 0; i < terminator->getNumOperands(); ++i) {
      BlockArgument old = oldValue(i);
      if (!old)
        continue;
      auto kernel = terminator->getOperand(i).getDefiningOp<KernelOp>();
      unsigned writes = position.lookup(kernel), result = cast<OpResult>(terminator->getOperand(i)).getResultNumber();
      // A function that fails must leave the state as it was.
      bool mayFail = llvm::any_of(block.getOps<KernelOp>(), [&](KernelOp other) {
        return position.lookup(other) >= writes && !other.getBody().getOps<ExternOp>().empty();
      });
      bool inPlace = lastUse(old) <= writes && !mayFail;
      for (auto [input, operand] : llvm::enumerate(kernel.getInputs()))
        if (memoryOf(operand) == old)
          inPlace &= operand == Value(old) && readsInPlace(kernel, input, result);
      std::string variable = cast<FlatSymbolRefAttr>(function.getResultAttr(i, kStateAttr)).getValue().str();
      if (inPlace)
        explain(kernel.getLoc(), "plan", "@{}: @{} is updated in place", name, variable);
      else
        explainNot(kernel.getLoc(), "plan", "@{}: @{} is updated by a copy at the end: {}", name, variable,
                   mayFail ? "a call before that may fail" : "its old value is read until then");
      if (!inPlace)
        terminator->setOperand(i, copyOf(terminator->getOperand(i)));
    }
  }

  void allocate() {
    for (auto [i, operand] : llvm::enumerate(block.getTerminator()->getOperands()))
      resultOf[operand] = i;
    for (auto kernel : block.getOps<KernelOp>()) {
      llvm::SmallDenseSet<size_t> taken;
      for (Value output : kernel.getResults()) {
        if (resultOf.count(output))
          continue;
        unsigned first = position.lookup(kernel), last = lastUse(output);
        if (std::optional<size_t> shared = dyingInput(kernel, output, taken)) {
          explain(kernel.getLoc(), "plan", "@{}: the result takes the place of a value that is read here for the last time",
                  name);
          taken.insert(*shared);
          allocationOf[output] = *shared;
          allocations[*shared].last = last;
          continue;
        }
        allocationOf[output] = allocations.size();
        taken.insert(allocations.size());
        allocations.push_back({byteSize(output), first, last, {}});
      }
    }
    workspace = packArena(allocations);
    explainArena();
  }

  void explainArena() {
    if (!isExplaining(function.getContext()) || allocations.empty())
      return;
    Dim bytes(0);
    for (const Allocation &allocation : allocations)
      bytes = bytes + allocation.size;
    explain(function.getLoc(), "plan", "@{}: {} buffers of {} bytes in all share a workspace of {} bytes", name,
            allocations.size(), bytes.str(), workspace.str());
  }

  /// An allocation that the kernel reads for the last time, where it is about to write.
  std::optional<size_t> dyingInput(KernelOp kernel, Value output, const llvm::SmallDenseSet<size_t> &taken) {
    unsigned result = cast<OpResult>(output).getResultNumber();
    auto type = cast<RankedTensorType>(output.getType());
    for (auto [i, operand] : llvm::enumerate(kernel.getInputs())) {
      auto it = allocationOf.find(memoryOf(operand));
      if (it == allocationOf.end() || taken.contains(it->second) || allocations[it->second].last != position.lookup(kernel))
        continue;
      if (cast<RankedTensorType>(operand.getType()).getElementTypeBitWidth() != type.getElementTypeBitWidth() ||
          allocations[it->second].size != byteSize(output) || !readsInPlace(kernel, i, result) ||
          readElsewhere(kernel, it->second, i, result))
        continue;
      return it->second;
    }
    return std::nullopt;
  }

  bool readElsewhere(KernelOp kernel, size_t allocation, unsigned except, unsigned result) {
    for (auto [i, operand] : llvm::enumerate(kernel.getInputs())) {
      auto it = allocationOf.find(memoryOf(operand));
      if (i != except && it != allocationOf.end() && it->second == allocation && !readsInPlace(kernel, i, result))
        return true;
    }
    return false;
  }

  void annotate() {
    MLIRContext *context = function.getContext();
    Builder builder(context);
    for (auto kernel : block.getOps<KernelOp>()) {
      SmallVector<Attribute> buffers;
      for (Value output : kernel.getResults()) {
        if (auto it = resultOf.find(output); it != resultOf.end())
          buffers.push_back(BufferAttr::get(context, BufferKind::Result, it->second, Dim(0).toAttr(context)));
        else
          buffers.push_back(
              BufferAttr::get(context, BufferKind::Arena, 0, allocations[allocationOf.lookup(output)].offset.toAttr(context)));
      }
      kernel->setAttr(kBuffersAttr, builder.getArrayAttr(buffers));
    }
    function->setAttr(kWorkspaceAttr, workspace.toAttr(context));
  }

  func::FuncOp function;
  std::string name;
  Block &block;
  DenseMap<Operation *, unsigned> position;
  DenseMap<Value, unsigned> resultOf;
  DenseMap<Value, size_t> allocationOf;
  std::vector<Allocation> allocations;
  Dim workspace;
};

struct PlanPass : PassWrapper<PlanPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlanPass)
  PlanPass() = default;
  PlanPass(const PlanPass &other) : PassWrapper(other) {}
  StringRef getArgument() const final { return "lathe-plan"; }
  StringRef getDescription() const final {
    return "Gives every value between kernels its memory: an output, a variable in place, or an offset in one arena, whose "
           "size is a formula in the named dimensions. Requires a body of kernels, constants and reshapes. Guarantees that "
           "every kernel has its buffers.";
  }
  void runOnOperation() final {
    if (!getOperation().isDeclaration())
      buffers += Planner(getOperation()).run();
  }

private:
  Statistic buffers{this, "buffers", "places in arenas"};
};
} // namespace

std::unique_ptr<Pass> lathe::createPlanPass() { return std::make_unique<PlanPass>(); }

void lathe::registerPlanPasses() {
  PassRegistration<PlanPass>();
  registerPass([] { return createVerifyPlanPass(); });
}
