#include "test/fuzz/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace lathe;

bool isFloat(Element element) { return element >= Element::F16; }

std::string typeName(Element element) {
  static const char *const names[] = {"",     "i1",   "i8",   "i16", "i32",  "i64", "ui8",
                                      "ui16", "ui32", "ui64", "f16", "bf16", "f32", "f64"};
  return names[int(element)];
}

std::string Type::text() const {
  std::string text = "tensor<";
  for (const Extent &dim : dims)
    text += (dim.name.empty() ? std::to_string(dim.size) : "?") + "x";
  return text + typeName(element) + ">";
}

std::vector<int64_t> Type::shape() const {
  std::vector<int64_t> shape;
  for (const Extent &dim : dims)
    shape.push_back(dim.size);
  return shape;
}

int64_t Type::size() const {
  int64_t size = 1;
  for (const Extent &dim : dims)
    size *= dim.size;
  return size;
}

bool Type::isStatic() const {
  return llvm::all_of(dims, [](const Extent &dim) { return dim.name.empty(); });
}

static std::string nameOf(unsigned node) { return "%v" + std::to_string(node); }

static std::string bodyLine(const Graph &graph, unsigned number) {
  const Node &node = graph.nodes[number];
  std::string text = "  " + nameOf(number) + " = ";
  for (size_t i = 0; i < node.op.size(); ++i) {
    char c = node.op[i];
    if (c != '$' && c != '@') {
      text += c;
      continue;
    }
    unsigned operand = node.operands[node.op[++i] - '0'];
    text += c == '$' ? nameOf(operand) : graph.nodes[operand].type.text();
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

std::vector<unsigned> Graph::inputs() const {
  std::vector<unsigned> inputs;
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (nodes[i].op.empty())
      inputs.push_back(i);
  return inputs;
}

std::vector<unsigned> Graph::wrt() const {
  std::vector<unsigned> wrt;
  for (auto [i, input] : llvm::enumerate(inputs()))
    if (isFloat(nodes[input].type.element))
      wrt.push_back(i);
  return wrt;
}

std::vector<Tensor> Graph::arguments() const {
  std::vector<Tensor> all;
  for (unsigned input : inputs())
    all.push_back(nodes[input].value);
  if (form == Form::Jvp || form == Form::Vjp)
    all.insert(all.end(), seeds.begin(), seeds.end());
  return all;
}

std::map<std::string, int64_t> Graph::sizes() const {
  std::map<std::string, int64_t> sizes;
  for (unsigned input : inputs())
    for (const Extent &dim : nodes[input].type.dims)
      if (!dim.name.empty())
        sizes[dim.name] = dim.size;
  return sizes;
}

Graph Graph::pruned() const {
  std::set<unsigned> needed(results.begin(), results.end());
  for (unsigned i = nodes.size(); i-- > 0;)
    if (needed.count(i))
      needed.insert(nodes[i].operands.begin(), nodes[i].operands.end());
  Graph graph;
  graph.form = form;
  graph.seeds = seeds;
  std::map<unsigned, unsigned> moved;
  for (unsigned i : needed) {
    moved[i] = graph.nodes.size();
    graph.nodes.push_back(nodes[i]);
    for (unsigned &operand : graph.nodes.back().operands)
      operand = moved[operand];
  }
  for (unsigned result : results)
    graph.results.push_back(moved[result]);
  return graph;
}

namespace {
/// A function's head and the lists that calls of it need.
struct Lists {
  std::vector<std::string> arguments, names, types, results, floats;
};
} // namespace

static Lists listsOf(const Graph &graph) {
  Lists lists;
  for (unsigned input : graph.inputs()) {
    lists.arguments.push_back(argument(nameOf(input), graph.nodes[input].type));
    lists.names.push_back(nameOf(input));
    lists.types.push_back(graph.nodes[input].type.text());
  }
  for (unsigned result : graph.results) {
    lists.results.push_back(graph.nodes[result].type.text());
    if (isFloat(graph.nodes[result].type.element))
      lists.floats.push_back(lists.results.back());
  }
  return lists;
}

/// The entry of a graph that is called or differentiated.
static std::string entryText(const Graph &graph, const std::string &name, Lists lists) {
  std::vector<std::string> wrtTypes, results = lists.results, seedNames, seedTypes, values;
  std::vector<unsigned> inputs = graph.inputs();
  std::string wrt;
  for (unsigned i : graph.wrt()) {
    wrt += (wrt.empty() ? "" : ", ") + std::to_string(i);
    wrtTypes.push_back(lists.types[i]);
  }
  auto seed = [&](const Type &type) {
    seedNames.push_back("%s" + std::to_string(seedNames.size()));
    seedTypes.push_back(type.text());
    lists.arguments.push_back(argument(seedNames.back(), type));
  };
  std::string op = "func.call @" + name + "_of", after, types = "(" + llvm::join(lists.types, ", ") + ")";
  if (graph.form == Form::ValueAndGrad) {
    op = "lathe.value_and_grad @" + name + "_of";
    results.insert(results.end(), wrtTypes.begin(), wrtTypes.end());
  } else if (graph.form == Form::Jvp) {
    op = "lathe.jvp @" + name + "_of";
    for (unsigned i : graph.wrt())
      seed(graph.nodes[inputs[i]].type);
    after = " tangents(" + llvm::join(seedNames, ", ") + ")";
    results.insert(results.end(), lists.floats.begin(), lists.floats.end());
  } else if (graph.form == Form::Vjp) {
    op = "lathe.vjp @" + name + "_of";
    for (unsigned result : graph.results)
      if (isFloat(graph.nodes[result].type.element))
        seed(graph.nodes[result].type);
    after = " cotangents(" + llvm::join(seedNames, ", ") + ")";
    results.insert(results.end(), wrtTypes.begin(), wrtTypes.end());
  }
  if (graph.form != Form::Call)
    after += " wrt [" + wrt + "]";
  if (!seedNames.empty())
    types += ", (" + llvm::join(seedTypes, ", ") + ")";
  for (size_t i = 0; i < results.size(); ++i)
    values.push_back("%r" + std::to_string(i));
  std::string list = llvm::join(results, ", ");
  return "func.func @" + name + "(" + llvm::join(lists.arguments, ", ") + ") -> (" + list + ") {\n  " +
         llvm::join(values, ", ") + " = " + op + "(" + llvm::join(lists.names, ", ") + ")" + after + " : " + types + " -> (" +
         list + ")\n  return " + llvm::join(values, ", ") + " : " + list + "\n}\n";
}

std::string Graph::text(const std::string &name) const {
  Lists lists = listsOf(*this);
  std::string head = form == Form::Plain ? "func.func @" + name : "func.func private @" + name + "_of";
  std::string text = head + "(" + llvm::join(lists.arguments, ", ") + ") -> (" + llvm::join(lists.results, ", ") + ") {\n";
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (!nodes[i].op.empty())
      text += bodyLine(*this, i);
  std::vector<std::string> names;
  for (unsigned result : results)
    names.push_back(nameOf(result));
  text += "  return " + llvm::join(names, ", ") + " : " + llvm::join(lists.results, ", ") + "\n}\n";
  return form == Form::Plain ? text : text + entryText(*this, name, lists);
}
