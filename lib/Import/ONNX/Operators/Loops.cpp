// Loop: a scan, a while, or copies of its body if each step has types of its own.
#include "dialects/Lathe/IR/Control.h"
#include "lib/Import/ONNX/InPlace.h"
#include "lib/Import/ONNX/Operators/Carries.h"
#include "lib/Support/TypeText.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// The operands of Loop are the number of steps, the first condition, and the carries. The body's inputs are the step index,
/// the condition, and the carries; its outputs are the next condition, the carries, and the stacked values.
struct Loop {
  onnx::GraphProto *body = nullptr;
  int carries = 0;
  Carries values;            // of the carries
  SmallVector<int> outputs;  // of the body: its carries, and the used stacks
  SmallVector<int> stacks;   // used outputs of the node that are stacked
  bool hasSequences = false; // among the carries, which then have no values
};
} // namespace

/// True if a tensor is the boolean true.
static bool isTrue(const onnx::TensorProto &tensor) {
  if (tensor.data_type() != onnx::TensorProto::BOOL)
    return false;
  return tensor.int32_data_size() == 1 ? tensor.int32_data(0) != 0 : tensor.raw_data().size() == 1 && tensor.raw_data()[0] != 0;
}

/// True if the body always continues once the first step runs: it passes its condition on, or returns a constant. Returns false
/// if nodes are not in dependency order.
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

/// Refuses the node if an output stacks values whose sizes each step decides.
static bool stacksKeepTheirSizes(Node &node, const Loop &loop, Body &body, ArrayRef<Value> stacked) {
  for (auto [output, value] : llvm::zip_equal(loop.stacks, stacked))
    if (llvm::any_of(dimsOf(value), [&](const Dim &dim) { return isDecidedIn(node, dim, &body.block); }))
      node.refuse("output '" + node.output(output) + "' stacks values of " + typeText(value.getType()) +
                  ", whose size varies from step to step; the size must be the same in all steps");
  return !node.failed();
}

/// Converts a loop with a known number of steps to a lathe.scan over the step indices.
static void convertCounted(Node &node, Loop &loop, const Dim &steps) {
  Value index = node.iota(0, {steps}, node.i64());
  Body body(node, *loop.body);
  loop.values.bring(node, body);
  if (node.failed())
    return;
  body.graph.addStep(body.bring(0, sliceOf(cast<RankedTensorType>(index.getType()), 0)));
  body.graph.bind(loop.body->input(1).name(), Known{node.i1(), {}, {Scalar::of(Dim(1))}});
  std::optional<SmallVector<Value>> ends = importBody(node, body.graph, loop.outputs);
  if (!ends || !loop.values.end(node, body, *ends, 0))
    return;
  size_t carried = loop.values.size();
  SmallVector<Value> first = loop.values.begin(node);
  if (!stacksKeepTheirSizes(node, loop, body, ArrayRef(*ends).drop_front(carried)))
    return;
  auto op = ScanOp::create(node.getGraph().getBuilder(), node.getLocation(), Value(), ValueRange(), first, index, ShapeAttr(),
                           ValueRange(*ends).drop_front(carried).getTypes());
  Block &block = op.getBody().front();
  moveInto(body.block, block, *ends);
  closeRegions(op);
  loop.values.set(node, op.getResults().take_front(carried), /*areAllSteps=*/true);
  for (auto [output, value] : llvm::zip_equal(loop.stacks, op.getStacks()))
    node.set(output, value);
}

/// Returns the maximum number of steps of a data-dependent loop: from the loop itself, or from the user; 0 if neither is known.
/// Sets `isGiven` if the user's number may be less than the loop's.
static Dim mostSteps(Node &node, const Loop &loop, std::optional<Dim> steps, bool &isGiven) {
  constexpr int64_t kMostKept = 1 << 16; // exporters write large numbers for "no limit"
  const std::map<std::string, int64_t> &all = node.getGraph().getModel().maxSteps;
  auto given = all.end();
  SmallVector<int> outputs(loop.stacks);
  for (const ChangingDim &each : loop.values.changing)
    if (node.wants(each.carry))
      outputs.push_back(each.carry);
  for (int output : outputs)
    given = given == all.end() ? all.find(node.output(output)) : given;
  given = given == all.end() ? all.find("") : given;
  std::optional<Dim> most = steps ? std::optional(node.getGraph().getModel().mostOf(*steps)) : std::nullopt;
  if (most && !most->isUnknown() && isNeverNegative(*most) &&
      (!most->isStatic() || most->constant() <= (given == all.end() ? kMostKept : given->second)))
    return *most;
  isGiven = given != all.end();
  return isGiven ? Dim(given->second) : Dim(0);
}

