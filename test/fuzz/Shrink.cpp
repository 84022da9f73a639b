// Makes a graph that differs smaller as long as it differs.
#include "test/fuzz/Check.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>

using namespace lathe;
using namespace fuzz;

namespace {
class Shrinker {
public:
  Shrinker(Graph graph, std::function<bool(const Graph &)> differs) : graph(std::move(graph)), differs(std::move(differs)) {}

  Graph run() {
    for (bool smaller = true; smaller && tries < 400;) {
      smaller = false;
      smaller |= fewerResults();
      if (graph.form != Form::Plain)
        smaller |= attempt([](Graph &graph) { graph.form = Form::Plain; });
      smaller |= fewerOps();
    }
    plainInputs();
    return graph;
  }

private:
  template <typename Change>
  bool attempt(Change change) {
    Graph candidate = graph;
    change(candidate);
    candidate = candidate.pruned();
    bool computes = llvm::none_of(candidate.results, [&](unsigned i) { return candidate.nodes[i].op.empty(); });
    if (++tries > 400 || candidate.results.empty() || !computes || !differs(candidate))
      return false;
    graph = candidate;
    return true;
  }

  bool fewerResults() {
    bool smaller = false;
    for (size_t i = graph.results.size(); i-- > 0 && graph.results.size() > 1;)
      if (i < graph.results.size())
        smaller |= attempt([&](Graph &graph) { graph.results.erase(graph.results.begin() + i); });
    return smaller;
  }

  bool fewerOps() {
    bool smaller = false;
    std::vector<Tensor> values = valuesOf(graph);
    for (size_t i = graph.nodes.size(); i-- > 0;) {
      if (i >= graph.nodes.size() || graph.nodes[i].op.empty())
        continue;
      bool done = false;
      for (unsigned operand : graph.nodes[i].operands)
        if (graph.nodes[operand].type == graph.nodes[i].type && !done)
          done = attempt([&](Graph &graph) { replace(graph, i, operand); });
      if (!done && values.size() > i)
        done = attempt([&](Graph &graph) { graph.nodes[i] = {"", {}, graph.nodes[i].type, values[i], {}, false, {}}; });
      if (done)
        values = valuesOf(graph);
      smaller |= done;
    }
    return smaller;
  }

  static void replace(Graph &graph, unsigned node, unsigned by) {
    for (Node &user : graph.nodes)
      for (unsigned &operand : user.operands)
        operand = operand == node ? by : operand;
    for (unsigned &result : graph.results)
      result = result == node ? by : result;
  }

  /// Ones where they will do.
  void plainInputs() {
    for (unsigned input : graph.inputs()) {
      auto one = [&](Graph &graph, int64_t from, int64_t to) {
        Tensor &value = graph.nodes[input].value;
        visitAny(value.getElement(), [&](auto zero) {
          using T = decltype(zero);
          for (int64_t i = from; i < to; ++i)
            value.data<T>()[i] = T(1);
          return 0;
        });
      };
      int64_t size = graph.nodes[input].value.size();
      if (size == 0 || attempt([&](Graph &graph) { one(graph, 0, size); }))
        continue;
      for (int64_t part = (size + 1) / 2; part > 0; part = part == 1 ? 0 : (part + 1) / 2)
        for (int64_t from = 0; from < size && tries < 400; from += part)
          attempt([&](Graph &graph) { one(graph, from, std::min(size, from + part)); });
    }
  }

  Graph graph;
  std::function<bool(const Graph &)> differs;
  int tries = 0;
};
} // namespace

/// Not another fault on the way.
static bool isOfOneKind(const Difference &a, const Difference &b) {
  for (const char *kind : {kUncompiled, kGradients})
    if (a.text.starts_with(kind) != b.text.starts_with(kind))
      return false;
  return true;
}

Graph fuzz::shrink(Graph graph, const Difference &difference, Checker &checker) {
  std::vector<Mode> modes = modesFor(difference.mode);
  auto differs = [&](const Graph &graph) {
    std::optional<Difference> found = checker.check({graph}, modes)[0];
    return found && isOfOneKind(*found, difference);
  };
  return Shrinker(graph, differs).run();
}
