// Random graphs as MLIR.
#include "test/fuzz/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace lathe;

static std::string nameOf(unsigned node) { return "%v" + std::to_string(node); }

/// Returns the value as ops use it.
static std::string valueOf(const Graph &graph, unsigned node) {
  return nameOf(node) + (graph.nodes[node].count > 1 ? "#" + std::to_string(graph.nodes[node].shown) : "");
}

static std::string bodyLine(const Graph &graph, unsigned number) {
  const Node &node = graph.nodes[number];
  std::string text = "  " + nameOf(number) + (node.count > 1 ? ":" + std::to_string(node.count) : "") + " = ";
  for (size_t i = 0; i < node.op.size(); ++i) {
    char c = node.op[i];
    if (c != '$' && c != '@') {
      text += c;
      continue;
    }
    unsigned operand = node.operands[node.op[++i] - '0'];
    text += c == '$' ? valueOf(graph, operand) : graph.nodes[operand].type.text();
  }
  return text + "\n";
}

static std::string argument(const std::string &name, const Type &type) {
  std::vector<std::string> names;
  for (const Extent &dim : type.dims)
    if (!dim.name.empty())
      names.push_back(dim.name);
  std::string text = name + ": " + type.text();
  return names.empty() ? text : text + " {lathe.dims = #lathe.dims<" + llvm::join(names, ", ") + ">}";
}

static std::string typesText(const std::vector<Type> &types) {
  return "(" + llvm::join(llvm::map_range(types, [](const Type &type) { return type.text(); }), ", ") + ")";
}

/// "%p0, %p1, ..."
static std::string valuesText(char letter, size_t from, size_t to) {
  std::string text;
  for (size_t i = from; i < to; ++i)
    text += (i == from ? "%" : ", %") + std::string(1, letter) + std::to_string(i);
  return text;
}

/// A function whose body is one op on its first `own` arguments: `op(%p0, ...) between(%p2, ...) behind : types`.
static std::string wrapper(const std::string &name, const std::string &op, const EntryTypes &signature, size_t own,
                           const std::string &between, const std::string &behind) {
  const std::vector<Type> &types = signature.arguments;
  std::string arguments;
  for (size_t i = 0; i < types.size(); ++i)
    arguments += (i ? ", " : "") + argument("%p" + std::to_string(i), types[i]);
  std::string results = typesText(signature.results), values = valuesText('r', 0, signature.results.size());
  std::string text = "func.func @" + name + "(" + arguments + ") -> " + results + " {\n  " + values + " = " + op + "(" +
                     valuesText('p', 0, own) + ")";
  if (!between.empty())
    text += " " + between + "(" + valuesText('p', own, types.size()) + ")";
  text += behind + " : " + typesText({types.begin(), types.begin() + own});
  if (!between.empty())
    text += ", " + typesText({types.begin() + own, types.end()});
  return text + " -> " + results + "\n  return " + values + " : " + results.substr(1, results.size() - 2) + "\n}\n";
}

static std::string wrtText(const std::vector<unsigned> &wrt) {
  return " wrt [" + llvm::join(llvm::map_range(wrt, [](unsigned i) { return std::to_string(i); }), ", ") + "]";
}