/// Adds the stacked values to the carries: room for the maximum number, of which each step writes one.
static void carryStacks(Node &node, Body &body, SmallVector<Value> &first, SmallVector<Value> &ends, size_t stacks,
                        const Dim &most) {
  OpBuilder &builder = node.getGraph().getBuilder();
  for (Value &value : MutableArrayRef(ends).take_back(stacks)) {
    Dims dims = dimsOf(value), one = dims;
    dims.insert(dims.begin(), most);
    one.insert(one.begin(), Dim(1));
    Type element = elementOfValue(value);
    first.push_back(
        node.broadcast(isa<FloatType>(element) ? node.constant(0, element) : node.constantInt(0, element), {}, dims));
    if (node.failed())
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body.block);
    Value all = body.block.addArgument(first.back().getType(), node.getLocation());
    SmallVector<Value> starts(dims.size(), node.constantInt(0, node.i64()));
    starts[0] = body.block.getArgument(0);
    SmallVector<Value> operands{all, node.reshape(value, one)};
    operands.append(starts);
    value = node.emit<DynamicUpdateSliceOp>(operands);
  }
}

/// Converts a data-dependent loop to a lathe.while that also carries the step index and the condition. Stacked outputs have
/// room for the maximum number of steps, and the index gives the actual number.
static void convertWhile(Node &node, Loop &loop, std::optional<Dim> steps) {
  bool isGiven = false;
  Dim room = loop.stacks.empty() && !loop.values.grows ? Dim(0) : mostSteps(node, loop, steps, isGiven);
  if (!loop.stacks.empty() && room == Dim(0))
    return node.refuseData("the number of steps that output '" + node.output(loop.stacks[0]) +
                               "' stacks depends on data; set an upper bound with --max-steps=" + node.output(loop.stacks[0]) +
                               "=N",
                           {0, 1});
  SmallVector<Value> first{node.constantInt(0, node.i64()),
                           node.has(1) ? scalar(node, node.input(1), node.i1()) : node.constantInt(1, node.i1())};
  Value most = node.has(0) ? scalar(node, node.input(0), node.i64()) : Value();
  if (node.failed())
    return;
  Body body(node, *loop.body);
  for (auto [i, value] : llvm::enumerate(first))
    body.bring(i, value.getType());
  loop.values.bring(node, body);
  if (node.failed())
    return;
  body.graph.addStep(body.block.getArgument(0));
  SmallVector<int> outputs{0};
  outputs.append(loop.outputs);
  std::optional<SmallVector<Value>> ends = importBody(node, body.graph, outputs);
  if (!ends || !loop.values.end(node, body, *ends, 1, {0, 1}) ||
      !stacksKeepTheirSizes(node, loop, body, ArrayRef(*ends).take_back(loop.stacks.size())))
    return;
  first.append(loop.values.begin(node));
  OpBuilder &builder = node.getGraph().getBuilder();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body.block);
    (*ends)[0] = scalar(node, (*ends)[0], node.i1());
    ends->insert(ends->begin(), node.emit<AddOp>({body.block.getArgument(0), node.constantInt(1, node.i64())}));
  }
  if (node.failed())
    return;
  carryStacks(node, body, first, *ends, loop.stacks.size(), room);
  if (node.failed())
    return;
  auto op = WhileOp::create(builder, node.getLocation(), ValueRange(), first,
                            isGiven ? builder.getI64IntegerAttr(room.constant()) : IntegerAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block &condition = op.getCondition().front(), &block = op.getBody().front();
  builder.setInsertionPointToEnd(&condition);
  Value go = condition.getArgument(1);
  if (most)
    go = node.emit<AndOp>({go, node.compare(CompareKind::LT, condition.getArgument(0), most)});
  ConditionOp::create(builder, node.getLocation(), go);
  moveInto(body.block, block, *ends);
  closeRegions(op);
  builder.setInsertionPointAfter(op);
  loop.values.set(node, op.getResults().drop_front(2).take_front(loop.values.size()), /*areAllSteps=*/false);
  for (auto [output, value] : llvm::zip_equal(loop.stacks, op.getResults().take_back(loop.stacks.size())))
    node.set(output, node.setDimSize(value, 0, op.getResult(0)));
}

