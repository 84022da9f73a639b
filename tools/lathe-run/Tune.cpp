// Each round compiles the graph once, with a candidate for every kernel, and times it in turn with the graph as the compiler
// schedules it. A candidate is compared with the chosen schedule of the same kernel in the same round, so that what else the
// machine does matters little. A later round tries the candidates around the schedules that were faster. At the end all of them
// are measured again together: those that are still faster go to the file.
#include "tools/lathe-run/Tune.h"
#include "codegen/Emit/Targets.h"
#include "codegen/Schedules/Candidates.h"
#include "lib/Compiler/Link.h"
#include "tools/lathe-run/Inputs.h"
#include "tools/lathe-run/KernelTimes.h"
#include "tools/lathe-run/Outcome.h"
#include "llvm/Support/MemoryBuffer.h"
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <set>

using namespace lathe;
using Clock = std::chrono::steady_clock;

namespace {
constexpr double kFaster = 0.97;      // of the time: less is within the noise
constexpr double kLeastShare = 0.005; // of a run: other kernels are not worth a round
constexpr double kSecondsOfRound = 0.3;
constexpr double kSecondsOfLastRound = 1; // it decides what is written
constexpr int kLeastRuns = 5;             // of both codes in a round

using Seconds = std::map<std::string, double>;

/// A compiled graph and the least time of each of its kernels over several runs.
struct Code {
  std::unique_ptr<Runner> runner;
  Tensors results;
  Seconds seconds;
};

/// A schedule of a kernel, and the kernel's time with it as a part of that with the chosen schedule.
struct Timed {
  std::string schedule;
  double ratio = 1;
};

class Tuner {
public:
  explicit Tuner(const RunOptions &options) : options(options), begin(Clock::now()) {}

  std::optional<Failure> run();
  Tuned found();

private:
  Expected<Code> compile(const Schedules &schedules, std::vector<KernelCandidates> *candidates = nullptr);
  Expected<Code> compileAndMeasure(const Schedules &schedules, double seconds);
  std::optional<Failure> prepare();
  std::optional<Failure> findCandidates();
  std::optional<Failure> searchRound(const Schedules &tried);
  std::optional<Failure> measure(Code &code, double seconds);
  std::optional<Failure> runOnceMore(Code &code);
  Schedules nextCandidates();
  Schedules bestSchedules() const;
  std::optional<Failure> confirm();
  bool isOver() const { return std::chrono::duration<double>(Clock::now() - begin).count() > options.tuneSeconds; }

  const RunOptions &options;
  Clock::time_point begin;
  Schedules given; // by --schedule
  Code chosen;     // by the compiler, and given
  Tensors inputs;
  Variables state; // before the first run
  Outcome outcome; // of the first run
  std::map<std::string, const lathe_kernel_info *> kernels;
  std::map<std::string, std::vector<std::string>> candidates; // not tried yet
  std::set<std::pair<std::string, std::string>> known;        // tried or waiting
  std::map<std::string, Timed> best;
  std::map<std::string, std::vector<Timed>> measured; // by kernel
  int rounds = 0;
};
} // namespace

/// Compiles the graph with some schedules, and with those that the user gives for the other kernels.
Expected<Code> Tuner::compile(const Schedules &schedules, std::vector<KernelCandidates> *candidates) {
  RunOptions changed = options;
  changed.compile.candidates = candidates;
  TemporaryFile file(".schedules");
  std::string error;
  Schedules all = schedules;
  all.insert(given.begin(), given.end());
  std::string lines = linesOf(all);
  if (!file.write(lines, error))
    return Failure{kFailed, "--tune: " + error};
  if (!lines.empty())
    changed.compile.scheduleFile = file.path;
  Expected<std::unique_ptr<Runner>> runner = createCompiledRunner(changed);
  if (auto *failure = std::get_if<Failure>(&runner))
    return *failure;
  return Code{std::get<std::unique_ptr<Runner>>(std::move(runner)), {}, {}};
}

Schedules readSchedules(const std::string &path) {
  Schedules schedules;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  for (llvm::StringRef line : llvm::split(buffer ? (*buffer)->getBuffer() : "", '\n'))
    if (auto [kernel, schedule] = line.trim().split(' '); !kernel.empty() && !kernel.starts_with("//"))
      schedules[kernel.str()] = schedule.trim().str();
  return schedules;
}

