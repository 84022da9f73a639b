#include "test/fuzz/Draw.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace lathe;

std::string listText(const std::vector<int64_t> &list) {
  std::string text;
  for (int64_t number : list)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string dimsText(const std::vector<Extent> &dims) {
  std::string text;
  for (const Extent &dim : dims)
    text += (text.empty() ? "" : ", ") + dim.text();
  return "[" + text + "]";
}

Drawing::Drawing(uint64_t seed, const GraphOptions &options) : options(options), random(seed * 0x9e3779b97f4a7c15 + 1) {
  for (int i = 0; i < 4; ++i)
    random();
  graph.values =
      options.smooth ? Values::Positive : oneOf<Values>({Values::Tame, Values::Tame, Values::Positive, Values::Wild});
  mainFloat =
      options.smooth ? Element::F64 : oneOf<Element>({Element::F32, Element::F32, Element::F64, Element::F16, Element::BF16});
  mainInteger = Element(int(Element::I8) + pick(8));
  static const std::vector<int64_t> sizes = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 40};
  if (chance(options.smooth ? 25 : 55))
    for (const char *name : {"N", "M"})
      if (named.empty() || chance(40)) {
        named.push_back({name + options.suffix, options.smooth ? 1 + pick(7) : oneOf(sizes)});
        graph.names[named.back().name] = named.back().size;
      }
  drawAxes();
}

/// The numbers of ranks are open in most graphs.
void Drawing::drawAxes() {
  if (options.meshes.empty())
    return;
  bool isOpen = chance(70);
  for (const RankAxis &axis : options.meshes.front()) {
    graph.axes.push_back({axis.name, {isOpen ? axis.name : "", axis.size}});
    graph.names[axis.name] = axis.size;
  }
}

lathe::Element Drawing::element(bool floats) {
  if (floats)
    return options.smooth || chance(80) ? mainFloat : Element(int(Element::F16) + pick(4));
  return chance(70) ? mainInteger : Element(int(Element::I8) + pick(8));
}

Extent Drawing::extent(bool mayBeNamed) {
  static const std::vector<int64_t> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 19, 32, 33, 35};
  if (mayBeNamed && !named.empty() && chance(40))
    return chance(80) ? name() : formulaOf(name());
  if (chance(2) && !options.smooth)
    return {"", 0};
  return {"", chance(60) || options.smooth ? 1 + pick(5) : oneOf(sizes)};
}

Extent Drawing::name() { return named.empty() ? extent(false) : oneOf(named); }

Extent Drawing::extentOf(const Dim &dim) const {
  if (dim.isStatic())
    return {"", dim.constant()};
  return {dim.str(), evaluate(dim, graph.names).value_or(-1)};
}

Extent Drawing::formulaOf(const Extent &extent) {
  Dim dim = extent.dim(), few(1 + pick(5));
  switch (pick(8)) {
  case 0:
    return extentOf(ceilDiv(dim, 2 + pick(7)));
  case 1:
    return extentOf(floorDiv(dim, 2 + pick(3)));
  case 2:
    return extentOf(maxOf(dim - few, 0));
  case 3:
    return extentOf(minOf(dim, few));
  case 4:
    return extentOf(dim + few);
  case 5:
    return extentOf(Dim(2) * dim);
  case 6:
    return extentOf(broadcastOf(dim, chance(50) ? few : name().dim()));
  default: {
    int64_t block = 2 + pick(7);
    return extentOf(Dim(block) * ceilDiv(dim, block));
  }
  }
}

Type Drawing::shapeOf(int64_t rank, Element element, bool mayBeNamed) {
  Type type{element, {}};
  int64_t size = 1;
  for (int64_t i = 0; i < rank; ++i) {
    Extent dim = extent(mayBeNamed);
    if (size * dim.size > 3000)
      dim = {"", 2};
    size *= dim.size;
    type.dims.push_back(dim);
  }
  return type;
}

unsigned Drawing::input(const Type &type, Values values) {
  graph.nodes.push_back({"", {}, type, drawTensor(random, type.element, graph.stacked(type).shape(), values), {}, false, {}});
  return graph.nodes.size() - 1;
}