/// Limit on the steps that become copies.
static constexpr int64_t kMostCopies = 256;

/// Emits the steps one after the other, each as a copy of the body with a known index. A step may change the types of carries,
/// which may be sequences. No condition may depend on data.
static void convertCopies(Node &node, const Loop &loop, std::optional<int64_t> steps) {
  SmallVector<Entry *> carries;
  for (int i = 0; i < loop.carries; ++i)
    carries.push_back(node.entry(2 + i));
  std::vector<SmallVector<Value>> stacks(loop.stacks.size());
  SmallVector<int> outputs{0};
  outputs.append(loop.outputs);
  std::optional<bool> goesOn = node.has(1) ? truthOf(node.known(1)) : true;
  for (int64_t step = 0; goesOn == true && (!steps || step < *steps); ++step) {
    if (step == kMostCopies)
      return node.refuse(
          "the types in its steps differ or it carries sequences, so that it must be unrolled, but its steps exceed the limit of " +
          Twine(kMostCopies));
    Graph *copy = copyOf(node, *loop.body);
    if (!copy)
      return;
    Graph &inside = *copy;
    inside.bind(loop.body->input(0).name(), Known{node.i64(), {}, {Scalar::of(Dim(step))}});
    inside.bind(loop.body->input(1).name(), Known{node.i1(), {}, {Scalar::of(Dim(1))}});
    for (auto [i, carry] : llvm::enumerate(carries))
      inside.bind(loop.body->input(2 + i).name(), carry);
    FailureOr<SmallVector<Entry *>> ends = inside.importInside(outputs);
    if (failed(ends))
      return node.refuseAsTold();
    goesOn = truthOf(inside.knownOf(*(*ends)[0]));
    if (!goesOn && step + 1 != steps)
      return node.refuseData("the number of steps depends on data; it must be known, because the types of the outputs depend "
                             "on it",
                             {0, 1});
    carries.assign(ends->begin() + 1, ends->begin() + 1 + loop.carries);
    for (auto [stack, end] : llvm::zip_equal(stacks, ArrayRef(*ends).drop_front(1 + loop.carries)))
      stack.push_back(node.valueOf(end));
  }
  for (auto [i, carry] : llvm::enumerate(carries))
    node.set(i, carry);
  for (auto [output, stack] : llvm::zip_equal(loop.stacks, stacks)) {
    if (stack.empty())
      return node.refuse("it has no steps, so the shape of output '" + node.output(output) + "' is not known");
    for (Value &value : stack) {
      Dims dims = dimsOfValue(value);
      dims.insert(dims.begin(), Dim(1));
      value = node.reshape(value, dims);
    }
    node.set(output, node.concatenate(stack, 0));
  }
}

/// Returns true if a conversion of the loop succeeds. Reports no errors.
static bool succeeds(Node &node, Loop loop, llvm::function_ref<void(Node &, Loop &)> convert) {
  ScopedDiagnosticHandler quiet(node.i64().getContext(), [](Diagnostic &) { return success(); });
  Graph &graph = node.getGraph();
  onnx::GraphProto *body = graph.getModel().addCopy(loop.body->ByteSizeLong());
  if (!body)
    return false;
  *body = *loop.body; // the import consumes its weights
  loop.body = body;
  onnx::NodeProto proto = node.getProto();
  Node attempt(graph, proto, node.getLocation(), node.getLine());
  convert(attempt, loop);
  return !attempt.failed();
}

