// Makes a graph that differs smaller as long as it differs.
#include "test/fuzz/Check.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <functional>
#include <set>

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
    smallerExtents();
    plainInputs();
    roundInputs();
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
      std::vector<unsigned> operands = graph.nodes[i].operands; // an attempt that holds makes another graph
      for (unsigned operand : operands)
        if (!done && graph.nodes[operand].type == graph.nodes[i].type)
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

  /// The elements of the first places along each dimension; ones behind them.
  static Tensor cut(const Tensor &tensor, const Type &type) {
    Tensor result = onesOf(type);
    std::vector<int64_t> shape = type.shape();
    if (tensor.getElement() != type.element || tensor.getRank() != int64_t(shape.size()))
      return result;
    size_t width = sizeOf(type.element);
    for (int64_t i = 0; i < result.size(); ++i) {
      int64_t from = 0, stride = 1, rest = i;
      bool inside = true;
      for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) {
        int64_t at = rest % shape[d];
        inside &= at < tensor.getShape()[d];
        from += at * stride;
        stride *= tensor.getShape()[d];
      }
      if (inside)
        std::copy_n(tensor.data<char>() + from * width, width, result.data<char>() + i * width);
    }
    return result;
  }

  /// All extents of a name or a number become smaller, in types and in the ops' own lists. Where that says something else than
  /// before, such as of a sum of extents, the graph is refused, and stays as it is.
  void smallerExtents() {
    std::set<std::pair<std::string, int64_t>> extents; // without a name: numbers
    for (const Node &node : graph.nodes)
      for (const Extent &extent : node.type.dims)
        if (extent.size > 1 && extent.name.empty())
          extents.insert({"", extent.size});
    for (auto &[name, size] : graph.sizes())
      extents.insert({name, size});
    for (auto it = extents.rbegin(); it != extents.rend(); ++it)
      for (int64_t size : {int64_t(1), int64_t(2), int64_t(3), it->second / 2})
        if (size < it->second && (size || !isAxis(it->first)) &&
            attempt([&](Graph &graph) { resize(graph, it->first, it->second, size); }))
          break;
  }

  bool isAxis(const std::string &name) const {
    return llvm::any_of(graph.axes, [&](const Axis &axis) { return axis.name == name; });
  }

  /// `text` with the number `from` as `to` where it stands in a list: behind its bracket or a blank, before a comma or its end.
  static std::string replaceNumber(llvm::StringRef text, const std::string &from, const std::string &to) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
      bool begins = at == 0 || text[at - 1] == '[' || text[at - 1] == ' ';
      llvm::StringRef after = text.substr(at + from.size());
      bool found = begins && text.substr(at).starts_with(from) && (after.starts_with("]") || after.starts_with(","));
      out += found ? to : std::string(1, text[at]);
      at += found ? from.size() : 1;
    }
    return out;
  }

  static void resize(Graph &graph, const std::string &name, int64_t from, int64_t to) {
    auto change = [&](Extent &extent) {
      if (extent.name.empty() && extent.size == from)
        extent.size = to;
    };
    if (!name.empty()) {
      Sizes sizes = graph.names;
      sizes[name] = to;
      graph.setSizes(sizes);
    } else {
      change(graph.batch);
    }
    for (Node &node : graph.nodes) {
      if (name.empty()) {
        llvm::for_each(node.type.dims, change);
        node.op = replaceNumber(node.op, std::to_string(from), std::to_string(to));
      }
      if (node.op.empty())
        node.value = cut(node.value, graph.stacked(node.type));
    }
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      if (!graph.nodes[i].seed.getBytes().empty())
        graph.nodes[i].seed = cut(graph.nodes[i].seed, graph.stacked(graph.argumentType(i)));
  }

  /// Whole numbers where they will do.
  void roundInputs() {
    for (unsigned input : graph.inputs())
      attempt([&](Graph &graph) {
        Tensor &value = graph.nodes[input].value;
        visitAny(value.getElement(), [&](auto zero) {
          using T = decltype(zero);
          if constexpr (!std::is_integral_v<T>)
            for (int64_t i = 0; i < value.size(); ++i)
              value.data<T>()[i] = T(std::nearbyint(double(value.data<T>()[i])));
          return 0;
        });
      });
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
  for (const char *kind : {kUncompiled, kGradients, kRefusal})
    if (a.text.starts_with(kind) != b.text.starts_with(kind))
      return false;
  return true;
}

Graph fuzz::shrink(const Difference &difference, Checker &checker) {
  std::vector<Mode> modes = modesFor(difference.mode);
  auto differs = [&](const Graph &graph) {
    std::optional<Difference> found = checker.check({graph}, modes)[0];
    return found && isOfOneKind(*found, difference);
  };
  return Shrinker(difference.graph, differs).run();
}
