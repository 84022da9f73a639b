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

std::vector<unsigned> Graph::seeded() const {
  std::vector<unsigned> seeded, all = inputs();
  if (form == Form::Vjp)
    for (unsigned i : results)
      if (isFloat(nodes[i].type.element))
        seeded.push_back(i);
  if (form == Form::Jvp)
    for (unsigned i : wrt())
      seeded.push_back(all[i]);
  return seeded;
}

Tensor onesOf(const Type &type) {
  Tensor ones(type.element, type.shape());
  visitAny(type.element, [&](auto zero) {
    std::fill_n(ones.data<decltype(zero)>(), ones.size(), decltype(zero)(1));
    return 0;
  });
  return ones;
}

std::vector<Tensor> Graph::arguments() const {
  std::vector<Tensor> all;
  for (unsigned input : inputs())
    all.push_back(nodes[input].value);
  for (unsigned i : seeded()) {
    const Tensor &seed = nodes[i].seed;
    bool fits = seed.getElement() == nodes[i].type.element && seed.getShape() == llvm::ArrayRef(nodes[i].type.shape());
    all.push_back(fits && !seed.getBytes().empty() ? seed : onesOf(nodes[i].type));
  }
  return all;
}

EntryTypes Graph::signature() const {
  EntryTypes signature;
  std::vector<unsigned> all = inputs();
  for (unsigned input : all)
    signature.arguments.push_back(nodes[input].type);
  for (unsigned i : seeded())
    signature.arguments.push_back(nodes[i].type);
  for (unsigned i : results)
    signature.results.push_back(nodes[i].type);
  if (form == Form::Jvp)
    for (unsigned i : results)
      if (isFloat(nodes[i].type.element))
        signature.results.push_back(nodes[i].type);
  if (form == Form::ValueAndGrad || form == Form::Vjp)
    for (unsigned i : wrt())
      signature.results.push_back(nodes[all[i]].type);
  return signature;
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
  graph.smooth = smooth;
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

/// A function whose body is one op on its first arguments, with the others behind `word`.
static std::string wrapper(const std::string &name, const std::string &op, const EntryTypes &signature, size_t own,
                           const std::string &word, const std::vector<unsigned> &wrt, bool isDerivative) {
  const std::vector<Type> &types = signature.arguments;
  std::string arguments, list;
  for (size_t i = 0; i < types.size(); ++i)
    arguments += (i ? ", " : "") + argument("%p" + std::to_string(i), types[i]);
  for (unsigned i : wrt)
    list += (list.empty() ? "" : ", ") + std::to_string(i);
  std::string results = typesText(signature.results), values = valuesText('r', 0, signature.results.size());
  std::string text = "func.func @" + name + "(" + arguments + ") -> " + results + " {\n  " + values + " = " + op + "(" +
                     valuesText('p', 0, own) + ")";
  if (!word.empty())
    text += " " + word + "(" + valuesText('p', own, types.size()) + ")";
  if (isDerivative)
    text += " wrt [" + list + "]";
  text += " : " + typesText({types.begin(), types.begin() + own});
  if (!word.empty())
    text += ", " + typesText({types.begin() + own, types.end()});
  return text + " -> " + results + "\n  return " + values + " : " + results.substr(1, results.size() - 2) + "\n}\n";
}

std::string Graph::text(const std::string &name) const {
  std::vector<std::string> heads, names;
  std::vector<Type> types;
  for (unsigned input : inputs())
    heads.push_back(argument(nameOf(input), nodes[input].type));
  for (unsigned result : results)
    names.push_back(nameOf(result)), types.push_back(nodes[result].type);
  std::string list = typesText(types), text = form == Form::Plain ? "func.func @" + name : "func.func private @" + name + "_of";
  text += "(" + llvm::join(heads, ", ") + ") -> " + list + " {\n";
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (!nodes[i].op.empty())
      text += bodyLine(*this, i);
  text += "  return " + llvm::join(names, ", ") + " : " + list.substr(1, list.size() - 2) + "\n}\n";
  static const std::map<Form, std::pair<std::string, std::string>> ops = {{Form::Call, {"func.call", ""}},
                                                                          {Form::ValueAndGrad, {"lathe.value_and_grad", ""}},
                                                                          {Form::Jvp, {"lathe.jvp", "tangents"}},
                                                                          {Form::Vjp, {"lathe.vjp", "cotangents"}}};
  if (form == Form::Plain)
    return text;
  auto [op, word] = ops.at(form);
  return text + wrapper(name, op + " @" + name + "_of", signature(), inputs().size(), word, wrt(), form != Form::Call);
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
  return wrapper(name + "_vjp", "lathe.vjp @" + name, reverse, own.arguments.size(), "cotangents", wrt, true) +
         wrapper(name + "_jvp", "lathe.jvp @" + name, forward, own.arguments.size(), "tangents", wrt, true);
}