unsigned Drawing::input(const Type &type) { return input(type, chance(90) || options.smooth ? graph.values : Values::Wild); }

unsigned Drawing::add(const std::string &op, std::vector<unsigned> operands, const Type &type, int count, int shown) {
  graph.nodes.push_back({"lathe." + op, std::move(operands), type, {}, {}, false, {}, count, shown});
  return graph.nodes.size() - 1;
}

/// True if an extent is a number that the text of the type does not know. Ops of other extents would give a type that knows it.
static bool hasWrittenNumber(const Type &type) {
  return llvm::any_of(type.dims, [](const Extent &extent) { return !extent.name.empty() && extent.dim().isStatic(); });
}

unsigned Drawing::find(const std::function<bool(const Type &)> &fits, const Type &otherwise) {
  std::vector<unsigned> found;
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    if (fits(graph.nodes[i].type) && graph.nodes[i].type.size() <= 20000 && !hasWrittenNumber(graph.nodes[i].type))
      for (unsigned weight = i + 3 > graph.nodes.size() ? 4 : 1; weight > 0; --weight) // chains of ops, more than bushes
        found.push_back(i);
  return found.empty() || chance(5) ? input(otherwise) : oneOf(found);
}

unsigned Drawing::anyFloat(int64_t leastRank) {
  return find([&](const Type &type) { return isFloat(type.element) && int64_t(type.dims.size()) >= leastRank; },
              shapeOf(leastRank + pick(3), element(true)));
}

unsigned Drawing::anyNumber(int64_t leastRank) {
  if (options.smooth)
    return anyFloat(leastRank);
  return find([&](const Type &type) { return type.element != Element::I1 && int64_t(type.dims.size()) >= leastRank; },
              shapeOf(leastRank + pick(3), element(chance(60))));
}

unsigned Drawing::any(int64_t leastRank) {
  if (options.smooth)
    return anyFloat(leastRank);
  return find([&](const Type &type) { return int64_t(type.dims.size()) >= leastRank; },
              shapeOf(leastRank + pick(3), element(chance(50))));
}

unsigned Drawing::like(const Type &type, int percentNew) {
  return chance(percentNew) ? input(type) : find([&](const Type &other) { return other == type; }, type);
}

bool Drawing::isEmpty() const {
  return llvm::none_of(graph.nodes,
                       [&](const Node &node) { return !node.op.empty() && (!options.smooth || isFloat(node.type.element)); });
}

Graph Drawing::finish() {
  std::set<unsigned> used;
  for (const Node &node : graph.nodes)
    used.insert(node.operands.begin(), node.operands.end());
  auto mayBeResult = [&](unsigned i) { return !graph.nodes[i].op.empty() && (!options.smooth || isFloat(type(i).element)); };
  for (unsigned i = 0; i < graph.nodes.size(); ++i)
    if (mayBeResult(i) && (!used.count(i) || chance(15)))
      graph.results.push_back(i);
  for (unsigned i = 0; i < graph.nodes.size() && graph.results.empty(); ++i) // all floats are compared only
    if (mayBeResult(i))
      graph.results.push_back(i);
  graph.smooth = options.smooth;
  if (!graph.results.empty() && chance(options.smooth ? 25 : 45))
    drawForm();
  graph = graph.pruned();
  bool isBatched = llvm::any_of(graph.parameters(), [&](unsigned i) { return graph.nodes[i].batchDim.has_value(); });
  if (graph.form == Form::Vmap && !isBatched) // what was in the batch is not used
    graph.form = Form::Call;
  drawSizes();
  return graph;
}

