#include "passes/Recompute/Candidates.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/PlanAttributes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <set>

using namespace mlir;
using namespace lathe;

bool lathe::mapsElements(KernelOp kernel) {
  return !kernel->hasAttr(kRowsAttr) && !kernel->hasAttr(kItemsAttr) &&
         llvm::all_of(kernel.getBody().front(), [](Operation &op) {
           return isa<BroadcastOp, ConstantOp, YieldOp>(op) || op.hasTrait<ElementwiseTrait>();
         });
}

/// Live sets above this share of the largest one are to shrink.
static constexpr double kShare = 0.9;

double lathe::excessOf(const std::vector<int64_t> &live, int64_t peak) {
  double sum = 0;
  for (int64_t bytes : live)
    sum += std::max(0.0, double(bytes) - kShare * double(peak));
  return sum;
}

bool lathe::bringsBack(KernelOp kernel) {
  return llvm::any_of(kernel.getInputs(), [](Value input) {
    Operation *maker = memoryOf(input).getDefiningOp();
    return maker && maker->hasAttr(kColdAttr);
  });
}

KernelOp lathe::awayOf(Value value) {
  for (Operation *user : value.getUsers())
    if (user->hasAttr(kColdAttr))
      return cast<KernelOp>(user);
  return {};
}

/// Returns the nanoseconds of a copy to the cold workspace, or from there.
static double copyTime(int64_t bytes, const MachineModel &machine) { return double(bytes) / machine.coldRate + machine.start; }

static bool mayRepeat(KernelOp kernel) { return kernel && !mayFail(kernel) && isMemoryEffectFree(kernel); }

namespace {
class Finder {
public:
  Finder(const BlockMemory &memory, const Sizes &sizes, const MachineModel &machine, bool offload)
      : sizes(sizes), machine(machine), offload(offload), steps(memory.getSteps()), buffers(memory.getBuffers()),
        profile(memory.profile(memory.order())), entering(steps.size() + 1) {
    peakAt = std::max_element(profile.begin(), profile.end()) - profile.begin();
    peak = profile[peakAt];
    for (size_t b = 0; b < buffers.size(); ++b) {
      for (Value name : namesOf(buffers[b].value))
        bufferOf[name] = b;
      unsigned last = buffers[b].maker;
      for (unsigned reader : buffers[b].readers)
        last = std::max(last, reader);
      lastRead.push_back(last);
      for (unsigned i = buffers[b].maker + 1; i <= last && i < entering.size(); ++i)
        entering[i] += buffers[b].bytes;
    }
    for (unsigned i = 0; i < steps.size(); ++i)
      stepOf[steps[i].op] = i;
  }

  std::vector<Candidate> run() {
    for (unsigned i = 0; i < peakAt; ++i)
      if (auto kernel = dyn_cast<KernelOp>(steps[i].op); mayRepeat(kernel))
        tryKernel(i, kernel);
    for (unsigned b = 0; offload && b < buffers.size(); ++b)
      if (isIdle(b))
        tryMove(b);
    llvm::stable_sort(found, [](const Candidate &a, const Candidate &b) { return a.rate > b.rate; });
    return std::move(found);
  }

private:
  /// Buffers that one repetition frees until the step `from`, which is the first to read them afterwards.
  struct Subject {
    Repetition repetition;
    SmallVector<unsigned> freed;
    unsigned from;
  };

  static SmallVector<Value> namesOf(Value value) {
    SmallVector<Value> names{value};
    for (size_t i = 0; i < names.size(); ++i)
      for (Operation *user : names[i].getUsers())
        if (isa<ReshapeOp>(user))
          names.push_back(user->getResult(0));
    return names;
  }

  /// True if a buffer is live at the peak and read only before and after.
  bool isIdle(unsigned b) const {
    return buffers[b].bytes > 0 && buffers[b].maker < peakAt && lastRead[b] > peakAt && lastRead[b] < steps.size() &&
           !llvm::is_contained(buffers[b].readers, peakAt);
  }

  unsigned firstReadAfterPeak(unsigned b) const {
    unsigned first = steps.size();
    for (unsigned reader : buffers[b].readers)
      if (reader > peakAt)
        first = std::min(first, reader);
    return first;
  }

