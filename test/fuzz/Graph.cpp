#include "test/fuzz/Graph.h"
#include "dialects/Lathe/IR/DerivedDims.h"
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

std::string Axis::text() const { return "over " + name + (ranks.name.empty() ? " = " + ranks.text() : ""); }

Dim Extent::dim() const { return name.empty() ? Dim(size) : dimFromText(name); }

bool Extent::isName() const { return !name.empty() && llvm::all_of(name, llvm::isAlnum); }

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
    llvm::StringRef head = llvm::StringRef(node.op).split('{').first;
    return head.starts_with("lathe.while ") && !head.contains(" bound ");
  });
}

Mesh Graph::mesh() const {
  Mesh mesh;
  for (const Axis &axis : axes)
    mesh.push_back({axis.name, axis.ranks.size});
  return mesh;
}

Type Graph::stacked(Type type) const {
  int64_t ranks = 1;
  for (const Axis &axis : axes)
    ranks *= axis.ranks.size;
  if (!axes.empty())
    type.dims.insert(type.dims.begin(), {"", ranks});
  return type;
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
    all.push_back(form == Form::Vmap && nodes[i].batchDim ? seedOf(nodes[i], stacked(argumentType(i))) : nodes[i].value);
  for (unsigned i : seeded())
    all.push_back(seedOf(nodes[i], stacked(nodes[i].type)));
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

Sizes Graph::sizes() const {
  Sizes sizes;
  for (unsigned input : inputs())
    for (const Extent &dim : nodes[input].type.dims)
      if (dim.isName())
        sizes[dim.name] = dim.size;
  if (form == Form::Vmap && !batch.name.empty())
    sizes[batch.name] = batch.size;
  for (const Axis &axis : axes)
    if (!axis.ranks.name.empty())
      sizes[axis.name] = axis.ranks.size;
  return sizes;
}

void Graph::setSizes(const Sizes &sizes) {
  names = sizes;
  auto change = [&](Extent &extent) {
    if (!extent.name.empty())
      extent.size = evaluate(extent.dim(), sizes).value_or(0);
  };
  change(batch);
  for (Axis &axis : axes)
    change(axis.ranks);
  for (Node &node : nodes)
    llvm::for_each(node.type.dims, change);
}

Graph Graph::withOtherSizes(size_t i) const {
  Graph graph = *this;
  graph.otherSizes.clear();
  graph.setSizes(otherSizes[i]);
  Random random(i + 1);
  auto draw = [&](const Type &type) {
    std::vector<int64_t> shape = graph.stacked(type).shape();
    for (int64_t &extent : shape) // a call with this size is to be refused
      extent = std::max<int64_t>(extent, 0);
    return drawTensor(random, type.element, shape, values);
  };
  for (unsigned input : graph.inputs())
    graph.nodes[input].value = draw(graph.nodes[input].type);
  for (unsigned k = 0; k < graph.nodes.size(); ++k)
    if (Node &node = graph.nodes[k]; !node.seed.getBytes().empty() || !node.type.isStatic())
      node.seed = draw(graph.argumentType(k));
  return graph;
}

/// The names in the extents that have no size by `known`.
static std::vector<std::string> namesWithoutSize(const Graph &graph, const Sizes &known) {
  llvm::SmallVector<std::string> names;
  for (const Node &node : graph.nodes)
    for (const Extent &extent : node.type.dims)
      if (!extent.name.empty())
        extent.dim().collectNames(names);
  llvm::erase_if(names, [&](const std::string &name) { return known.count(name); });
  return {names.begin(), names.end()};
}

Graph Graph::pruned() const {
  std::set<unsigned> needed(results.begin(), results.end());
  for (auto [variable, value] : writes)
    needed.insert({variable, value});
  for (unsigned i = nodes.size(); i-- > 0;)
    for (unsigned k = 0; k < nodes[i].operands.size(); ++k)
      if (needed.count(i) && nodes[i].op.find("$" + std::to_string(k)) != std::string::npos) // regions do not use all
        needed.insert(nodes[i].operands[k]);
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
  Graph one = graph; // of a batch a single element, which does not know its size
  one.form = Form::Plain;
  for (const std::string &name : namesWithoutSize(graph, one.sizes())) {
    Type type{Element::I8, {{name, names.at(name)}}};
    graph.nodes.push_back({"", {}, type, onesOf(stacked(type)), {}, false, {}});
  }
  return graph;
}