std::optional<Sizes> Drawing::drawOtherSizes(const Sizes &names, const Mesh &mesh) {
  static const std::vector<int64_t> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 21, 24, 32, 33, 40};
  Sizes others;
  for (const RankAxis &axis : mesh)
    others[axis.name] = axis.size;
  for (auto &[name, size] : names)
    if (!others.count(name))
      others[name] = chance(20) ? 0 : chance(12) ? 1 : chance(15) ? size : oneOf(sizes);
  Graph other = graph;
  other.setSizes(others);
  auto isPossible = [](const Node &node) { // an input has no negative extents
    bool isNegative = llvm::any_of(node.type.dims, [](const Extent &extent) { return extent.size < 0; });
    return node.type.size() <= 40000 && !(isNegative && node.op.empty());
  };
  return llvm::all_of(other.nodes, isPossible) ? std::optional(others) : std::nullopt;
}

/// One to three more sets of sizes, mostly with a 0 or 1 among them; sets for which a value becomes large are left out. A graph
/// of open axes runs on each of the module's jobs, in their order, up to one for which its values become large.
void Drawing::drawSizes() {
  const Sizes names = graph.sizes();
  bool isOpen = llvm::any_of(graph.axes, [](const Axis &axis) { return !axis.ranks.name.empty(); });
  if (isOpen) {
    for (const Mesh &mesh : llvm::drop_begin(options.meshes)) {
      std::optional<Sizes> others;
      for (int tries = 4; tries > 0 && !others; --tries)
        others = drawOtherSizes(names, mesh);
      if (!others)
        break;
      graph.otherSizes.push_back(*others);
    }
  } else {
    for (int64_t sets = names.empty() ? 0 : 1 + pick(3); sets > 0; --sets)
      if (std::optional<Sizes> others = drawOtherSizes(names, {}))
        graph.otherSizes.push_back(*others);
  }
  if (!chance(15))
    return;
  for (auto &[name, size] : names) {
    if (llvm::any_of(graph.axes, [&](const Axis &axis) { return axis.name == name; }))
      continue;
    NameBounds bounds{int64_t(pick(2)), size, 2};
    bool isEven = size % 2 == 0;
    for (const Sizes &others : graph.otherSizes) {
      bounds.maximum = std::max(bounds.maximum, others.at(name));
      isEven &= others.at(name) % 2 == 0;
    }
    if (graph.form == Form::Vmap) // the function of one element declares none, and would take a 0
      bounds.minimum = 0;
    graph.bounds[name] = {bounds.minimum, 2 * bounds.maximum, isEven ? 2 : 1};
  }
}

/// Keeps only the first float result, as its sum.
void Drawing::makeLoss() {
  unsigned first = *llvm::find_if(graph.results, [&](unsigned i) { return isFloat(type(i).element); });
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < rank(first); ++i)
    dims.push_back(i);
  Type scalar{type(first).element, {}};
  graph.results = {rank(first) ? add("reduce sum $0 dims " + listText(dims) + " : @0", {first}, scalar) : first};
  graph = graph.pruned();
}

/// Some inputs lie in a batch, which is a new dimension of theirs.
bool Drawing::drawBatch() {
  graph.batch = chance(40) ? name() : extent(false);
  bool any = false;
  for (unsigned i : graph.inputs()) {
    if (chance(40))
      continue;
    graph.nodes[i].batchDim = pick(rank(i) + 1);
    Type batched = graph.argumentType(i);
    if (batched.size() > 20000)
      return false;
    graph.nodes[i].seed = drawTensor(random, batched.element, graph.stacked(batched).shape(), graph.values);
    any = true;
  }
  return any;
}

/// Some inputs live in the state; their new values are any of their types, or an optimiser's.
bool Drawing::drawState() {
  bool any = false, floats = false;
  for (unsigned i : graph.inputs())
    if (type(i).isStatic() && chance(70))
      graph.nodes[i].isVariable = any = true, floats |= isFloat(type(i).element);
  for (unsigned i : graph.inputs())
    for (unsigned value = 0; value < graph.nodes.size() && graph.form == Form::State; ++value)
      if (graph.nodes[i].isVariable && value != i && type(value) == type(i) && chance(60)) {
        graph.writes.push_back({i, value});
        break;
      }
  graph.optimizer = oneOf<std::string>(
      {"sgd<learning_rate = 1.0e-1>", "momentum<learning_rate = 5.0e-2, momentum = 0.9>", "sgd<clip_norm = 1.0>",
       "adam<learning_rate = 1.0e-2>", "adam<learning_rate = 1.0e-3, beta1 = 0.8>", "adamw<learning_rate = 1.0e-2>",
       "rmsprop<learning_rate = 1.0e-2>", "adagrad<learning_rate = 1.0e-1>", "lion<learning_rate = 1.0e-2>"});
  return graph.form == Form::State ? any : floats;
}

