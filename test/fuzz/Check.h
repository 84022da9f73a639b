// Runs graphs in the interpreter and in every mode of the compiler, and compares.
#ifndef LATHE_TEST_FUZZ_CHECK_H
#define LATHE_TEST_FUZZ_CHECK_H

#include "lathe/CompileOptions.h"
#include "test/fuzz/Graph.h"
#include <optional>

namespace fuzz {

/// A way to compile and run.
struct Mode {
  std::string name;
  lathe::CompileOptions options;
  int threads = 1;
  bool specialized = false;
  bool sameBits = false; // as the first mode has
};
const std::vector<Mode> &allModes();
/// Those that have the same bits, and two of the others, for speed.
std::vector<Mode> someModes(uint64_t seed);

struct Difference {
  std::string mode, text;
  unsigned result = 0;
};

/// Elements compared, by what they were held to.
struct Counts {
  int64_t graphs = 0, refused = 0, exact = 0, bounded = 0, unknown = 0;
};

/// Compares graphs that are compiled as one module. One difference a graph, or none.
class Checker {
public:
  explicit Checker(std::string folder) : folder(std::move(folder)) {}
  std::vector<std::optional<Difference>> check(const std::vector<Graph> &graphs, const std::vector<Mode> &modes);
  /// Gradients of a smooth graph against differences.
  std::optional<Difference> checkGradients(const Graph &graph);
  Counts counts;
  std::string refusals; // why graphs were refused

private:
  struct Reference;
  void runMode(const Mode &mode, const std::vector<Graph> &graphs, std::vector<Reference> &references,
               std::vector<std::optional<Difference>> &differences);
  std::string folder;
};

/// The values of all nodes, as inputs to be put in their places; empty where the interpreter refuses.
std::vector<lathe::Tensor> valuesOf(const Graph &graph);

inline constexpr const char *kUncompiled = "does not compile"; // how the text of such a difference begins

/// A smaller graph that differs in the same mode.
Graph shrink(Graph graph, const Difference &difference, Checker &checker);

} // namespace fuzz

#endif
