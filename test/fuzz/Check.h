// Runs graphs in the interpreter and in modes of the compiler, and compares.
#ifndef LATHE_TEST_FUZZ_CHECK_H
#define LATHE_TEST_FUZZ_CHECK_H

#include "test/fuzz/Graph.h"
#include "test/fuzz/Modes.h"
#include "test/fuzz/Reference.h"
#include "tools/lathe-run/Runner.h"
#include <map>
#include <optional>

namespace fuzz {

struct Difference {
  std::string mode, text;
  Graph graph; // with the sizes at which it differs, and no others
};

/// Elements compared, by what they were held to, and derivatives, by what differences said of them.
struct Counts {
  int64_t graphs = 0, refused = 0;
  int64_t calls = 0, refusedCalls = 0; // with one set of sizes each; those that both sides refuse
  int64_t exact = 0, bounded = 0, unknown = 0;
  int64_t differentiated = 0, derivatives = 0, skipped = 0, infinite = 0;
  std::map<std::string, int64_t> modes; // graphs that went through each
};

/// Compares graphs that are compiled as one module. One difference a graph, or none.
class Checker {
public:
  explicit Checker(std::string folder) : folder(std::move(folder)) {}
  using Differences = std::vector<std::optional<Difference>>;
  Differences check(const std::vector<Graph> &graphs, const std::vector<Mode> &modes);
  Counts counts;
  std::string refusals; // why graphs were refused

private:
  struct Case;
  struct Subjects;
  class Jobs;
  Subjects interpret(const std::vector<Graph> &graphs);
  std::map<size_t, Interpreted> interpretAmong(const Subjects &subjects, const std::map<size_t, Graph> &sized, SizesAre sizes);
  std::optional<std::string> load(const Mode &mode, const Subjects &subjects, std::unique_ptr<Jobs> &jobs);
  std::string compile(const Mode &mode, const Subjects &subjects, lathe::CompileOptions options, std::string &code);
  void runMode(const Mode &mode, Subjects &subjects, Differences &differences);
  std::string runGraph(const Mode &mode, Jobs &jobs, size_t i, Subjects &subjects);
  std::string runCase(const Mode &mode, Jobs &jobs, size_t i, Case &sized, const Subjects &subjects);
  std::string compareResults(const Mode &mode, Case &sized, std::vector<lathe::Tensor> values);
  std::string compareRefusals(const std::string &reason, size_t i, const Case &sized, const Subjects &subjects);
  std::string folder;
  int64_t budget = 0; // bytes of workspace that the loaded module keeps to; 0 for no limit
};

/// The values of all nodes, as inputs to be put in their places; empty where the interpreter refuses.
std::vector<lathe::Tensor> valuesOf(const Graph &graph);

/// Gradients of a loaded graph against differences, and forward against reverse mode. Empty, or what differs.
std::string compareGradients(Runner &runner, const Graph &graph, const std::string &name, Counts &counts);

// How the texts of some differences begin.
inline constexpr const char *kUncompiled = "does not compile";
inline constexpr const char *kGradients = "gradients";
inline constexpr const char *kRefusal = "refused";

/// A smaller graph that differs in the same mode.
Graph shrink(const Difference &difference, Checker &checker);

} // namespace fuzz

#endif