  void tryKernel(unsigned step, KernelOp kernel) {
    bool maps = mapsElements(kernel);
    Subject all{{kernel, std::nullopt}, {}, unsigned(steps.size())};
    for (auto [i, b] : llvm::enumerate(steps[step].writes)) {
      if (!isIdle(b))
        continue;
      unsigned from = firstReadAfterPeak(b);
      if (maps)
        trySubject({{kernel, unsigned(i)}, {b}, from});
      all.freed.push_back(b);
      all.from = std::min(all.from, from);
    }
    if (!maps && !all.freed.empty())
      trySubject(all);
  }

  /// Returns the last step before the peak that makes or reads a buffer.
  unsigned lastBeforePeak(unsigned b) const {
    unsigned last = buffers[b].maker;
    for (unsigned reader : buffers[b].readers)
      if (reader < peakAt)
        last = std::max(last, reader);
    return last;
  }

  /// Tries to move an idle buffer. One that was brought back is rather brought back once more: its copy still exists.
  void tryMove(unsigned b) {
    unsigned until = lastBeforePeak(b), from = firstReadAfterPeak(b);
    if (auto kernel = dyn_cast<KernelOp>(steps[buffers[b].maker].op); kernel && bringsBack(kernel))
      return;
    std::vector<int64_t> live = profile;
    for (unsigned i = until + 1; i < from; ++i)
      live[i] -= buffers[b].bytes;
    Candidate candidate;
    candidate.moved = buffers[b].value;
    candidate.after = steps[until].op;
    candidate.before = steps[from].op;
    candidate.freed = buffers[b].bytes;
    KernelOp away = awayOf(candidate.moved);
    unsigned copies = candidate.before == away.getOperation() ? 0 : away ? 1 : 2;
    candidate.nanoseconds = std::max(1.0, copies * copyTime(buffers[b].bytes, machine));
    addIfLower(live, std::move(candidate));
  }

  /// Adds a candidate, with the live sets that it leaves, if the largest live sets shrink.
  void addIfLower(const std::vector<int64_t> &live, Candidate candidate) {
    double shrinks = excessOf(profile, peak) - excessOf(live, peak);
    if (*llvm::max_element(live) > peak || live[peakAt] >= peak || shrinks <= 0)
      return;
    candidate.rate = shrinks / candidate.nanoseconds;
    found.push_back(std::move(candidate));
  }

  /// Tries to keep the inputs of a repetition, and to make up to some levels of them again instead.
  void trySubject(const Subject &subject) {
    std::set<std::pair<size_t, int64_t>> tried;
    for (unsigned levels : {0, 1, 2, 3, 5, 8}) {
      std::optional<Plan> plan = planFor(subject, levels);
      if (!plan || !tried.insert({plan->steps.size(), plan->kept.size()}).second)
        continue;
      rate(subject, *plan);
    }
  }

  /// The steps that run again, by number, and the buffers that must be kept longer for them.
  struct Plan {
    std::map<unsigned, Repetition> steps;
    std::set<unsigned> kept;
  };

  std::optional<Plan> planFor(const Subject &subject, unsigned levels) {
    Plan plan;
    SmallVector<std::pair<Repetition, unsigned>> work{{subject.repetition, levels}};
    plan.steps[stepOf.lookup(subject.repetition.kernel)] = subject.repetition;
    while (!work.empty()) {
      auto [repetition, left] = work.pop_back_val();
      for (Value input : inputsOf(repetition)) {
        auto known = bufferOf.find(input);
        if (known == bufferOf.end()) {
          if (!staysUntil(memoryOf(input), subject.from))
            return std::nullopt;
          continue;
        }
        unsigned b = known->second, maker = buffers[b].maker;
        if (lastRead[b] >= subject.from || buffers[b].bytes == 0)
          continue;
        auto kernel = dyn_cast<KernelOp>(steps[maker].op);
        if (left == 0 || lastRead[b] > peakAt || !mayRepeat(kernel)) {
          plan.kept.insert(b);
          continue;
        }
        Repetition again{kernel, std::nullopt};
        if (mapsElements(kernel))
          again.result = cast<OpResult>(buffers[b].value).getResultNumber();
        auto [at, isNew] = plan.steps.try_emplace(maker, again);
        if (!isNew && at->second != again)
          at->second.result.reset();
        if (isNew || at->second != again)
          work.push_back({at->second, left - 1});
      }
    }
    return plan;
  }

