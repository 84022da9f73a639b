#include "tools/lathec/Tune.h"
#include "lib/Compiler/Describe/Description.h"
#include "tools/lathe-run/Tune.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdio>
#include <fmt/format.h>

using namespace lathe;

namespace {
/// A version of an entry, with the sizes for which it is measured.
struct Measured {
  std::string function;
  std::map<std::string, int64_t> sizes;
};
} // namespace

static CompileStatus fail(CompileStatus status, const std::string &reason) {
  if (!reason.empty())
    std::fprintf(stderr, "lathec: error: %s\n", reason.c_str());
  return status;
}

/// Returns an error if a size of --tune-size is of no dimension, or an empty string.
static std::string checkSizes(const CommandLine &line, const CompileDescription &description) {
  std::set<std::string> names;
  for (const DescribedVersion &version : description.versions)
    names.insert(version.dims.begin(), version.dims.end());
  for (auto &[name, size] : line.tuneSizes)
    if (!names.count(name))
      return fmt::format("--tune-size: the graph has no dimension '{}'; it has {}", name,
                         names.empty() ? "none" : llvm::join(names, ", "));
  return "";
}

/// Adds the versions that have sizes for all of their dimensions. Returns an error if an entry has none of them.
static std::string addVersions(const CommandLine &line, const CompileDescription &description, std::vector<Measured> &found) {
  std::map<std::string, std::string> unsized; // entries without a version so far, and a dimension without a size
  std::set<std::string> sized;
  for (const DescribedVersion &version : description.versions) {
    if (version.function == "init")
      continue;
    Measured measured{version.function, line.tuneSizes};
    for (auto &[name, size] : version.fixed)
      measured.sizes[name] = size.constant();
    auto missing = llvm::find_if(version.dims, [&](const std::string &name) { return !measured.sizes.count(name); });
    if (missing != version.dims.end()) {
      unsized.emplace(version.function, *missing);
      continue;
    }
    sized.insert(version.function);
    found.push_back(std::move(measured));
  }
  for (auto &[function, dim] : unsized)
    if (!sized.count(function))
      return fmt::format("--tune: measuring @{} needs a size of '{}'; add --tune-size={}=32, for example", function, dim, dim);
  return "";
}

/// Returns the options to run one version with.
static RunOptions runOptionsOf(const CommandLine &line, const Measured &version, double seconds, const ConstInputs &constants) {
  RunOptions run;
  run.graph = line.graph;
  run.function = version.function;
  run.randomRest = true;
  run.dims = version.sizes;
  run.tuneSeconds = seconds;
  run.compile = line.options;
  run.compile.emit = EmitKind::Object;
  run.compile.describe = run.compile.explain = run.compile.externWeights = false;
  run.compile.clusterFile = run.compile.saveStages = "";
  run.compile.headerFile = run.compile.weightsFile = "";
  run.compile.sanitizer = Sanitizer::None;
  run.compile.threads = true;
  run.constants = std::make_shared<ConstInputs>(constants);
  return run;
}

CompileStatus lathe::tuneKernels(CommandLine &line, const ConstInputs &constants) {
  CompileOptions describing = line.options;
  describing.emit = EmitKind::None;
  describing.describe = true;
  ConstInputs given = constants;
  CompileResult described = compileFile(line.graph, describing, &given);
  if (described.status != CompileStatus::Done) {
    std::fputs(described.diagnostics.c_str(), stderr);
    return described.status;
  }
  std::vector<Measured> versions;
  std::string problem = checkSizes(line, *described.description);
  if (problem.empty())
    problem = addVersions(line, *described.description, versions);
  if (!problem.empty())
    return fail(CompileStatus::WrongUsage, problem);
  Schedules schedules = readSchedules(line.options.scheduleFile);
  std::string comments;
  for (const Measured &version : versions) {
    Expected<Tuned> measured =
        measureSchedules(runOptionsOf(line, version, line.tuneSeconds / double(versions.size()), constants));
    if (auto *failure = std::get_if<Failure>(&measured))
      return fail(failure->code == kDiffers      ? CompileStatus::InternalError
                  : failure->code == kWrongUsage ? CompileStatus::WrongUsage
                                                 : CompileStatus::Refused,
                  failure->reason);
    Tuned &tuned = std::get<Tuned>(measured);
    std::string sizes;
    for (auto &[name, size] : version.sizes)
      sizes += fmt::format(", {}={}", name, size);
    std::fprintf(stderr, "lathec: tuned @%s%s\n%s", version.function.c_str(), sizes.c_str(), tuned.table.c_str());
    comments += tuned.comments;
    for (auto &[kernel, schedule] : tuned.faster)
      schedules[kernel] = schedule;
    if (std::string error = writeSchedules(line.tuneFile, comments, schedules); !error.empty())
      return fail(CompileStatus::WrongUsage, error);
    line.options.scheduleFile = line.tuneFile; // the next version starts from what this one found
  }
  return CompileStatus::Done;
}