/// The function, and what must be declared for it.
static std::string bodyText(const Graph &graph, const std::string &name, const std::string &head) {
  std::vector<std::string> heads, names;
  std::vector<Type> types;
  std::string declared, reads, writes;
  Sizes sizes = graph.sizes();
  for (auto &[dim, bounds] : graph.bounds)
    if (sizes.count(dim))
      declared += "lathe.dim @" + dim + ", " + std::to_string(bounds.minimum) + " to " + std::to_string(bounds.maximum) +
                  ", multiple of " + std::to_string(bounds.multipleOf) + "\n";
  for (unsigned i : graph.parameters())
    heads.push_back(argument(nameOf(i), graph.nodes[i].type));
  for (unsigned i : graph.variables()) {
    std::string variable = "@" + graph.variableName(name, i) + " : " + graph.nodes[i].type.text();
    declared += "lathe.variable " + variable + " init #lathe.zeros\n";
    reads += "  " + nameOf(i) + " = lathe.read " + variable + "\n";
  }
  for (auto [variable, value] : graph.writes)
    if (graph.form == Form::State)
      writes += "  lathe.write @" + graph.variableName(name, variable) + ", " + valueOf(graph, value) + " : " +
                graph.nodes[value].type.text() + "\n";
  for (unsigned result : graph.results)
    names.push_back(valueOf(graph, result)), types.push_back(graph.nodes[result].type);
  std::string list = typesText(types), text = declared + head + "(" + llvm::join(heads, ", ") + ") -> " + list + " {\n" + reads;
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    if (!graph.nodes[i].op.empty())
      text += bodyLine(graph, i);
  return text + writes + "  return " + llvm::join(names, ", ") + " : " + list.substr(1, list.size() - 2) + "\n}\n";
}

std::string axesText(const std::vector<Graph> &graphs) {
  std::set<std::string> open;
  for (const Graph &graph : graphs)
    for (const Axis &axis : graph.axes)
      if (!axis.ranks.name.empty())
        open.insert(axis.name);
  std::string text;
  for (const std::string &name : open)
    text += "lathe.dim @" + name + ", 1 to 64\n";
  return text;
}

std::string Graph::reference(const std::string &name) const {
  if (form != Form::Vmap)
    return text(name);
  Graph one = *this;
  one.form = Form::Plain;
  one.bounds.clear();
  return one.text(name);
}

std::string Graph::text(const std::string &name) const {
  if (form == Form::Plain)
    return bodyText(*this, name, "func.func @" + name);
  std::string callee = " @" + name + "_of";
  auto entry = [&](const std::string &op, const std::string &between = "", const std::string &behind = "") {
    return bodyText(*this, name, "func.func private" + callee) +
           wrapper(name, op + callee, signature(), parameters().size(), between, behind);
  };
  std::string batches;
  for (unsigned i : parameters())
    batches += (batches.empty() ? "" : ", ") + (nodes[i].batchDim ? std::to_string(*nodes[i].batchDim) : "none");
  switch (form) {
  case Form::ValueAndGrad:
    return entry("lathe.value_and_grad", "", wrtText(wrt()));
  case Form::Jvp:
    return entry("lathe.jvp", "tangents", wrtText(wrt()));
  case Form::Vjp:
    return entry("lathe.vjp", "cotangents", wrtText(wrt()));
  case Form::Vmap:
    return entry("lathe.vmap", "", " in [" + batches + "]");
  case Form::Minimize:
    return entry("lathe.minimize", "", " with " + optimizer);
  default:
    return entry("func.call");
  }
}

/// The places of f64s.
static std::vector<unsigned> doubles(const std::vector<Type> &types) {
  std::vector<unsigned> places;
  for (unsigned i = 0; i < types.size(); ++i)
    if (types[i].element == Element::F64)
      places.push_back(i);
  return places;
}

std::string Graph::derivatives(const std::string &name) const {
  EntryTypes own = signature(), reverse = own, forward = own;
  std::vector<unsigned> wrt = doubles(own.arguments);
  for (unsigned i : wrt) {
    reverse.results.push_back(own.arguments[i]);
    forward.arguments.push_back(own.arguments[i]);
  }
  for (unsigned i : doubles(own.results)) {
    reverse.arguments.push_back(own.results[i]);
    forward.results.push_back(own.results[i]);
  }
  return wrapper(name + "_vjp", "lathe.vjp @" + name, reverse, own.arguments.size(), "cotangents", wrtText(wrt)) +
         wrapper(name + "_jvp", "lathe.jvp @" + name, forward, own.arguments.size(), "tangents", wrtText(wrt));
}