  /// Returns the inputs that a repetition reads.
  static SmallVector<Value> inputsOf(const Repetition &repetition) {
    KernelOp kernel = repetition.kernel;
    if (!repetition.result)
      return llvm::to_vector(kernel.getInputs());
    SmallVector<Value> inputs, work{kernel.getBody().front().getTerminator()->getOperand(*repetition.result)};
    llvm::SmallDenseSet<Value> seen;
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      if (auto argument = dyn_cast<BlockArgument>(value))
        inputs.push_back(kernel.getInputs()[argument.getArgNumber()]);
      else
        llvm::append_range(work, value.getDefiningOp()->getOperands());
    }
    return inputs;
  }

  /// True if an argument or a constant is as it was until a step: no earlier one updates the variable.
  bool staysUntil(Value value, unsigned step) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
    Attribute variable = function ? function.getArgAttr(argument.getArgNumber(), kStateAttr) : Attribute();
    if (!variable)
      return true;
    for (auto [i, next] : llvm::enumerate(argument.getOwner()->getTerminator()->getOperands()))
      if (function.getResultAttr(i, kStateAttr) == variable && next.getDefiningOp()) {
        auto writer = stepOf.find(next.getDefiningOp());
        if (writer != stepOf.end() && writer->second < step)
          return false;
      }
    return true;
  }

  /// Rates a repetition.
  void rate(const Subject &subject, const Plan &plan) {
    std::vector<int64_t> live = profile;
    int64_t before = entering[subject.from];
    Candidate candidate;
    for (unsigned b : subject.freed) {
      for (unsigned i = lastBeforePeak(b) + 1; i < subject.from; ++i)
        live[i] -= buffers[b].bytes;
      before -= buffers[b].bytes;
      candidate.freed += buffers[b].bytes;
    }
    for (unsigned b : plan.kept) {
      for (unsigned i = lastRead[b] + 1; i < subject.from; ++i)
        live[i] += buffers[b].bytes;
      before += buffers[b].bytes;
    }
    for (auto &[number, repetition] : plan.steps) { // they run directly before `from`
      KernelCost cost = costOf(repetition.kernel, sizes);
      double share = repetition.result ? 1.0 / double(repetition.kernel.getNumResults()) : 1;
      bool isCopy = bringsBack(repetition.kernel);
      candidate.nanoseconds += isCopy ? copyTime(cost.bytes / 2, machine) : cost.nanoseconds(machine) * share;
      for (auto [i, b] : llvm::enumerate(steps[number].writes))
        if (!repetition.result || *repetition.result == i)
          before += evaluate(byteSize(buffers[b].value), sizes).value_or(0);
      live.push_back(before);
      candidate.repetitions.push_back(repetition);
    }
    candidate.before = steps[subject.from].op;
    // The steps are in their order; the last one is the kernel whose results are read.
    llvm::stable_sort(candidate.repetitions, [&](const Repetition &a, const Repetition &b) {
      return stepOf.lookup(a.kernel) < stepOf.lookup(b.kernel);
    });
    addIfLower(live, std::move(candidate));
  }

  const Sizes &sizes;
  const MachineModel &machine;
  bool offload;
  const std::vector<BlockMemory::Step> &steps;
  const std::vector<BlockMemory::Buffer> &buffers;
  std::vector<int64_t> profile;  // live bytes while a step runs
  std::vector<int64_t> entering; // live bytes directly before a step
  std::vector<unsigned> lastRead;
  DenseMap<Operation *, unsigned> stepOf;
  DenseMap<Value, unsigned> bufferOf; // views too
  size_t peakAt = 0;
  int64_t peak = 0;
  std::vector<Candidate> found;
};
} // namespace

std::vector<Candidate> lathe::findCandidates(const BlockMemory &memory, const Sizes &sizes, const MachineModel &machine,
                                             bool offload) {
  return memory.size() ? Finder(memory, sizes, machine, offload).run() : std::vector<Candidate>();
}