/// Reads the node and its body.
static Loop readLoop(Node &node) {
  Loop loop;
  loop.body = node.body("body");
  if (!loop.body)
    return loop;
  loop.carries = std::max(0, node.inputs() - 2);
  if (loop.body->input_size() != loop.carries + 2 || loop.body->output_size() < loop.carries + 1 ||
      node.outputs() > loop.body->output_size() - 1)
    node.refuse("its body has " + Twine(loop.body->input_size()) + " inputs and " + Twine(loop.body->output_size()) +
                " outputs, which do not fit the node's");
  for (int i = 0; i < loop.carries && !node.failed(); ++i) {
    Entry *entry = node.entry(2 + i);
    if (!entry)
      node.refuse("input " + Twine(2 + i) + " is missing");
    else if (!entry->isTensor())
      loop.hasSequences = true;
    else
      loop.values.first.push_back(node.input(2 + i));
    loop.outputs.push_back(1 + i);
  }
  for (int i = loop.carries; i < node.outputs(); ++i)
    if (node.wants(i)) {
      loop.stacks.push_back(i);
      loop.outputs.push_back(1 + i);
    }
  return loop;
}

/// Converts a loop by `convert`. If a step changes a carry's size, the body is imported with placeholders for sizes until all
/// changing sizes are found. The loop then has room for the maximum that its steps can produce.
static void convertChanging(Node &node, Loop &loop, std::optional<Dim> steps, bool isCounted,
                            llvm::function_ref<void(Node &, Loop &)> convert) {
  Carries seen;
  auto attempt = [&](Node &other, Loop &copy) {
    convert(other, copy);
    seen = copy.values;
  };
  if (loop.carries && succeeds(node, loop, attempt))
    return;
  loop.values.isProbe = !seen.found.empty();
  while (!seen.found.empty()) {
    loop.values.addChanging(seen.found);
    seen = {};
    succeeds(node, loop, attempt);
  }
  if (loop.values.isProbe && seen.hasEnded) {
    loop.values.changing = seen.changing;
    loop.values.isProbe = false;
    bool isGiven = false;
    if (!loop.values.setRooms(node, *loop.body, isCounted ? *steps : mostSteps(node, loop, steps, isGiven)))
      return;
  }
  convert(node, loop);
}

void onnximport::convertLoop(Node &node) {
  Loop loop = readLoop(node);
  if (node.failed())
    return;
  std::optional<Dims> known = node.has(0) && node.known(0) ? node.known(0)->dims() : std::nullopt;
  std::optional<Dim> steps = known && known->size() == 1 ? std::optional((*known)[0]) : std::nullopt;
  std::optional<bool> begins = node.has(1) ? truthOf(node.known(1)) : true;
  bool isData = steps && node.getGraph().getModel().mostOf(*steps) != *steps; // a size that data decides
  if (steps && !isData)
    steps = maxOf(*steps, Dim(0)); // there are no steps if the number is negative
  bool isCounted = steps && !isData && !steps->isUnknown() && begins == true && alwaysGoesOn(node, *loop.body);
  bool isFew = steps && steps->isStatic() && steps->constant() <= kMostCopies;
  if (loop.hasSequences && begins && (isFew || !node.has(0)))
    return convertCopies(node, loop, isFew ? std::optional(steps->constant()) : std::nullopt);
  if (loop.hasSequences)
    return node.refuseData("the number of steps that carry a sequence is unknown or exceeds " + Twine(kMostCopies), {0, 1});
  auto asScan = [&](Node &attempt, Loop &copy) { convertCounted(attempt, copy, *steps); };
  auto asCopies = [&](Node &attempt, Loop &copy) { convertCopies(attempt, copy, steps->constant()); };
  if (isCounted && isFew && !succeeds(node, loop, asScan))
    return convertCopies(node, loop, steps->constant());
  if (isCounted && isFew)
    return;
  if (!isCounted && begins && isFew && !loop.stacks.empty() && succeeds(node, loop, asCopies)) // a condition may be known
    return convertCopies(node, loop, steps->constant());
  convertChanging(node, loop, steps, isCounted, [&](Node &attempt, Loop &copy) {
    isCounted ? convertCounted(attempt, copy, *steps) : convertWhile(attempt, copy, steps);
  });
}
