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

std::vector<unsigned> Graph::inputs() const {
  std::vector<unsigned> inputs;
  for (unsigned i = 0; i < nodes.size(); ++i)
    if (nodes[i].op.empty())
      inputs.push_back(i);
  return inputs;
}

bool Graph::hasUnboundedLoop() const {
  return llvm::any_of(nodes, [](const Node &node) {
    return llvm::StringRef(node.op).starts_with("while") && node.op.find(" bound ") == std::string::npos;
  });
}

static bool hasState(Form form) { return form == Form::State || form == Form::Minimize; }

std::vector<unsigned> Graph::parameters() const {
  std::vector<unsigned> parameters = inputs();
  llvm::erase_if(parameters, [&](unsigned i) { return hasState(form) && nodes[i].isVariable; });
  return parameters;
}

std::vector<unsigned> Graph::variables() const {
  std::vector<unsigned> variables = inputs();
  llvm::erase_if(variables, [&](unsigned i) { return !hasState(form) || !nodes[i].isVariable; });
  return variables;
}

Type Graph::argumentType(unsigned node) const {
  Type type = nodes[node].type;
  if (form == Form::Vmap && nodes[node].batchDim)
    type.dims.insert(type.dims.begin() + std::min<size_t>(*nodes[node].batchDim, type.dims.size()), batch);
  return type;
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

/// The seed, if it is of this type.
static Tensor seedOf(const Node &node, const Type &type) {
  const Tensor &seed = node.seed;
  bool fits = seed.getElement() == type.element && seed.getShape() == llvm::ArrayRef(type.shape());
  return fits && !seed.getBytes().empty() ? seed : onesOf(type);
}

std::vector<Tensor> Graph::arguments() const {
  std::vector<Tensor> all;
  for (unsigned i : parameters())
    all.push_back(form == Form::Vmap && nodes[i].batchDim ? seedOf(nodes[i], argumentType(i)) : nodes[i].value);
  for (unsigned i : seeded())
    all.push_back(seedOf(nodes[i], nodes[i].type));
  return all;
}

EntryTypes Graph::signature() const {
  EntryTypes signature;
  std::vector<unsigned> all = parameters();
  for (unsigned i : all)
    signature.arguments.push_back(argumentType(i));
  for (unsigned i : seeded())
    signature.arguments.push_back(nodes[i].type);
  for (unsigned i : results) {
    signature.results.push_back(nodes[i].type);
    if (form == Form::Vmap)
      signature.results.back().dims.insert(signature.results.back().dims.begin(), batch);
  }
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
  if (form == Form::Vmap && !batch.name.empty())
    sizes[batch.name] = batch.size;
  return sizes;
}

Graph Graph::pruned() const {
  std::set<unsigned> needed(results.begin(), results.end());
  for (auto [variable, value] : writes)
    needed.insert({variable, value});
  for (unsigned i = nodes.size(); i-- > 0;)
    if (needed.count(i))
      needed.insert(nodes[i].operands.begin(), nodes[i].operands.end());
  Graph graph = *this;
  graph.nodes.clear();
  std::map<unsigned, unsigned> moved;
  for (unsigned i : needed) {
    moved[i] = graph.nodes.size();
    graph.nodes.push_back(nodes[i]);
    for (unsigned &operand : graph.nodes.back().operands)
      operand = moved[operand];
  }
  for (unsigned &result : graph.results)
    result = moved[result];
  for (auto &[variable, value] : graph.writes)
    variable = moved[variable], value = moved[value];
  return graph;
}
