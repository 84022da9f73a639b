#include "passes/Recompute/Recompute.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "lib/Support/Explain.h"
#include "lib/Support/SourcePlace.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Recompute/Candidates.h"
#include "passes/Recompute/Loops.h"
#include <set>

namespace lathe {
#define GEN_PASS_DEF_RECOMPUTEPASS
#include "passes/Recompute/Recompute.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

/// The values that a refusal names.
static constexpr size_t kMostNamed = 5;

/// Creates a kernel that computes some results of a kernel that maps elements.
static KernelOp restrictTo(OpBuilder &builder, KernelOp kernel, ArrayRef<unsigned> results) {
  auto types = llvm::map_to_vector(results, [&](unsigned result) { return kernel.getResult(result).getType(); });
  auto made = KernelOp::create(builder, kernel.getLoc(), types, kernel.getInputs());
  made->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  if (auto units = kernel->getAttrOfType<ArrayAttr>(kSizedUnitsAttr)) {
    SmallVector<Attribute> kept(units.begin(), units.begin() + kernel.getNumOperands());
    for (unsigned result : results)
      kept.push_back(units[kernel.getNumOperands() + result]);
    made->setAttr(kSizedUnitsAttr, builder.getArrayAttr(kept));
  }
  IRMapping map;
  kernel.getBody().cloneInto(&made.getBody(), map);
  Block &body = made.getBody().front();
  Operation *end = body.getTerminator();
  end->setOperands(llvm::map_to_vector(results, [&](unsigned result) { return end->getOperand(result); }));
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (&op != end && op.use_empty())
      op.erase();
  return made;
}

/// Removes inputs that the kernel's body does not read.
static void dropUnread(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto units = kernel->getAttrOfType<ArrayAttr>(kSizedUnitsAttr);
  SmallVector<Attribute> kept(units ? ArrayRef(units.getValue()) : ArrayRef<Attribute>());
  for (unsigned i = kernel.getNumOperands(); i-- > 0;) {
    if (!body.getArgument(i).use_empty())
      continue;
    body.eraseArgument(i);
    kernel->eraseOperand(i);
    if (units)
      kept.erase(kept.begin() + i);
  }
  if (units)
    kernel->setAttr(kSizedUnitsAttr, ArrayAttr::get(kernel.getContext(), kept));
}

Dim lathe::reservedBytesOf(func::FuncOp function) {
  auto bytes = function->getAttrOfType<DimAttr>(kReservedAttr);
  return bytes ? Dim::fromAttr(bytes) : Dim(0);
}

/// Returns the type of a value without the names of its dimensions.
static RankedTensorType plainType(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

/// Returns "@f", or "@f for N=32" for a version of it.
static std::string nameOf(func::FuncOp function) {
  auto base = function->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr);
  if (!base)
    return "@" + function.getSymName().str();
  std::string sizes;
  for (NamedAttribute fixed : function->getAttrOfType<DictionaryAttr>(kFixedDimsAttr))
    sizes += (sizes.empty() ? "" : ",") + fixed.getName().str() + "=" + Dim::fromAttr(cast<DimAttr>(fixed.getValue())).str();
  return "@" + base.getValue().str() + " for " + sizes;
}

namespace {

/// Inserts the repetitions or the copies of a candidate, and can remove them again.
class Insertion {
public:
  explicit Insertion(const Candidate &candidate) : before(candidate.before) {
    if (candidate.moved)
      move(candidate.moved, candidate.after);
    else
      repeatAll(candidate.repetitions);
  }

  void undo() {
    if (hoisted)
      hoisted->moveBefore(oldNext);
    for (auto [operand, old] : llvm::reverse(changed))
      operand->set(old);
    for (Operation *op : llvm::reverse(inserted))
      op->erase();
  }

  /// True if a value has a place in the cold workspace now, and had none before.
  bool movesValue() const { return !inserted.empty() && inserted.front()->hasAttr(kColdAttr); }

private:
  /// Copies a value to the cold workspace and back. If it moves there later in any case, it does so earlier instead.
  void move(Value value, Operation *after) {
    OpBuilder builder(value.getContext());
    KernelOp away = awayOf(value);
    if (away && after->isBeforeInBlock(away)) {
      hoisted = away;
      oldNext = away->getNextNode();
      away->moveAfter(after);
    }
    if (!away) {
      builder.setInsertionPointAfter(after);
      away = createCopy(builder, value.getLoc(), value, "--offload");
      away->setAttr(kColdAttr, builder.getUnitAttr());
      inserted.push_back(away);
    }
    if (before == away.getOperation())
      return;
    builder.setInsertionPoint(before);
    KernelOp back = createCopy(builder, value.getLoc(), away.getResult(0), "--offload");
    inserted.push_back(back);
    redirect(value, back.getResult(0));
  }

