#include "tools/lathe-run/Profile.h"
#include "lib/Compiler/Describe/Description.h"
#include "lib/Support/Terminal.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdio>
#include <unistd.h>

using namespace lathe;

double Profile::total() const {
  double seconds = 0;
  for (const ProfileRow &row : rows)
    seconds += row.seconds;
  return seconds;
}

/// Returns the calls by kernel, in the order of first calls.
static std::vector<ProfileRow> rowsOf(llvm::ArrayRef<KernelCall> calls) {
  std::vector<ProfileRow> rows;
  llvm::DenseMap<const lathe_kernel_info *, size_t> numbers;
  for (const KernelCall &call : calls) {
    auto [known, isNew] = numbers.try_emplace(call.kernel, rows.size());
    if (isNew)
      rows.push_back({call.kernel, -1, nullptr, 0, 0, 0, 0, 0, ""});
    rows[known->second].seconds += call.seconds;
    ++rows[known->second].calls;
  }
  return rows;
}

/// True if a row of a table is this kernel of the description.
static bool isRowOf(const lathe_kernel_info &row, const DescribedKernel &kernel) {
  return kernel.op == row.op && kernel.fused == (row.fused ? row.fused : "") && kernel.place.line == row.line &&
         kernel.place.node == (row.node ? row.node : "");
}

/// Numbers the rows as those of a version's table that begins at `table`. Returns false if they do not fit the version.
static bool assign(std::vector<ProfileRow> &rows, const DescribedVersion &version, const lathe_kernel_info *table) {
  for (ProfileRow &row : rows) {
    ptrdiff_t number = row.kernel - table;
    if (number < 0 || number >= ptrdiff_t(version.kernels.size()) || !isRowOf(*row.kernel, version.kernels[number]))
      return false;
    row.number = int(number);
    row.described = &version.kernels[number];
  }
  return true;
}

/// Numbers the rows of an object, of which only the entry's table is known. Returns false if another version ran.
static bool numberRows(std::vector<ProfileRow> &rows, const lathe_function_info &entry) {
  for (const ProfileRow &row : rows)
    if (row.kernel < entry.kernels || row.kernel >= entry.kernels + entry.kernel_count)
      return false;
  for (ProfileRow &row : rows)
    row.number = int(row.kernel - entry.kernels);
  return true;
}

/// Finds the version that ran, and numbers the rows. The table of the general version is the entry's; those of other versions
/// are known by their rows only, so the first version that they fit is chosen.
static const DescribedVersion *findVersion(std::vector<ProfileRow> &rows, const CompileDescription &description,
                                           const lathe_function_info &entry) {
  std::vector<const DescribedVersion *> versions;
  for (const DescribedVersion &version : description.versions)
    if (version.function == entry.name)
      versions.push_back(&version);
  if (versions.empty() || rows.empty())
    return nullptr;
  if (assign(rows, *versions.back(), entry.kernels))
    return versions.back();
  const lathe_kernel_info *lowest = rows.front().kernel;
  for (const ProfileRow &row : rows)
    lowest = std::min(lowest, row.kernel);
  for (const DescribedVersion *version : llvm::drop_end(versions))
    for (size_t first = 0; first < version->kernels.size(); ++first) // kernels in a branch that is not taken may come first
      if (isRowOf(*lowest, version->kernels[first]) && assign(rows, *version, lowest - first))
        return version;
  for (ProfileRow &row : rows)
    row.number = -1, row.described = nullptr;
  return nullptr;
}

/// True if a kernel is faster than the limit: another program ran while that was measured. Short times are not exact enough.
static bool exceedsLimit(const Profile &profile) {
  return llvm::any_of(profile.rows, [](const ProfileRow &row) {
    return row.seconds > 20e-6 * row.calls && row.least * row.calls > 1.03 * row.seconds;
  });
}

/// Adds the work of the rows, for the sizes of the run, and the least time that it takes on the machine.
static void addWork(Profile &profile) {
  for (ProfileRow &row : profile.rows) {
    if (!row.described)
      continue;
    KernelCost cost = row.described->work.at(profile.sizes);
    row.flops = cost.flops();
    row.bytes = cost.bytes;
    row.type = row.described->type.element.empty() ? "" : row.described->type.str(profile.sizes);
    if (profile.limits)
      row.least = profile.limits->leastSeconds(row.flops, row.bytes, row.described->type.element == "f64");
  }
}

/// Runs once to warm up, then some more times, and returns the fastest of these runs: others were disturbed more.
static Expected<TimedRun> timeBest(Runner &runner, const Tensors &inputs, bool byThread) {
  constexpr int kRuns = 5;
  constexpr double kSeconds = 1;
  Expected<TimedRun> best = timeKernels(runner, inputs, {}); // this run pays for untouched memory
  runner.setPrints(false);
  double spent = 0, least = 0;
  for (int i = 0; i < kRuns && spent < kSeconds && std::holds_alternative<TimedRun>(best); ++i) {
    Expected<TimedRun> next = timeKernels(runner, inputs, std::move(std::get<TimedRun>(best).results), byThread);
    if (std::holds_alternative<Failure>(next))
      return next;
    TimedRun &run = std::get<TimedRun>(next);
    double seconds = 0;
    for (const KernelCall &call : run.calls)
      seconds += call.seconds;
    spent += seconds;
    if (i == 0 || seconds < least) {
      least = seconds;
      best = std::move(next);
    } else {
      std::get<TimedRun>(best).results = std::move(run.results);
    }
  }
  return best;
}

std::optional<Failure> profile(Runner &runner, const Tensors &inputs, const RunOptions &options) {
  if (!runner.getContext())
    return Failure{kWrongUsage, "--profile needs compiled code"};
  Expected<TimedRun> run = timeBest(runner, inputs, /*byThread=*/!options.profileTrace.empty());
  if (auto *failure = std::get_if<Failure>(&run))
    return *failure;
  Profile profile;
  profile.function = runner.getSignature().function;
  profile.run = std::get<TimedRun>(std::move(run));
  profile.rows = rowsOf(profile.run.calls);
  profile.isOnDevice = runner.getContext()->device;
  const int threads = lathe_context_threads(runner.getContext());
  if (!profile.isOnDevice)
    profile.limits = machineLimits(threads, options.measuresMachine ? Measure::Again : Measure::Once);
  std::shared_ptr<const CompileDescription> description = runner.getDescription();
  profile.sizes = runner.sizesFor(inputs);
  if (!description && numberRows(profile.rows, *runner.getEntry()))
    profile.version = "general";
  if (description) {
    profile.text = description->text;
    if (const DescribedVersion *version = findVersion(profile.rows, *description, *runner.getEntry())) {
      profile.version = version->name;
      profile.sizes = version->sizesFor(profile.sizes, 1);
    }
    addWork(profile);
    if (profile.limits && exceedsLimit(profile)) {
      profile.limits = machineLimits(threads, Measure::Better);
      addWork(profile);
    }
  }
  profile.sizes.insert(options.dims.begin(), options.dims.end()); // those that the code is compiled for
  std::fputs(profileTables(profile, terminalWidth(STDOUT_FILENO)).c_str(), stdout);
  return options.profileTrace.empty() ? std::nullopt : writeTrace(options.profileTrace, profile);
}