/// The compiler makes one of equal ops before it derives, so that their cotangents are added up in another order.
static bool hasEqualOps(const Graph &graph) {
  std::set<std::string> seen;
  for (const Node &node : graph.nodes) {
    std::string text;
    for (size_t i = 0; i < node.op.size() && node.op[i] != '@'; ++i) // types follow from operands
      if (node.op[i] == '$')
        text += "%" + std::to_string(node.operands[node.op[++i] - '0']);
      else
        text += node.op[i];
    if (!text.empty() && !seen.insert(text).second)
      return true;
  }
  return false;
}

void Drawing::drawForm() {
  bool floats = llvm::any_of(graph.results, [&](unsigned i) { return isFloat(type(i).element); });
  graph.form = options.smooth || chance(50) ? oneOf<Form>({Form::Vjp, Form::Jvp, Form::ValueAndGrad})
                                            : oneOf<Form>({Form::Call, Form::Vmap, Form::Vmap, Form::State, Form::Minimize});
  if (graph.pruned().hasUnboundedLoop())
    graph.form = oneOf<Form>({Form::Call, Form::State, Form::Vmap});
  graph = graph.pruned();
  if ((graph.form == Form::ValueAndGrad || graph.form == Form::Minimize) && floats)
    makeLoss();
  bool isDerivative = graph.form == Form::Jvp || graph.form == Form::Vjp || graph.form == Form::ValueAndGrad;
  bool fits = !isDerivative || (floats && !graph.wrt().empty());
  if (graph.form == Form::Vmap)
    fits = drawBatch();
  else if (graph.form == Form::State || graph.form == Form::Minimize)
    fits = drawState() && (floats || graph.form == Form::State);
  if (graph.isDerived())
    fits &= !hasEqualOps(graph);
  if (!fits)
    graph.form = options.smooth ? Form::Plain : Form::Call;
  for (unsigned i : graph.seeded())
    graph.nodes[i].seed = drawTensor(random, type(i).element, graph.stacked(type(i)).shape(), graph.values);
}

Graph drawGraph(uint64_t seed, const GraphOptions &options) {
  using Family = void (*)(Drawing &);
  struct Weighted {
    Family family;
    int weight;
    bool smooth; // it has ops with derivatives
  };
  static const Weighted families[] = {
      {drawUnary, 8, true},       {drawBinary, 10, true},     {drawInteger, 5, false}, {drawChoice, 4, true},
      {drawConversion, 4, false}, {drawMove, 8, true},        {drawSource, 3, false},  {drawReduction, 6, true},
      {drawDot, 4, true},         {drawConvolution, 3, true}, {drawDynamic, 3, true},  {drawGather, 4, true},
      {drawWindow, 4, true},      {drawRunning, 4, true},     {drawOrder, 3, true},    {drawSystem, 2, true},
      {drawActivation, 2, true},  {drawAlongDims, 2, true},   {drawControl, 6, true}};
  std::vector<Family> drawn;
  for (const Weighted &each : families)
    if (each.smooth || !options.smooth)
      drawn.insert(drawn.end(), each.weight, each.family);
  Drawing drawing(seed, options);
  if (!options.meshes.empty())
    drawn.insert(drawn.end(), 40, drawCollective);
  if (drawing.hasNames()) // what has something to do with sizes
    drawn.insert(drawn.end(), 8, drawSizes);
  for (int64_t ops = 1 + options.moreOps + drawing.pick(drawing.chance(12) ? 16 : 4); ops > 0 || drawing.isEmpty(); --ops)
    drawing.oneOf(drawn)(drawing);
  return drawing.finish();
}