std::optional<Failure> Tuner::prepare() {
  std::string error;
  Targets targets = parseTargets(options.compile.target, error);
  if (error.empty() && (targets.cpus.size() != 1 || !targets.gpus.empty()))
    return Failure{kWrongUsage, "--tune measures one CPU target; '" + options.compile.target + "' names others"};
  Expected<Code> code = compile({});
  if (auto *failure = std::get_if<Failure>(&code))
    return *failure;
  chosen = std::get<Code>(std::move(code));
  given = readSchedules(options.compile.scheduleFile);
  Expected<Tensors> made = makeInputs(chosen.runner->getSignature(), options);
  if (auto *failure = std::get_if<Failure>(&made))
    return *failure;
  inputs = std::get<Tensors>(std::move(made));
  state = variablesOf(*chosen.runner);
  Expected<Outcome> first = runOnce(*chosen.runner, inputs, state);
  if (auto *failure = std::get_if<Failure>(&first))
    return *failure;
  outcome = std::get<Outcome>(std::move(first));
  chosen.runner->setPrints(false);
  return measure(chosen, kSecondsOfRound);
}

/// Adds the candidates around the best schedules for the kernels that take a part of the time.
std::optional<Failure> Tuner::findCandidates() {
  double total = 0;
  for (auto &[kernel, seconds] : chosen.seconds)
    total += seconds;
  std::vector<KernelCandidates> all;
  if (Expected<Code> code = compile(bestSchedules(), &all); auto *failure = std::get_if<Failure>(&code))
    return *failure;
  auto isLong = [&](const std::string &kernel) { // false for those of other entries, too
    auto entry = chosen.seconds.find(kernel);
    return entry != chosen.seconds.end() && entry->second >= kLeastShare * total;
  };
  for (const KernelCandidates &kernel : all)
    if (isLong(kernel.kernel))
      for (const std::string &schedule : kernel.schedules)
        if (known.emplace(kernel.kernel, schedule).second)
          candidates[kernel.kernel].push_back(schedule);
  return std::nullopt;
}

Schedules Tuner::bestSchedules() const {
  Schedules schedules;
  for (auto &[kernel, each] : best)
    schedules[kernel] = each.schedule;
  return schedules;
}

/// Takes a candidate of each kernel that has one.
Schedules Tuner::nextCandidates() {
  Schedules next;
  for (auto &[kernel, waiting] : candidates)
    if (!waiting.empty()) {
      next[kernel] = waiting.front();
      waiting.erase(waiting.begin());
    }
  return next;
}

std::optional<Failure> Tuner::runOnceMore(Code &code) {
  Expected<TimedRun> run = timeKernels(*code.runner, inputs, std::move(code.results));
  if (auto *failure = std::get_if<Failure>(&run))
    return *failure;
  code.results = std::move(std::get<TimedRun>(run).results);
  Seconds seconds;
  for (const KernelCall &call : std::get<TimedRun>(run).calls) {
    seconds[call.kernel->name] += call.seconds;
    if (&code == &chosen)
      kernels[call.kernel->name] = call.kernel;
  }
  for (auto &[kernel, each] : seconds) {
    auto [entry, isNew] = code.seconds.emplace(kernel, each);
    entry->second = std::min(entry->second, each);
  }
  return std::nullopt;
}

/// Runs some code in turn with the chosen schedules. Sets the times of both.
std::optional<Failure> Tuner::measure(Code &code, double seconds) {
  chosen.seconds.clear();
  code.seconds.clear();
  Clock::time_point start = Clock::now();
  for (int run = 0; run < kLeastRuns || std::chrono::duration<double>(Clock::now() - start).count() < seconds; ++run)
    for (Code *each : {&chosen, &code})
      if (std::optional<Failure> failure = runOnceMore(*each))
        return failure;
  return std::nullopt;
}

/// Compiles the graph with some schedules, checks that they do not change a bit of its first run, and measures it.
Expected<Code> Tuner::compileAndMeasure(const Schedules &schedules, double seconds) {
  Expected<Code> compiled = compile(schedules);
  auto *code = std::get_if<Code>(&compiled);
  if (!code)
    return compiled;
  code->runner->setPrints(false);
  Expected<Outcome> first = runOnce(*code->runner, inputs, state);
  if (auto *failure = std::get_if<Failure>(&first))
    return *failure;
  RunOptions exactly = options;
  exactly.rtol = exactly.atol = 0;
  if (std::string difference = differenceOf(std::get<Outcome>(first), outcome, exactly); !difference.empty()) {
    std::string lines;
    for (auto &[kernel, schedule] : schedules)
      lines += "\n  " + kernel + " " + schedule;
    return Failure{kDiffers, "--tune: one of these schedules changes a result, which is a bug of Lathe: " + difference + lines};
  }
  if (std::optional<Failure> failure = measure(*code, seconds))
    return *failure;
  return compiled;
}

