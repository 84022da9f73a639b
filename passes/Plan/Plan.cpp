#include "passes/Plan/Plan.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Analysis/InPlace.h"
#include "lib/Support/Explain.h"
#include "passes/Plan/Arena.h"
#include "passes/Plan/Ends.h"

namespace lathe {
#define GEN_PASS_DEF_PLANPASS
#include "passes/Plan/Plan.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {

/// Plans one function.
class Planner {
public:
  explicit Planner(func::FuncOp function)
      : function(function), name(function.getSymName()), block(function.getBody().front()) {}

  /// Plans the function. Returns the number of buffers in the arena.
  size_t run() {
    isolateBlocks(function, positions);
    placeState();
    allocateBlock(block);
    arena = packArena(allocations);
    explainArena();
    annotate();
    return allocations.size();
  }

private:
  bool isState(unsigned result) { return bool(function.getResultAttr(result, kStateAttr)); }

  /// Returns the arguments that hold the old values of variables, by name.
  DenseMap<Attribute, BlockArgument> oldValues() {
    DenseMap<Attribute, BlockArgument> values;
    for (BlockArgument argument : function.getArguments())
      if (Attribute name = function.getArgAttr(argument.getArgNumber(), kStateAttr))
        values.try_emplace(name, argument);
    return values;
  }

  /// Returns the position after the last op that may make the entry fail.
  uint64_t lastFailure() {
    for (Operation &op : llvm::reverse(block))
      if (mayFail(&op))
        return positions.end(&op);
    return 0;
  }

  /// Places the new state. The kernel that computes a new value updates the state in place if nothing reads the old value
  /// later, the kernel itself reads it only where it writes, and no call that may fail follows. Otherwise a copy at the end
  /// updates it, after all reads.
  void placeState() {
    Operation *terminator = block.getTerminator();
    DenseMap<Attribute, BlockArgument> variables = oldValues();
    uint64_t failure = lastFailure();
    for (unsigned i = 0; i < terminator->getNumOperands(); ++i) {
      if (!isState(i))
        continue;
      BlockArgument old = variables.lookup(function.getResultAttr(i, kStateAttr)); // null if nothing reads it
      Value next = terminator->getOperand(i);
      Operation *maker = next.getDefiningOp();
      uint64_t writes = positions.begin(maker);
      unsigned result = cast<OpResult>(next).getResultNumber();
      bool failsLater = failure >= writes;     // a function that fails must leave the state unchanged
      auto kernel = dyn_cast<KernelOp>(maker); // a branch or a stack is written in several steps
      bool inPlace = kernel && !failsLater && (!old || positions.lastUse(old) <= writes);
      for (auto [input, operand] : llvm::enumerate(kernel ? ValueRange(kernel.getInputs()) : ValueRange()))
        if (old && memoryOf(operand) == old)
          inPlace &= operand == Value(old) && readsInPlace(kernel, input, result);
      std::string variable = cast<FlatSymbolRefAttr>(function.getResultAttr(i, kStateAttr)).getValue().str();
      if (inPlace)
        explain(maker->getLoc(), "plan", "@{}: @{} is updated in place", name, variable);
      else
        explainNot(maker->getLoc(), "plan", "@{}: @{} is updated by a copy at the end: {}", name, variable,
                   failsLater ? "a call or loop before the write may fail" : "its old value is still read");
      if (!inPlace)
        setCopy(terminator->getOpOperand(i), function, positions);
    }
  }

  /// Allocates a block. The operands of its terminator are in the buffers of the op's results.
  void allocateBlock(Block &inside) {
    Operation *end = inside.getTerminator();
    BufferKind kind = isa<func::ReturnOp>(end) ? BufferKind::Result : BufferKind::Yield;
    if (!isa<ConditionOp>(end))
      for (auto [i, operand] : llvm::enumerate(end->getOperands()))
        placeOutside(operand, BufferAttr::get(function.getContext(), kind, i, Dim(0).toAttr(function.getContext())));
    for (Operation &op : inside) {
      if (auto kernel = dyn_cast<KernelOp>(op))
        allocateKernel(kernel);
      if (!isControl(&op))
        continue;
      allocateControl(&op);
      for (Region &region : op.getRegions())
        allocateBlock(region.front());
    }
  }

  /// Places a value, and the initial values of the loops that compute it.
  void placeOutside(Value value, BufferAttr place) {
    for (Value origin = originOf(value, positions); value.getDefiningOp();) {
      outside[value] = place;
      if (value == origin)
        return;
      value = carriesOf(value.getDefiningOp())[cast<OpResult>(value).getResultNumber()];
    }
  }