  void repeatAll(ArrayRef<Repetition> repetitions) {
    OpBuilder builder(before);
    for (const Repetition &repetition : repetitions)
      repeat(builder, repetition);
    // Only the values that the last one makes are read from here on.
    KernelOp kernel = repetitions.back().kernel;
    for (Value value : kernel.getResults())
      if (Value again = made.lookup(value))
        redirect(value, again);
  }

  void repeat(OpBuilder &builder, const Repetition &repetition) {
    KernelOp kernel = repetition.kernel, again;
    if (repetition.result)
      again = restrictTo(builder, kernel, {*repetition.result});
    else
      again = cast<KernelOp>(builder.clone(*kernel));
    if (repetition.result)
      dropUnread(again);
    for (OpOperand &input : again->getOpOperands())
      input.set(current(builder, input.get(), again));
    inserted.push_back(again);
    for (auto [i, result] : llvm::enumerate(again.getResults()))
      made[kernel.getResult(repetition.result.value_or(i))] = result;
  }

  /// Returns the value that a repetition reads in place of `value`: the one that an earlier repetition makes, or itself.
  Value current(OpBuilder &builder, Value value, Operation *reader) {
    if (Value again = made.lookup(value))
      return again;
    auto view = value.getDefiningOp<ReshapeOp>();
    Value operand = view ? current(builder, view.getOperand(), reader) : Value();
    if (!view || operand == view.getOperand())
      return value;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(reader);
    return made[value] = copyView(builder, view, operand);
  }

  Value copyView(OpBuilder &builder, ReshapeOp view, Value operand) {
    IRMapping map;
    map.map(view.getOperand(), operand);
    Operation *copy = builder.clone(*view, map);
    inserted.push_back(copy);
    return copy->getResult(0);
  }

  bool isLater(Operation *op) { return op == before || before->isBeforeInBlock(op); }

  /// Lets all readers from `before` on read another value.
  void redirect(Value value, Value again) {
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      Operation *user = use.getOwner();
      if (auto view = dyn_cast<ReshapeOp>(user)) {
        auto readsLater = [&](Operation *reader) { return isa<ReshapeOp>(reader) || isLater(reader); };
        if (!llvm::is_contained(inserted, user) && llvm::any_of(view->getUsers(), readsLater)) {
          OpBuilder builder(before);
          redirect(view.getResult(), copyView(builder, view, again));
        }
        continue;
      }
      if (!isLater(user) || llvm::is_contained(inserted, user))
        continue;
      changed.push_back({&use, value});
      use.set(again);
    }
  }

  Operation *before;
  Operation *hoisted = nullptr, *oldNext = nullptr; // a kernel that was moved, and the op behind it before
  DenseMap<Value, Value> made;
  SmallVector<Operation *> inserted;
  SmallVector<std::pair<OpOperand *, Value>> changed;
};

/// Makes one function fit.
class Recomputation {
public:
  Recomputation(func::FuncOp function, const MemoryBudget &budget, Dim (*plan)(func::FuncOp))
      : function(function), block(function.getBody().front()), budget(budget), plan(plan), reserved(reservedBytesOf(function)) {
  }

  struct Count {
    size_t repeated = 0, moved = 0;
  };

  /// Returns the numbers of kernels that run again and of values that move, or failure after an error.
  FailureOr<Count> run() {
    if (budget.offload)
      function->setAttr(kColdWorkspaceAttr, Dim(0).toAttr(function.getContext())); // the plan states its size
    repeatCheapOnes();
    if (budget.bytes == 0)
      return count;
    std::optional<int64_t> needed = bytesNeeded();
    if (!needed)
      return failure();
    if (*needed <= budget.bytes)
      return count;
    for (BlockMemory memory = read();; memory = read()) {
      // The plan's own order may need a little less than this one.
      int64_t peak = memory.peak(memory.order()) + evaluate(reserved, budget.sizes).value_or(0);
      if (peak - budget.bytes / 16 <= budget.bytes && *bytesNeeded() <= budget.bytes)
        return count;
      if (!step(memory, INFINITY, budget.offload)) {
        needed = bytesNeeded();
        return *needed <= budget.bytes ? FailureOr<Count>(count) : refuse(memory, *needed);
      }
    }
  }

private:
  /// Takes repetitions as long as they add less than a share of the function's time.
  void repeatCheapOnes() {
    Sizes open = sizesOf(function, 1);
    if (budget.share == 0 || !llvm::all_of(open, [&](auto &size) { return budget.sizes.count(size.first) != 0; }))
      return;
    double left = 0;
    for (KernelOp kernel : block.getOps<KernelOp>())
      left += budget.share * costOf(kernel, budget.sizes).nanoseconds(budget.machine);
    for (BlockMemory memory = read(); memory.peak(memory.order()) > budget.shareAbove; memory = read()) {
      std::optional<double> added = step(memory, left, /*offload=*/false);
      if (!added)
        break;
      left -= *added;
    }
  }

