// Random graphs: the interpreter against compiled code, and gradients against differences. See docs/fuzzing.md.
#include "lib/Support/Terminal.h"
#include "test/fuzz/Check.h"
#include "test/fuzz/Coverage.h"
#include "tools/lathe-run/Report.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace fuzz;

namespace {
struct Options {
  uint64_t seed = 1;
  int64_t modules = 1 << 30, graphs = 32;
  double seconds = 1e9;
  int64_t smooth = 15;  // percent of the graphs whose gradients are held against differences
  int64_t moreOps = 0;  // of a graph
  int64_t coverage = 0; // graphs that are only drawn, to see which ops they have
  bool print = false, first = false, gpu = false, budgets = false, ranks = false;
  std::string write; // a folder: graphs are only drawn, and written there
};
} // namespace

static const char *const kUsage = R"(Usage: lathe-fuzz [OPTIONS]
Draws random graphs, and compares compiled code with the interpreter, and gradients with finite differences.

Options:
  --seed=S            Seed of the first module (default 1)
  --modules=K         Number of modules (default: no limit)
  --graphs=G          Graphs per module (default 32)
  --seconds=T         Stop after this many seconds (default: no limit)
  --smooth=PERCENT    Share of the graphs whose gradients are checked (default 15)
  --more-ops=K        Draw K more ops for each graph (default 0)
  --first             Stop at the first difference, and do not shrink it
  --print             Print every graph
  --gpu               Compile all modules for a GPU
  --budgets           Compile all modules without and with a random budget of memory (with --graphs=1, one for each graph)
  --ranks             Draw collectives, and run the graphs on one to four ranks in this process
  --coverage=GRAPHS   Only draw this many graphs, and check that each op occurs
  --write=FOLDER      Only draw graphs, and write them to this folder
  --help              Print this text

Exit status: 0 no difference, 1 differences, 2 wrong usage.)";

static Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    auto value = [&](const char *name) {
      size_t length = std::strlen(name);
      return std::strncmp(argv[i], name, length) == 0 ? argv[i] + length : nullptr;
    };
    if (const char *text = value("--seed="))
      options.seed = std::strtoull(text, nullptr, 10);
    else if (const char *text = value("--modules="))
      options.modules = std::atoll(text);
    else if (const char *text = value("--graphs="))
      options.graphs = std::atoll(text);
    else if (const char *text = value("--seconds="))
      options.seconds = std::atof(text);
    else if (const char *text = value("--smooth="))
      options.smooth = std::atoll(text);
    else if (const char *text = value("--more-ops="))
      options.moreOps = std::atoll(text);
    else if (const char *text = value("--coverage="))
      options.coverage = std::atoll(text);
    else if (const char *text = value("--write="))
      options.write = text;
    else if (std::strcmp(argv[i], "--first") == 0) // ends at the first difference, and does not shrink it
      options.first = true;
    else if (std::strcmp(argv[i], "--gpu") == 0) // all modules for GPUs only
      options.gpu = true;
    else if (std::strcmp(argv[i], "--budgets") == 0)
      options.budgets = true;
    else if (std::strcmp(argv[i], "--ranks") == 0)
      options.ranks = true;
    else if (std::strcmp(argv[i], "--print") == 0)
      options.print = true;
    else if (std::strcmp(argv[i], "--help") == 0)
      std::puts(kUsage), std::exit(0);
    else
      std::fprintf(stderr, "lathe-fuzz: error: unknown option '%s'\n\n%s\n", argv[i], kUsage), std::exit(2);
  }
  return options;
}

namespace {
class Run {
public:
  explicit Run(const Options &options)
      : options(options),
        folder((std::filesystem::temp_directory_path() / ("lathe-fuzz-" + std::to_string(getpid()))).string()),
        checker(folder) {
    std::filesystem::create_directories(folder);
  }
  ~Run() { std::filesystem::remove_all(folder); }

  int all() {
    uint64_t seed = options.seed;
    for (int64_t i = 0; i < options.modules && spent() < options.seconds && !(options.first && differences); ++i) {
      module(seed);
      seed += options.graphs;
    }
    if (!checker.refusals.empty() && options.print)
      std::printf("last refusal: %s\n", checker.refusals.c_str());
    progress.clear();
    summary(seed - 1);
    return differences != 0;
  }

private:
  double spent() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }

  std::vector<Mode> modesOf(uint64_t seed) const {
    if (options.gpu)
      return modesFor("gpu");
    return options.budgets ? budgetModes(seed) : fuzz::modesOf(seed / options.graphs);
  }

  void module(uint64_t seed) {
    std::vector<Graph> graphs;
    std::vector<Mesh> meshes = options.ranks ? drawMeshes(seed) : std::vector<Mesh>();
    for (int64_t i = 0; i < options.graphs; ++i) {
      Random random(seed + i + (uint64_t(1) << 40));
      graphs.push_back(drawGraph(seed + i, {below(random, 100) < options.smooth, std::to_string(i), options.moreOps, meshes}));
    }
    if (options.print)
      for (const Graph &graph : graphs)
        std::printf("%s", (axesText({graph}) + graph.text("f")).c_str());
    if (!options.write.empty()) {
      for (size_t i = 0; i < graphs.size(); ++i)
        std::ofstream(options.write + "/" + std::to_string(seed + i) + ".mlir") << axesText({graphs[i]}) << graphs[i].text("f");
      return;
    }
    progress.clear();
    std::printf("at seed %llu\n", (unsigned long long)seed); // the last line, should this end the process
    std::fflush(stdout);
    progress.set("seed " + std::to_string(seed) + ", " + std::to_string(differences) + " differences");
    Checker::Differences all = checker.check(graphs, modesOf(seed));
    for (size_t i = 0; i < graphs.size(); ++i)
      if (all[i])
        found(seed + i, *all[i]);
  }

  void found(uint64_t seed, const Difference &difference) {
    ++differences;
    progress.clear();
    std::printf("seed %llu, %s: %s\n", (unsigned long long)seed, difference.mode.c_str(), difference.text.c_str());
    std::fflush(stdout);
    if (options.first)
      return;
    Counts before = checker.counts;
    Graph small = shrink(difference, checker);
    std::optional<Difference> again = checker.check({small}, modesFor(difference.mode))[0];
    std::printf("  shrunk: %s: %s\n%s", again ? again->mode.c_str() : "?", again ? again->text.c_str() : "passes",
                (axesText({small}) + small.text("f0")).c_str());
    for (const lathe::RankAxis &axis : small.mesh())
      std::printf("  %s: %lld ranks\n", axis.name.c_str(), (long long)axis.size);
    for (const lathe::Tensor &argument : small.arguments())
      std::printf("  %s\n", describe("argument", argument).c_str());
    std::fflush(stdout);
    checker.counts = before;
  }

  void summary(uint64_t last) const {
    const Counts &counts = checker.counts;
    std::printf("%lld graphs of seeds %llu to %llu in %.0f s: %lld elements to the bit, %lld to a bound, %lld without one; "
                "%lld graphs refused; %d differ\n",
                (long long)counts.graphs, (unsigned long long)options.seed, (unsigned long long)last, spent(),
                (long long)counts.exact, (long long)counts.bounded, (long long)counts.unknown, (long long)counts.refused,
                differences);
    std::printf("%lld calls with one set of sizes each, %lld of them refused by both sides\n", (long long)counts.calls,
                (long long)counts.refusedCalls);
    std::printf("%lld derivatives of %lld graphs against differences, %lld too rough to tell; %lld graphs not finite\n",
                (long long)counts.derivatives, (long long)counts.differentiated, (long long)counts.skipped,
                (long long)counts.infinite);
    for (auto &[mode, graphs] : counts.modes)
      std::printf("%s%s %lld", mode == counts.modes.begin()->first ? "modes: " : ", ", mode.c_str(), (long long)graphs);
    std::printf("\n");
  }

  const Options &options;
  std::string folder;
  Checker checker;
  int differences = 0;
  lathe::Progress progress{"lathe-fuzz"};
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};
} // namespace

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  if (options.coverage)
    return checkCoverage(options.seed, options.coverage, options.smooth);
  int status = Run(options).all();
  std::fflush(stdout);
  std::_Exit(status); // what is loaded stays loaded: no destructors
}
