#include "passes/Plan/Plan.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Analysis/BlockMemory.h"
#include "lib/Analysis/InPlace.h"
#include "lib/Support/Explain.h"
#include "passes/Plan/Arena.h"
#include "passes/Plan/Ends.h"
#include "passes/Plan/Joins.h"
#include "passes/Plan/Views.h"

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
    makeSliceViews(function, positions);
    isolateBlocks(function, positions);
    placeState();
    joinInPlace(findJoins(function, positions));
    allocate();
    arena = packArena(allocations);
    coldArena = packArena(coldAllocations);
    explainArena();
    annotate();
    llvm::for_each(joins, finishJoin);
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
      std::string variable = cast<FlatSymbolRefAttr>(function.getResultAttr(i, kStateAttr)).getValue().str();
      if (old && originOf(next, positions) == Value(old)) {
        explain(maker->getLoc(), "plan", "@{}: @{} is updated in place by all steps of the loop", name, variable);
        continue;
      }
      uint64_t writes = positions.begin(maker);
      unsigned result = cast<OpResult>(next).getResultNumber();
      bool failsLater = failure >= writes;     // a function that fails must leave the state unchanged
      auto kernel = dyn_cast<KernelOp>(maker); // a branch or a stack is written in several steps
      bool inPlace = kernel && !failsLater && (!old || positions.lastUse(old) <= writes);
      for (auto [input, operand] : llvm::enumerate(kernel ? ValueRange(kernel.getInputs()) : ValueRange()))
        if (old && memoryOf(operand) == old)
          inPlace &= operand == Value(old) && readsInPlace(kernel, input, result);
      if (inPlace)
        explain(maker->getLoc(), "plan", "@{}: @{} is updated in place", name, variable);
      else
        explainNot(maker->getLoc(), "plan", "@{}: @{} is updated by a copy at the end: {}", name, variable,
                   failsLater ? "a call or loop before the write may fail" : "its old value is still read");
      if (!inPlace)
        setCopy(terminator->getOpOperand(i), function, positions);
    }
  }

  /// Allocates all values, with the chosen concatenations in place.
  void allocate() {
    for (DenseMap<Value, size_t> *places : {&allocationOf, &carryPlace, &sparePlace})
      places->clear();
    outside.clear();
    coldPlace.clear();
    allocations.clear();
    coldAllocations.clear();
    wholes.clear();
    numberOf.clear();
    for (auto [i, join] : llvm::enumerate(joins)) {
      numberOf[join.kernel] = i;
      for (const Join::Part &part : join.parts)
        wholes[part.value] = {KernelOp(join.kernel).getResult(0), part.offset};
    }
    allocateBlock(block);
  }

  /// Returns the largest live sets, for some sizes of the named dimensions, if these concatenations are written in place.
  std::vector<int64_t> peaksWith(std::vector<Join> trial) {
    Trial silent;
    std::swap(joins, trial);
    allocate();
    std::swap(joins, trial);
    std::vector<int64_t> peaks;
    Dim bytes = largestLiveSet(allocations);
    for (int64_t size : {1, 64, 1024})
      peaks.push_back(evaluate(bytes, sizesOf(function, size)).value_or(INT64_MAX));
    return peaks;
  }

  /// Chooses concatenations to be written in place: all of them, or one by one those that enlarge no largest live set. A part's
  /// kernel may be much earlier than the concatenation's, whose memory is live from there on.
  void joinInPlace(std::vector<Join> candidates) {
    if (candidates.empty())
      return;
    std::vector<int64_t> before = peaksWith({});
    auto isGood = [&](const std::vector<Join> &trial) {
      return llvm::all_of_zip(peaksWith(trial), before, std::less_equal<>());
    };
    bool areAllGood = isGood(candidates);
    for (auto [i, candidate] : llvm::enumerate(candidates)) {
      joins.push_back(candidate);
      if (areAllGood || (i < kMostTried && isGood(joins))) {
        explain(candidate.kernel.getLoc(), "plan", "@{}: {} of {} operands of the concatenation are written in place", name,
                candidate.parts.size(), candidate.operands);
        continue;
      }
      joins.pop_back();
      explainNot(candidate.kernel.getLoc(), "plan",
                 "@{}: the concatenation is a copy: its memory would be live earlier and enlarge the workspace", name);
    }
    for (Join &join : joins)
      copyOtherParts(join, positions);
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
      if (hasPlace(output))
        continue;
      uint64_t first = positions.begin(kernel), last = positions.lastUse(output);
      if (kernel->hasAttr(kColdAttr)) {
        coldPlace[output] = coldAllocations.size();
        coldAllocations.push_back({byteSize(output), first, last, {}});
        continue;
      }
      if (const Join *join = joinOf(kernel)) {
        for (const Join::Part &part : join->parts)
          extendBy(part, first, last);
        allocate(output, first, last);
        continue;
      }
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

  /// True if a value's place follows from another one's.
  bool hasPlace(Value value) const { return outside.count(value) || wholes.count(value); }

  /// Returns the concatenation in place that a kernel is, or null.
  const Join *joinOf(KernelOp kernel) const {
    auto found = numberOf.find(kernel);
    return found == numberOf.end() ? nullptr : &joins[found->second];
  }

  /// Extends a live range by that of a part, whose kernel may itself be a concatenation in place.
  void extendBy(const Join::Part &part, uint64_t &first, uint64_t &last) const {
    first = std::min(first, positions.begin(part.value.getDefiningOp()));
    last = std::max(last, positions.lastUse(part.value));
    auto kernel = part.value.getDefiningOp<KernelOp>();
    if (const Join *join = kernel ? joinOf(kernel) : nullptr)
      for (const Join::Part &inner : join->parts)
        extendBy(inner, first, last);
  }

  size_t allocate(Value value, uint64_t first, uint64_t last) {
    return allocationOf[value] = addAllocation(value, first, last);
  }

  size_t addAllocation(Value value, uint64_t first, uint64_t last) {
    allocations.push_back({byteSize(value), first, last, {}});
    return allocations.size() - 1;
  }

  /// Allocates a loop or branch. A loop's carries use the buffers of their initial values, unless these are in memory that
  /// nothing writes; other results have buffers of their own.
  void allocateControl(Operation *op) {
    uint64_t begin = positions.begin(op);
    OperandRange carries = carriesOf(op);
    for (auto [i, result] : llvm::enumerate(op->getResults())) {
      uint64_t last = std::max(positions.end(op), positions.lastUse(result));
      if (i >= carries.size()) {
        if (!hasPlace(result))
          allocate(result, begin, last);
        continue;
      }
      if (!outside.count(result)) {
        auto first = allocationOf.find(carries[i]);
        carryPlace[result] = first == allocationOf.end() ? addAllocation(result, begin, last) : first->second;
        allocations[carryPlace[result]].last = std::max(allocations[carryPlace[result]].last, last);
      }
      if (updatesInPlace(op, i, positions)) {
        explain(op->getLoc(), "plan", "@{}: carry {} is updated in place", name, i);
        continue;
      }
      explainNot(op->getLoc(), "plan", "@{}: carry {} is double-buffered: its old value is read while the new one is computed",
                 name, i);
      sparePlace[result] = addAllocation(result, begin, last);
    }
  }

  void explainArena() {
    if (!coldAllocations.empty())
      explain(function.getLoc(), "plan", "@{}: {} values are moved to a cold workspace of {} bytes", name,
              coldAllocations.size(), coldArena.size.str());
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
      auto it = allocationOf.find(wholeOf(memoryOf(operand)).first);
      if (i != except && it != allocationOf.end() && it->second == allocation && !readsInPlace(kernel, i, result))
        return true;
    }
    return false;
  }

  BufferAttr inArena(size_t allocation) { return bufferAt(BufferKind::Arena, allocations[allocation]); }

  BufferAttr bufferAt(BufferKind kind, const Allocation &allocation) {
    MLIRContext *context = function.getContext();
    return BufferAttr::get(context, kind, 0, allocation.offset.toAttr(context));
  }

  /// Returns the outermost concatenation that a value is written into, and the bytes in front of it. Returns the value itself
  /// if it is not a part.
  std::pair<Value, Dim> wholeOf(Value value) const {
    Dim offset(0);
    for (auto it = wholes.find(value); it != wholes.end(); it = wholes.find(value)) {
      offset = offset + it->second.second;
      value = it->second.first;
    }
    return {value, offset};
  }

  BufferAttr bufferOf(Value value) {
    if (auto [whole, offset] = wholeOf(value); whole != value) {
      BufferAttr buffer = bufferOf(whole);
      Dim sum = Dim::fromAttr(buffer.getOffset()) + offset;
      return BufferAttr::get(function.getContext(), buffer.getKind(), buffer.getIndex(), sum.toAttr(function.getContext()));
    }
    if (auto it = outside.find(value); it != outside.end())
      return it->second;
    if (auto cold = coldPlace.find(value); cold != coldPlace.end())
      return bufferAt(BufferKind::Cold, coldAllocations[cold->second]);
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
    if (function->hasAttr(kColdWorkspaceAttr) || !coldAllocations.empty())
      function->setAttr(kColdWorkspaceAttr, coldArena.size.toAttr(function.getContext()));
  }

  static constexpr size_t kMostTried = 32; // concatenations, if not all of them are good

  func::FuncOp function;
  std::string name;
  Block &block;
  Positions positions;
  DenseMap<Value, BufferAttr> outside;            // the operands of terminators
  DenseMap<Value, size_t> allocationOf;           // of values with one buffer in the arena
  DenseMap<Value, size_t> carryPlace, sparePlace; // of loops' results
  DenseMap<Value, size_t> coldPlace;              // of values in the cold workspace
  std::vector<Join> joins;                        // concatenations in place
  DenseMap<Operation *, size_t> numberOf;         // of their kernels
  DenseMap<Value, std::pair<Value, Dim>> wholes;  // their parts, with the concatenation and the bytes in front
  std::vector<Allocation> allocations, coldAllocations;
  Arena arena, coldArena;
};

struct PlanPass : lathe::impl::PlanPassBase<PlanPass> {
  void runOnOperation() final {
    if (!getOperation().isDeclaration())
      buffers += planFunction(getOperation());
  }
};
} // namespace

size_t lathe::planFunction(func::FuncOp function) { return Planner(function).run(); }
