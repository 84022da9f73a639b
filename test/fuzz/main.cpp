// Random graphs: the interpreter against compiled code, and gradients against differences. See docs/fuzzing.md.
#include "test/fuzz/Check.h"
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
  int64_t modules = 1 << 30, graphs = 8;
  double seconds = 1e9;
  int64_t gradients = 1; // graphs a module that are held against differences
  bool print = false, first = false;
};
} // namespace

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
    else if (const char *text = value("--gradients="))
      options.gradients = std::atoll(text);
    else if (std::strcmp(argv[i], "--first") == 0) // ends at the first difference, and does not shrink it
      options.first = true;
    else if (std::strcmp(argv[i], "--print") == 0)
      options.print = true;
    else
      std::fprintf(
          stderr,
          "usage: lathe-fuzz [--seed=S] [--modules=K] [--graphs=G] [--seconds=T] [--gradients=D] [--first] [--print]\n"),
          std::exit(2);
  }
  return options;
}

static void report(uint64_t seed, const Graph &graph, const Difference &difference, Checker &checker) {
  std::printf("seed %llu, %s: %s\n", (unsigned long long)seed, difference.mode.c_str(), difference.text.c_str());
  std::fflush(stdout);
  Graph small = shrink(graph, difference, checker);
  std::optional<Difference> again =
      difference.mode == "gradients" ? checker.checkGradients(small) : checker.check({small}, allModes())[0];
  std::printf("  shrunk: %s: %s\n%s", again ? again->mode.c_str() : "?", again ? again->text.c_str() : "passes",
              small.text("f0").c_str());
  if (difference.mode != "gradients")
    for (const lathe::Tensor &argument : small.arguments())
      std::printf("  %s\n", describe("argument", argument).c_str());
  std::fflush(stdout);
}

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  std::string folder = "/tmp/lathe-fuzz-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  Checker checker(folder);
  int differences = 0;
  auto start = std::chrono::steady_clock::now();
  auto spent = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  auto found = [&](uint64_t seed, const Graph &graph, const Difference &difference) {
    if (options.first)
      std::printf("seed %llu, %s: %s\n", (unsigned long long)seed, difference.mode.c_str(), difference.text.c_str()),
          std::fflush(stdout), std::_Exit(1);
    ++differences;
    report(seed, graph, difference, checker);
  };
  uint64_t seed = options.seed;
  for (int64_t module = 0; module < options.modules && spent() < options.seconds; ++module) {
    std::vector<Graph> graphs;
    for (int64_t i = 0; i < options.graphs; ++i)
      graphs.push_back(drawGraph(seed + i, {false, std::to_string(i)}));
    if (options.print)
      for (const Graph &graph : graphs)
        std::printf("%s", graph.text("f").c_str());
    std::printf("at seed %llu\n", (unsigned long long)seed); // the last line, should this end the process
    std::fflush(stdout);
    std::vector<std::optional<Difference>> all = checker.check(graphs, someModes(seed));
    for (size_t i = 0; i < graphs.size(); ++i)
      if (all[i])
        found(seed + i, graphs[i], *all[i]);
    for (int64_t i = 0; i < options.gradients; ++i) {
      Graph smooth = drawGraph(seed + i, {true, ""});
      if (smooth.inputs().empty() || smooth.results.empty())
        continue;
      if (options.print)
        std::printf("%s", smooth.text("g").c_str());
      if (std::optional<Difference> difference = checker.checkGradients(smooth))
        found(seed + i, smooth, *difference);
    }
    seed += options.graphs;
  }
  if (!checker.refusals.empty() && options.print)
    std::printf("last refusal: %s\n", checker.refusals.c_str());
  const Counts &counts = checker.counts;
  std::printf(
      "%lld graphs of seeds %llu to %llu in %.0f s: %lld elements to the bit, %lld to a bound, %lld without one; %lld graphs "
      "refused; %d differ\n",
      (long long)counts.graphs, (unsigned long long)options.seed, (unsigned long long)seed - 1, spent(),
      (long long)counts.exact, (long long)counts.bounded, (long long)counts.unknown, (long long)counts.refused, differences);
  std::filesystem::remove_all(folder);
  std::fflush(stdout);
  std::_Exit(differences ? 1 : 0); // what is loaded stays loaded: no destructors
}
