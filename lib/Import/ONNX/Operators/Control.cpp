// If, Loop and Scan: branches and loops of the dialect around the graphs inside of a node.
#include "dialects/Lathe/IR/Control.h"
#include "lib/Import/ONNX/InPlace.h"
#include "lib/Import/ONNX/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// A graph inside, imported apart from the op that it becomes a region of, whose results' types are not known before.
struct Body {
  Body(Node &node, onnx::GraphProto &proto)
      : location(node.getLocation()), graph(node.getGraph(), proto, node.getLine(), &block) {}

  /// A value that a step brings, called like input `input`.
  Value bring(int input, Type type) {
    Value value = block.addArgument(type, location);
    graph.bind(graph.getProto().input(input).name(), value);
    return value;
  }

  Location location;
  Block block; // goes after the graph's values
  Graph graph;
};
} // namespace

/// The values of what a graph inside gives; nullopt after a refusal.
static std::optional<SmallVector<Value>> importBody(Node &node, Graph &graph, ArrayRef<int> outputs) {
  FailureOr<SmallVector<Entry *>> entries = graph.importInside(outputs);
  if (failed(entries)) {
    node.refuseAsTold();
    return std::nullopt;
  }
  SmallVector<Value> values;
  for (Entry *entry : *entries)
    values.push_back(node.valueOf(entry));
  if (node.failed())
    return std::nullopt;
  return values;
}