  BlockMemory read() {
    positions.number(block);
    return BlockMemory(block, budget.sizes, positions);
  }

  /// Returns the bytes that the function takes, or nullopt after an error: a size is not known.
  std::optional<int64_t> bytesNeeded() {
    if (!plan) {
      BlockMemory memory = read();
      return memory.peak(memory.order());
    }
    Dim workspace = plan(function) + reserved;
    SmallVector<std::string> names;
    workspace.collectNames(names);
    for (const std::string &name : names)
      if (!budget.sizes.count(name)) {
        emitError(optionPlace("--mem-budget", function.getLoc()))
            << "the workspace of " << nameOf(function) << " depends on '" << name
            << "', whose size is not given; add its largest size, as in --mem-budget=64MB:" << name << "=32";
        return std::nullopt;
      }
    std::optional<int64_t> bytes = evaluate(workspace, budget.sizes);
    return bytes ? bytes : std::optional(INT64_MAX);
  }

  /// Inserts the best candidate that lowers the live sets, and returns its nanoseconds. Returns nullopt if there is none, or if
  /// it adds more than so many nanoseconds.
  std::optional<double> step(const BlockMemory &memory, double most, bool offload) {
    std::vector<int64_t> live = memory.profile(memory.order());
    std::vector<RatedLoop> loops = rateLoops(memory, live);
    auto loop = loops.begin();
    for (const Candidate &candidate : findCandidates(memory, budget.sizes, budget.machine, offload)) {
      if (rejected.count(candidate.key()))
        continue;
      if (loop != loops.end() && loop->rate >= candidate.rate)
        break;
      if (candidate.nanoseconds > most)
        return std::nullopt;
      Insertion insertion(candidate);
      BlockMemory after = read();
      if (isLower(after.profile(after.order()), live)) {
        explainStep(candidate);
        for (const Repetition &repetition : candidate.repetitions)
          dropUnreadResults(repetition.kernel);
        count.repeated += candidate.repetitions.size();
        count.moved += insertion.movesValue() ? 1 : 0;
        return candidate.nanoseconds;
      }
      insertion.undo();
      rejected.insert(candidate.key());
    }
    return loop == loops.end() || loop->nanoseconds > most ? std::nullopt : std::optional(rewriteLoop(loop->candidate));
  }

  /// True if no live set is above the largest one before, and those near it are lower.
  static bool isLower(const std::vector<int64_t> &now, const std::vector<int64_t> &before) {
    int64_t peak = *llvm::max_element(before);
    return *llvm::max_element(now) <= peak && excessOf(now, peak) < excessOf(before, peak);
  }

  struct RatedLoop {
    double rate, nanoseconds;
    LoopCandidate candidate;
  };

  /// Tries all loops that may keep less, and returns those that lower the live sets, best first.
  std::vector<RatedLoop> rateLoops(const BlockMemory &memory, const std::vector<int64_t> &live) {
    size_t at = llvm::max_element(live) - live.begin();
    std::vector<RatedLoop> rated;
    std::vector<LoopCandidate> found = findLoopCandidates(block, memory.getSteps()[at].op);
    for (LoopCandidate &candidate : found) {
      // Slices need less memory than all of them before the loop, for the same stacks.
      if (llvm::any_of(rated, [&](const RatedLoop &other) { return candidate.keepsMoreThan(other.candidate); }))
        continue;
      LoopRewrite rewrite(candidate, budget.sizes, budget.machine);
      if (!rewrite.isApplied())
        continue;
      BlockMemory after = read();
      std::vector<int64_t> now = after.profile(after.order());
      if (!isLower(now, live))
        continue;
      double time = std::max(1.0, rewrite.nanoseconds());
      rated.push_back({(excessOf(live, live[at]) - excessOf(now, live[at])) / time, time, candidate});
    }
    llvm::stable_sort(rated, [](const RatedLoop &a, const RatedLoop &b) { return a.rate > b.rate; });
    return rated;
  }

