// Makes a graph that differs smaller as long as it differs.
#include "test/fuzz/Check.h"
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
      if (graph.form != Form::Plain && graph.form != Form::Vjp && graph.form != Form::Jvp)
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
    if (++tries > 400 || candidate.results.empty() || !differs(candidate))
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
        done = attempt([&](Graph &graph) { graph.nodes[i] = {"", {}, graph.nodes[i].type, values[i]}; });
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

Graph fuzz::shrink(Graph graph, const Difference &difference, Checker &checker) {
  const std::string &mode = difference.mode;
  const bool compiles = !difference.text.starts_with(kUncompiled);
  if (mode == "gradients")
    return Shrinker(graph, [&](const Graph &graph) { return checker.checkGradients(graph).has_value(); }).run();
  std::vector<Mode> modes;
  for (const Mode &each : allModes())
    if (each.name == mode || modes.empty())
      modes.push_back(each);
  auto differs = [&](const Graph &graph) {
    std::optional<Difference> found = checker.check({graph}, modes)[0];
    return found && found->text.starts_with(kUncompiled) != compiles; // not another fault on the way
  };
  return Shrinker(graph, differs).run();
}