/// Moves a body to the end of an op's block and ends it.
static void moveInto(Body &body, Block &to, ValueRange arguments, ValueRange results) {
  SmallVector<Value> ends(results);
  for (auto [argument, value] : llvm::zip_equal(body.block.getArguments(), arguments)) {
    std::replace(ends.begin(), ends.end(), Value(argument), value);
    argument.replaceAllUsesWith(value);
  }
  to.getOperations().splice(to.end(), body.block.getOperations());
  OpBuilder builder = OpBuilder::atBlockEnd(&to);
  YieldOp::create(builder, body.location, ends);
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// A truth value or an integer of one element, as one of rank 0.
static Value scalar(Node &node, Value value) {
  std::optional<Dim> size = numElements(dimsOfValue(value));
  if (value && (!size || *size != Dim(1)))
    node.refuse("expected one value, got a tensor of shape " + str(dimsOfValue(value)));
  return rankOf(value) == 0 ? value : node.reshape(value, {});
}

// ---- If

/// The truth value of one element, if it is known.
static std::optional<bool> truthOf(const Known *known) {
  if (!known || known->elements.size() != 1 || !known->isAllNumbers())
    return std::nullopt;
  return known->elements[0].number() != 0;
}

static void convertIf(Node &node) {
  onnx::GraphProto *branches[] = {node.body("then_branch"), node.body("else_branch")};
  if (node.failed())
    return;
  for (onnx::GraphProto *branch : branches)
    if (branch->output_size() != node.outputs() || branch->input_size())
      return node.refuse("a branch has " + Twine(branch->input_size()) + " inputs and " + Twine(branch->output_size()) +
                         " outputs, expected none and " + Twine(node.outputs()));
  if (std::optional<bool> condition = truthOf(node.known(0))) { // the shapes leave one branch
    Graph &graph = node.getGraph();
    return importInPlace(node, *graph.getModel().inlined.emplace_back(std::make_unique<Graph>(
                                   graph, *branches[*condition ? 0 : 1], node.getLine(), graph.getBlock())));
  }
  Value predicate = scalar(node, node.input(0));
  SmallVector<int> outputs = wantedOutputs(node);
  Body taken(node, *branches[0]), otherwise(node, *branches[1]);
  std::optional<SmallVector<Value>> yes = importBody(node, taken.graph, outputs);
  std::optional<SmallVector<Value>> no = importBody(node, otherwise.graph, outputs);
  if (node.failed())
    return;
  for (auto [output, first, second] : llvm::zip_equal(outputs, *yes, *no))
    if (first.getType() != second.getType())
      return node.refuse("output '" + node.output(output) + "' is " + typeText(first.getType()) + " in one branch and " +
                         typeText(second.getType()) + " in the other; expected one type of both");
  auto op =
      IfOp::create(node.getGraph().getBuilder(), node.getLocation(), ValueRange(*yes).getTypes(), predicate, ValueRange());
  moveInto(taken, op.getTaken().front(), {}, *yes);
  moveInto(otherwise, op.getOtherwise().front(), {}, *no);
  closeRegions(op);
  for (auto [output, result] : llvm::zip_equal(outputs, op.getResults()))
    node.set(output, result);
}

// ---- Loop

namespace {
/// Loop's operands are the number of steps, whether there is a first one, and the carries; the graph inside has the step's
/// index, whether it runs, and the carries, and gives whether there is a next one, the carries, and what is stacked.
struct Loop {
  onnx::GraphProto *body = nullptr;
  int carries = 0;
  SmallVector<Value> first; // of the carries
  SmallVector<int> outputs; // of the body: its carries, and the wanted stacks
  SmallVector<int> stacks;  // wanted outputs of the node that are stacked

  void set(Node &node, ResultRange carried, ResultRange stacked) const {
    for (auto [i, value] : llvm::enumerate(carried))
      node.set(i, value);
    for (auto [output, value] : llvm::zip_equal(stacks, stacked))
      node.set(output, value);
  }
};
} // namespace

/// Whether a tensor is the truth value true.
static bool isTrue(const onnx::TensorProto &tensor) {
  if (tensor.data_type() != onnx::TensorProto::BOOL)
    return false;
  return tensor.int32_data_size() == 1 ? tensor.int32_data(0) != 0 : tensor.raw_data().size() == 1 && tensor.raw_data()[0] != 0;
}

/// Whether the graph inside says after each step that another one follows, if one follows the first: it gives the truth value
/// on that it got, or a constant. Of nodes in another order than theirs nothing is known.
static bool alwaysGoesOn(Node &node, const onnx::GraphProto &body) {
  StringRef name = body.output(0).name();
  for (const onnx::NodeProto &each : llvm::reverse(body.node())) {
    if (!llvm::is_contained(each.output(), name))
      continue;
    if (each.op_type() == "Constant")
      return each.attribute_size() == 1 && isTrue(each.attribute(0).t());
    if ((each.op_type() != "Identity" && each.op_type() != "Cast") || each.input_size() != 1)
      return false;
    name = each.input(0);
  }
  if (name == body.input(1).name())
    return true;
  for (const onnx::TensorProto &initializer : body.initializer())
    if (initializer.name() == name)
      return isTrue(initializer);
  Entry *outside = node.getGraph().find(name);
  return outside && truthOf(node.getGraph().knownOf(*outside)) == true;
}

static bool carriesKeepTheirTypes(Node &node, ArrayRef<Value> first, ArrayRef<Value> next, const onnx::GraphProto &body,
                                  int input) {
  for (auto [i, from, to] : llvm::enumerate(first, next))
    if (from.getType() != to.getType()) {
      node.refuse("'" + body.input(input + i).name() + "' is " + typeText(from.getType()) + " before a step and " +
                  typeText(to.getType()) + " after it; expected one type in all steps");
      return false;
    }
  return true;
}

/// A loop whose number of steps is known: a lathe.scan over the steps' indices.
static void convertCounted(Node &node, const Loop &loop, const Dim &steps) {
  Value index = node.iota(0, {steps}, node.i64());
  Body body(node, *loop.body);
  for (auto [i, value] : llvm::enumerate(loop.first))
    body.bring(2 + i, value.getType());
  if (node.failed())
    return;
  body.bring(0, sliceOf(cast<RankedTensorType>(index.getType()), 0));
  body.graph.bind(loop.body->input(1).name(), Known{node.i1(), {}, {Scalar::of(Dim(1))}});
  std::optional<SmallVector<Value>> ends = importBody(node, body.graph, loop.outputs);
  if (!ends || !carriesKeepTheirTypes(node, loop.first, ArrayRef(*ends).take_front(loop.carries), *loop.body, 2))
    return;
  auto op = ScanOp::create(node.getGraph().getBuilder(), node.getLocation(), Value(), ValueRange(), loop.first, index,
                           ShapeAttr(), ValueRange(*ends).drop_front(loop.carries).getTypes());
  Block &block = op.getBody().front();
  moveInto(body, block, ValueRange(block.getArguments()), *ends);
  closeRegions(op);
  loop.set(node, op.getResults().take_front(loop.carries), op.getStacks());
}

/// A loop that ends where its data say so: a lathe.while that carries the step's index and whether there is a step, too.
static void convertWhile(Node &node, Loop &loop) {
  SmallVector<Value> first{node.constantInt(0, node.i64()),
                           node.has(1) ? scalar(node, node.input(1)) : node.constantInt(1, node.i1())};
  Value most = node.has(0) ? scalar(node, node.input(0)) : Value();
  first.append(loop.first);
  Body body(node, *loop.body);
  for (auto [i, value] : llvm::enumerate(first))
    if (value)
      body.bring(i, value.getType());
  if (node.failed())
    return;
  loop.outputs.insert(loop.outputs.begin(), 0);
  std::optional<SmallVector<Value>> ends = importBody(node, body.graph, loop.outputs);
  if (!ends || !carriesKeepTheirTypes(node, loop.first, ArrayRef(*ends).drop_front(), *loop.body, 2))
    return;
  OpBuilder &builder = node.getGraph().getBuilder();
  auto op = WhileOp::create(builder, node.getLocation(), ValueRange(), first);
  OpBuilder::InsertionGuard guard(builder);
  Block &condition = op.getCondition().front(), &block = op.getBody().front();
  builder.setInsertionPointToEnd(&condition);
  Value go = condition.getArgument(1);
  if (most)
    go = node.emit<AndOp>({go, node.compare(CompareKind::LT, condition.getArgument(0), most)});
  ConditionOp::create(builder, node.getLocation(), go);
  builder.setInsertionPointToEnd(&body.block);
  (*ends)[0] = scalar(node, (*ends)[0]);
  ends->insert(ends->begin(), node.emit<AddOp>({body.block.getArgument(0), node.constantInt(1, node.i64())}));
  moveInto(body, block, ValueRange(block.getArguments()), *ends);
  closeRegions(op);
  loop.set(node, op.getResults().drop_front(2), op.getResults().take_front(0));
}

static void convertLoop(Node &node) {
  Loop loop;
  loop.body = node.body("body");
  if (!loop.body)
    return;
  loop.carries = std::max(0, node.inputs() - 2);
  if (loop.body->input_size() != loop.carries + 2 || loop.body->output_size() < loop.carries + 1 ||
      node.outputs() > loop.body->output_size() - 1)
    return node.refuse("its body has " + Twine(loop.body->input_size()) + " inputs and " + Twine(loop.body->output_size()) +
                       " outputs, which do not fit the node's");
  for (int i = 0; i < loop.carries; ++i) {
    loop.first.push_back(node.input(2 + i));
    loop.outputs.push_back(1 + i);
  }
  for (int i = loop.carries; i < node.outputs(); ++i)
    if (node.wants(i)) {
      loop.stacks.push_back(i);
      loop.outputs.push_back(1 + i);
    }
  std::optional<Dims> steps = node.has(0) && node.known(0) ? node.known(0)->dims() : std::nullopt;
  std::optional<bool> begins = node.has(1) ? truthOf(node.known(1)) : true;
  bool isCounted =
      steps && steps->size() == 1 && isNeverNegative((*steps)[0]) && begins == true && alwaysGoesOn(node, *loop.body);
  if (node.failed())
    return;
  if (isCounted)
    return convertCounted(node, loop, (*steps)[0]);
  if (!loop.stacks.empty())
    return node.refuseData("how many steps output '" + node.output(loop.stacks[0]) +
                               "' stacks depends on data; expected a known number of steps and no other condition",
                           {0, 1});
  convertWhile(node, loop);
}

// ---- Scan

static Value moveAxis(Node &node, Value value, int64_t from, int64_t to) {
  Integers order = range(0, rankOf(value));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return from == to ? value : node.transpose(value, order);
}

/// One value for each of `count` inputs or outputs that are scanned, 0 where nothing is given.
static Integers perScanned(Node &node, StringRef name, int count) {
  Integers given = node.integers(name, Integers(count, 0));
  if (int(given.size()) != count)
    node.refuse("'" + name + "' has " + Twine(given.size()) + " values, expected " + Twine(count));
  given.resize(count);
  return given;
}

static void convertScan(Node &node) {
  onnx::GraphProto *proto = node.body("body");
  int numXs = node.integer("num_scan_inputs", 0), carries = node.inputs() - numXs;
  if (node.opset() < 9)
    node.refuse("a batch dimension and lengths, which opset 8 has, are not supported; expected opset 9 and up");
  if (node.failed())
    return;
  int collected = proto->output_size() - carries;
  if (numXs < 1 || carries < 0 || collected < 0 || proto->input_size() != node.inputs() ||
      node.outputs() > proto->output_size())
    return node.refuse("its body has " + Twine(proto->input_size()) + " inputs and " + Twine(proto->output_size()) +
                       " outputs, which do not fit the node's");
  Integers back = perScanned(node, "scan_input_directions", numXs), // 1 from the last step to the first
      prepends = perScanned(node, "scan_output_directions", collected);
  Integers axes = perScanned(node, "scan_input_axes", numXs), outputAxes = perScanned(node, "scan_output_axes", collected);
  bool isReverse = llvm::all_of(back, [](int64_t each) { return each != 0; });
  Body body(node, *proto);
  SmallVector<Value> first, xs;
  for (int i = 0; i < carries; ++i)
    first.push_back(node.input(i));
  for (int i = 0; i < numXs; ++i) {
    Value x = moveAxis(node, node.input(carries + i), node.axis(axes[i], node.rank(carries + i)), 0);
    xs.push_back(back[i] && !isReverse ? node.reverse(x, 0) : x);
  }
  if (node.failed())
    return;
  for (auto [i, value] : llvm::enumerate(first))
    body.bring(i, value.getType());
  for (auto [i, value] : llvm::enumerate(xs))
    body.bring(carries + i, sliceOf(cast<RankedTensorType>(value.getType()), 0));
  SmallVector<int> outputs = llvm::to_vector(llvm::seq(carries)), stacks;
  for (int i = carries; i < node.outputs(); ++i)
    if (node.wants(i))
      stacks.push_back(i);
  outputs.append(stacks);
  std::optional<SmallVector<Value>> ends = importBody(node, body.graph, outputs);
  if (!ends || !carriesKeepTheirTypes(node, first, ArrayRef(*ends).take_front(carries), *proto, 0))
    return;
  if (!llvm::all_equal(llvm::map_range(xs, [](Value x) { return dimsOf(x)[0]; })))
    return node.refuse("its scan inputs have unlike numbers of steps");
  auto op = ScanOp::create(node.getGraph().getBuilder(), node.getLocation(), Value(), ValueRange(), first, xs, ShapeAttr(),
                           ValueRange(*ends).drop_front(carries).getTypes(), isReverse);
  Block &block = op.getBody().front();
  moveInto(body, block, ValueRange(block.getArguments()), *ends);
  closeRegions(op);
  for (auto [i, value] : llvm::enumerate(op.getResults().take_front(carries)))
    node.set(i, value);
  for (auto [output, value] : llvm::zip_equal(stacks, op.getStacks())) {
    int i = output - carries;
    Value stack = (prepends[i] != 0) != isReverse ? node.reverse(value, 0) : Value(value);
    node.set(output, moveAxis(node, stack, 0, node.axis(outputAxes[i], rankOf(stack))));
  }
}

void onnximport::addControl(Converters &all) {
  all["If"] = {convertIf, 1, 1, "then_branch,else_branch"};
  all["Loop"] = {convertLoop, 2, -1, "body"};
  all["Scan"] = {convertScan, 1, -1,
                 "body,num_scan_inputs,scan_input_axes,scan_output_axes,scan_input_directions,scan_output_directions"};
}