  double rewriteLoop(LoopCandidate &candidate) {
    int line = sourcePlace(candidate.reader.getLoc()).line;
    LoopRewrite rewrite(candidate, budget.sizes, budget.machine);
    explain(
        rewrite.getLoc(), "plan",
        "@{}: computed again in each step of the loop of line {} that reads it: {} bytes are not kept, for about {:.0f} us more",
        function.getSymName().str(), line, rewrite.freedBytes(), rewrite.nanoseconds() / 1000);
    for (Operation *kernel : rewrite.before())
      explain(kernel->getLoc(), "plan", "@{}: computed again before line {}, for a value that depends on it",
              function.getSymName().str(), line);
    std::erase_if(rejected, [&](const auto &key) {
      return llvm::is_contained({rewrite.oldCollector(), rewrite.oldReader()}, key.before) ||
             llvm::is_contained({rewrite.oldCollector(), rewrite.oldReader()}, key.maker);
    });
    rewrite.commit();
    count.repeated += 1 + rewrite.before().size();
    return std::max(1.0, rewrite.nanoseconds());
  }

  /// Lets a kernel that maps elements compute only the results that are still read.
  void dropUnreadResults(KernelOp kernel) {
    SmallVector<unsigned> read;
    for (OpResult result : kernel.getResults())
      if (!result.use_empty())
        read.push_back(result.getResultNumber());
    if (read.empty() || read.size() == kernel.getNumResults() || !mapsElements(kernel))
      return;
    OpBuilder builder(kernel);
    KernelOp less = restrictTo(builder, kernel, read);
    dropUnread(less);
    for (auto [i, result] : llvm::enumerate(read))
      kernel.getResult(result).replaceAllUsesWith(less.getResult(i));
    std::erase_if(rejected, [&](const auto &key) { return key.maker == kernel || key.before == kernel; });
    kernel.erase();
  }

  void explainStep(const Candidate &candidate) {
    std::string name = function.getSymName().str();
    int line = sourcePlace(candidate.before->getLoc()).line;
    if (candidate.moved && !candidate.before->hasAttr(kColdAttr))
      explain(candidate.moved.getLoc(), "plan",
              "@{}: moved to the cold workspace and back before line {}: {} bytes are not kept, for about {:.0f} us more", name,
              line, candidate.freed, candidate.nanoseconds / 1000);
    for (auto [i, repetition] : llvm::enumerate(candidate.repetitions)) {
      bool isLast = i + 1 == candidate.repetitions.size();
      explain(repetition.kernel.getLoc(), "plan", "@{}: {} again before line {}{}", name,
              bringsBack(repetition.kernel) ? "brought back" : "computed", line,
              isLast ? fmt::format(": {} bytes are not kept, for about {:.0f} us more", candidate.freed,
                                   candidate.nanoseconds / 1000)
                     : ", for a value that depends on it");
    }
  }

  FailureOr<Count> refuse(const BlockMemory &memory, int64_t least) {
    InFlightDiagnostic error = function.emitError("the workspace of ")
                               << nameOf(function) << " takes at least " << least << " bytes, but --mem-budget allows "
                               << budget.bytes << "; use --mem-budget=" << least << " or more, or a smaller batch";
    std::vector<int64_t> live = memory.profile(memory.order());
    if (live.empty())
      return failure();
    size_t at = llvm::max_element(live) - live.begin();
    int line = sourcePlace(memory.getSteps()[at].op->getLoc()).line;
    std::vector<unsigned> buffers = memory.liveAt(memory.order(), at);
    for (unsigned b : ArrayRef(buffers).take_front(kMostNamed))
      error.attachNote(memory.getSteps()[memory.getBuffers()[b].maker].op->getLoc())
          << memory.getBuffers()[b].bytes << " bytes of it hold this value, " << plainType(memory.getBuffers()[b].value)
          << ", while the op of line " << line << " runs";
    return failure();
  }

  func::FuncOp function;
  Block &block;
  const MemoryBudget &budget;
  Dim (*plan)(func::FuncOp); // null: the largest live set counts
  Dim reserved;
  Positions positions;
  std::set<Candidate::Key> rejected;
  Count count;
};

struct RecomputePass : lathe::impl::RecomputePassBase<RecomputePass> {
  using RecomputePassBase::RecomputePassBase;
  RecomputePass(MemoryBudget budget, Dim (*plan)(func::FuncOp)) : budget(std::move(budget)), plan(plan) {}

  void runOnOperation() final {
    if (getOperation().isDeclaration())
      return;
    if (!plan) {
      budget.bytes = bytes;
      budget.offload = offload;
      budget.share = share;
      budget.shareAbove = shareAbove;
    }
    auto count = Recomputation(getOperation(), budget, plan).run();
    if (failed(count))
      return signalPassFailure();
    recomputed += count->repeated;
    moved += count->moved;
  }

  MemoryBudget budget;
  Dim (*plan)(func::FuncOp) = nullptr;
};
} // namespace

std::unique_ptr<Pass> lathe::createRecomputePass(MemoryBudget budget, Dim (*plan)(func::FuncOp function)) {
  return std::make_unique<RecomputePass>(std::move(budget), plan);
}