/// Measures one schedule for each of some kernels, and keeps those that are the fastest so far.
std::optional<Failure> Tuner::searchRound(const Schedules &tried) {
  Expected<Code> compiled = compileAndMeasure(tried, kSecondsOfRound);
  if (auto *failure = std::get_if<Failure>(&compiled))
    return *failure;
  Seconds &now = std::get<Code>(compiled).seconds;
  for (auto &[kernel, schedule] : tried) {
    double ratio = now[kernel] / chosen.seconds[kernel];
    measured[kernel].push_back({schedule, ratio});
    auto [entry, isNew] = best.emplace(kernel, Timed{});
    if (ratio < kFaster * entry->second.ratio)
      entry->second = {schedule, ratio};
    if (entry->second.schedule.empty())
      best.erase(entry);
  }
  ++rounds;
  return std::nullopt;
}

/// Measures all best schedules together, and drops those that are not faster.
std::optional<Failure> Tuner::confirm() {
  if (best.empty())
    return std::nullopt;
  Expected<Code> compiled = compileAndMeasure(bestSchedules(), kSecondsOfLastRound);
  if (auto *failure = std::get_if<Failure>(&compiled))
    return *failure;
  for (auto &[kernel, each] : best)
    each.ratio = std::get<Code>(compiled).seconds[kernel] / chosen.seconds[kernel];
  std::erase_if(best, [](const auto &entry) { return entry.second.ratio > kFaster; });
  return std::nullopt;
}

/// Returns the kernels that become faster. Comments list what was measured, the fastest first.
Tuned Tuner::found() {
  Tuned tuned{bestSchedules(), {}, {}};
  double before = 0, after = 0;
  for (auto &[kernel, seconds] : chosen.seconds) {
    auto entry = best.find(kernel);
    double now = seconds * (entry == best.end() ? 1 : entry->second.ratio);
    before += seconds;
    after += now;
    std::vector<Timed> &all = measured[kernel];
    llvm::stable_sort(all, [](const Timed &a, const Timed &b) { return a.ratio < b.ratio; });
    const lathe_kernel_info &info = *kernels.at(kernel);
    tuned.comments += fmt::format("// line {} {}: {:.1f} us; other schedules take this part of the time:\n", info.line, info.op,
                                  seconds * 1e6);
    for (const Timed &each : all)
      tuned.comments += fmt::format("//   {:.2f} {}\n", each.ratio, each.schedule);
    if (entry != best.end())
      tuned.table += fmt::format("line {} {}: {:.1f} to {:.1f} us\n", info.line, info.op, seconds * 1e6, now * 1e6);
  }
  tuned.table += fmt::format("all kernels: {:.1f} to {:.1f} us after {} rounds\n", before * 1e6, after * 1e6, rounds);
  return tuned;
}

std::optional<Failure> Tuner::run() {
  if (std::optional<Failure> failure = prepare())
    return failure;
  while (!isOver()) {
    Schedules next = nextCandidates();
    if (next.empty()) {
      if (std::optional<Failure> failure = findCandidates())
        return failure;
      next = nextCandidates();
    }
    if (next.empty())
      break;
    if (std::optional<Failure> failure = searchRound(next))
      return failure;
  }
  return confirm();
}

std::string linesOf(const Schedules &schedules) {
  std::string lines;
  for (auto &[kernel, schedule] : schedules)
    lines += kernel + " " + schedule + "\n";
  return lines;
}

Expected<Tuned> measureSchedules(const RunOptions &options) {
  Tuner tuner(options);
  if (std::optional<Failure> failure = tuner.run())
    return *failure;
  return tuner.found();
}

std::string writeSchedules(const std::string &path, const std::string &comments, const Schedules &schedules) {
  std::error_code problem;
  llvm::raw_fd_ostream out(path, problem);
  if (problem)
    return "--tune-output: cannot write '" + path + "': " + problem.message();
  out << comments << linesOf(schedules);
  return "";
}

std::optional<Failure> tune(const RunOptions &options) {
  Expected<Tuned> measured = measureSchedules(options);
  if (auto *failure = std::get_if<Failure>(&measured))
    return *failure;
  const Tuned &tuned = std::get<Tuned>(measured);
  std::fputs(tuned.table.c_str(), stdout);
  std::string error = writeSchedules(options.tuneFile, tuned.comments, tuned.faster);
  return error.empty() ? std::nullopt : std::optional(Failure{kWrongUsage, error});
}