  void allocateKernel(KernelOp kernel) {
    llvm::SmallDenseSet<size_t> taken;
    for (Value output : kernel.getResults()) {
      if (outside.count(output))
        continue;
      uint64_t first = positions.begin(kernel), last = positions.lastUse(output);
      if (std::optional<size_t> shared = dyingInput(kernel, output, taken)) {
        explain(kernel.getLoc(), "plan", "@{}: the result reuses the buffer of a value whose live range ends here", name);
        taken.insert(*shared);
        allocationOf[output] = *shared;
        allocations[*shared].last = last;
        continue;
      }
      taken.insert(allocate(output, first, last));
    }
  }

  size_t allocate(Value value, uint64_t first, uint64_t last) {
    allocationOf[value] = allocations.size();
    allocations.push_back({byteSize(value), first, last, {}});
    return allocations.size() - 1;
  }

  /// Allocates a loop or branch. A loop's carries use the buffers of their initial values; other results have buffers of their
  /// own.
  void allocateControl(Operation *op) {
    uint64_t begin = positions.begin(op);
    OperandRange carries = carriesOf(op);
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      uint64_t last = std::max(positions.end(op), positions.lastUse(result));
      if (i >= carries.size()) {
        if (!outside.count(result))
          allocate(result, begin, last);
        continue;
      }
      if (!outside.count(result)) {
        size_t own = allocationOf.lookup(carries[i]);
        allocations[own].last = std::max(allocations[own].last, last);
        carryPlace[result] = own;
      }
      if (updatesInPlace(op, i, positions)) {
        explain(op->getLoc(), "plan", "@{}: carry {} is updated in place", name, i);
        continue;
      }
      explainNot(op->getLoc(), "plan", "@{}: carry {} is double-buffered: its old value is read while the new one is computed",
                 name, i);
      sparePlace[result] = allocations.size();
      allocations.push_back({byteSize(result), begin, last, {}});
    }
  }

  void explainArena() {
    if (!isExplaining(function.getContext()) || allocations.empty())
      return;
    Dim bytes(0);
    for (const Allocation &allocation : allocations)
      bytes = bytes + allocation.size;
    explain(function.getLoc(), "plan",
            "@{}: {} buffers, {} bytes in total, share a workspace of {} bytes; the largest live set is {} bytes", name,
            allocations.size(), bytes.str(), arena.size.str(), arena.live.str());
  }

  /// Returns an allocation whose last read is by this kernel, at the index that it is about to write.
  std::optional<size_t> dyingInput(KernelOp kernel, Value output, const llvm::SmallDenseSet<size_t> &taken) {
    unsigned result = cast<OpResult>(output).getResultNumber();
    auto type = cast<RankedTensorType>(output.getType());
    for (auto [i, operand] : llvm::enumerate(kernel.getInputs())) {
      auto it = allocationOf.find(memoryOf(operand));
      if (it == allocationOf.end() || taken.contains(it->second) || allocations[it->second].last != positions.begin(kernel))
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

  BufferAttr inArena(size_t allocation) {
    MLIRContext *context = function.getContext();
    return BufferAttr::get(context, BufferKind::Arena, 0, allocations[allocation].offset.toAttr(context));
  }

  BufferAttr bufferOf(Value value) {
    if (auto it = outside.find(value); it != outside.end())
      return it->second;
    auto carry = carryPlace.find(value);
    return inArena(carry == carryPlace.end() ? allocationOf.lookup(value) : carry->second);
  }

  void annotate() {
    Builder builder(function.getContext());
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<KernelOp>(op) && !isControl(op))
        return WalkResult::advance();
      SmallVector<Attribute> buffers, spares;
      for (Value output : op->getResults())
        buffers.push_back(bufferOf(output));
      op->setAttr(kBuffersAttr, builder.getArrayAttr(buffers));
      for (Value output : op->getResults().take_front(carriesOf(op).size())) {
        auto spare = sparePlace.find(output);
        spares.push_back(spare == sparePlace.end() ? Attribute(builder.getUnitAttr()) : inArena(spare->second));
      }
      if (!spares.empty())
        op->setAttr(kSparesAttr, builder.getArrayAttr(spares));
      return isControl(op) ? WalkResult::advance() : WalkResult::skip(); // kernels in strips are not planned
    });
    function->setAttr(kWorkspaceAttr, arena.size.toAttr(function.getContext()));
  }

  func::FuncOp function;
  std::string name;
  Block &block;
  Positions positions;
  DenseMap<Value, BufferAttr> outside;            // the operands of terminators
  DenseMap<Value, size_t> allocationOf;           // of values with one buffer in the arena
  DenseMap<Value, size_t> carryPlace, sparePlace; // of loops' results
  std::vector<Allocation> allocations;
  Arena arena;
};

struct PlanPass : lathe::impl::PlanPassBase<PlanPass> {
  void runOnOperation() final {
    if (!getOperation().isDeclaration())
      buffers += planFunction(getOperation());
  }
};
} // namespace

size_t lathe::planFunction(func::FuncOp function) { return Planner(function).run(); }
