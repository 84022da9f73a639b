// Scan: a scan of the dialect; in opset 8 one for each row of a batch.
#include "dialects/Lathe/IR/Control.h"
#include "lib/Import/ONNX/Operators/Bodies.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

static Value moveAxis(Node &node, Value value, int64_t from, int64_t to) {
  if (node.failed())
    return {};
  Integers order = range(0, rankOf(value));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return from == to ? value : node.transpose(value, order);
}

/// Returns a value for each of `count` scanned inputs or outputs, 0 if the attribute is missing.
static Integers perScanned(Node &node, StringRef name, int count) {
  Integers given = node.integers(name, Integers(count, 0));
  if (int(given.size()) != count)
    node.refuse("'" + name + "' has " + Twine(given.size()) + " values, expected " + Twine(count));
  given.resize(count);
  return given;
}

namespace {
/// The node and its body. Operands are the states, after `lengths` if there is one, and the scanned values. Outputs are the
/// states after the last step, then the stacked values.
struct Scan {
  onnx::GraphProto *body = nullptr;
  int states = 0, scanned = 0, collected = 0;
  SmallVector<int> stacks; // used outputs of the node after the states
};
/// The range of a scan, along dimension 0.
struct Over {
  SmallVector<Value> first, xs;
  bool isReverse = false;
  Value length; // of rank 0; null for all steps
};
} // namespace

static Scan readScan(Node &node, int firstInput) {
  Scan scan;
  scan.body = node.body("body");
  int64_t scanned = node.integer("num_scan_inputs", 0), available = node.inputs() - firstInput;
  if (scanned < 1 || scanned > available)
    node.refuse("'num_scan_inputs' is " + Twine(scanned) + ", expected 1 to " + Twine(available) +
                ", the number of inputs that can be scanned");
  if (node.failed())
    return scan;
  scan.scanned = scanned;
  scan.states = available - scanned;
  scan.collected = scan.body->output_size() - scan.states;
  if (scan.collected < 0 || scan.body->input_size() != available || node.outputs() > scan.body->output_size())
    node.refuse("its body has " + Twine(scan.body->input_size()) + " inputs and " + Twine(scan.body->output_size()) +
                " outputs, which do not fit the node's");
  if (node.failed())
    return scan;
  for (int i = scan.states; i < node.outputs(); ++i)
    if (node.wants(i))
      scan.stacks.push_back(i);
  return scan;
}

/// Checks that all scanned values have the same number of steps.
static bool areAsLong(Node &node, ArrayRef<Value> values, StringRef what) {
  if (!node.failed() && !llvm::all_equal(llvm::map_range(values, [](Value x) { return dimsOf(x)[0]; })))
    node.refuse("its inputs have different numbers of " + what);
  return !node.failed();
}

/// Adds an index for each step after the scanned values, if the block uses its last argument, the index.
static void addIndices(Node &node, Block &block, SmallVector<Value> &xs) {
  if (block.getArguments().back().use_empty())
    block.eraseArgument(block.getNumArguments() - 1);
  else
    xs.push_back(node.iota(0, {dimsOfValue(xs[0])[0]}, node.i64()));
}

/// Returns the states after the last step and the used stacks. Random numbers also differ by `row`, if it is given.
static SmallVector<Value> emitScan(Node &node, const Scan &scan, Over over, Value row = {}) {
  Body body(node, *scan.body);
  for (auto [i, value] : llvm::enumerate(over.first))
    body.bring(i, value.getType());
  for (auto [i, value] : llvm::enumerate(over.xs))
    body.bring(scan.states + i, sliceOf(cast<RankedTensorType>(value.getType()), 0));
  if (row)
    body.graph.addStep(row);
  body.graph.addStep(body.block.addArgument(RankedTensorType::get({}, node.i64()), node.getLocation()));
  SmallVector<int> outputs = llvm::to_vector(llvm::seq(scan.states));
  outputs.append(scan.stacks);
  std::optional<SmallVector<Value>> ends = importBody(node, body.graph, outputs);
  if (!ends ||
      !carriesKeepTheirTypes(node, ValueRange(over.first).getTypes(), ArrayRef(*ends).take_front(scan.states), *scan.body, 0) ||
      !areAsLong(node, over.xs, "steps"))
    return {};
  addIndices(node, body.block, over.xs);
  auto op = ScanOp::create(node.getGraph().getBuilder(), node.getLocation(), over.length, ValueRange(), over.first, over.xs,
                           ShapeAttr(), ValueRange(*ends).drop_front(scan.states).getTypes(), over.isReverse);
  moveInto(body.block, op.getBody().front(), *ends);
  closeRegions(op);
  return llvm::to_vector_of<Value>(op.getResults());
}

static void convertPlain(Node &node) {
  Scan scan = readScan(node, 0);
  if (node.failed())
    return;
  Integers back = perScanned(node, "scan_input_directions", scan.scanned), // 1 from the last step to the first
      prepends = perScanned(node, "scan_output_directions", scan.collected);
  Integers axes = perScanned(node, "scan_input_axes", scan.scanned),
           outputAxes = perScanned(node, "scan_output_axes", scan.collected);
  if (node.failed())
    return;
  Over over;
  over.isReverse = llvm::all_of(back, [](int64_t each) { return each != 0; });
  for (int i = 0; i < scan.states; ++i)
    over.first.push_back(node.input(i));
  for (int i = 0; i < scan.scanned; ++i) {
    int input = scan.states + i;
    Value x = moveAxis(node, node.input(input), node.axis(axes[i], node.rank(input)), 0);
    over.xs.push_back(back[i] && !over.isReverse ? node.reverse(x, 0) : x);
  }
  if (node.failed())
    return;
  SmallVector<Value> results = emitScan(node, scan, over);
  if (node.failed())
    return;
  for (int i = 0; i < scan.states; ++i)
    node.set(i, results[i]);
  for (auto [output, value] : llvm::zip_equal(scan.stacks, ArrayRef(results).drop_front(scan.states))) {
    int i = output - scan.states;
    Value stack = (prepends[i] != 0) != over.isReverse ? node.reverse(value, 0) : value;
    node.set(output, moveAxis(node, stack, 0, node.axis(outputAxes[i], rankOf(stack))));
  }
}

/// Converts opset 8's Scan: every operand has the batch first, scanned values then have the steps. A scan over the rows
/// contains one over the steps.
static void convertBatched(Node &node) {
  Scan scan = readScan(node, 1);
  if (node.failed())
    return;
  Integers back = perScanned(node, "directions", scan.scanned);
  if (node.has(0) && llvm::any_of(back, [](int64_t each) { return each != 0; }))
    node.refuse("sequence lengths with a direction other than forward are not supported");
  SmallVector<Value> rows; // of all operands
  for (int i = node.has(0) ? 0 : 1; i < node.inputs(); ++i)
    rows.push_back(node.input(i));
  for (int i = node.has(0) ? 0 : 1; i < node.inputs() && !node.failed(); ++i)
    if (int least = i > scan.states ? 2 : 1; node.rank(i) < least)
      node.refuse("input " + Twine(i) + " has rank " + Twine(node.rank(i)) + ", expected at least " + Twine(least));
  if (!areAsLong(node, rows, "rows"))
    return;
  Block block;
  for (Value value : rows)
    block.addArgument(sliceOf(cast<RankedTensorType>(value.getType()), 0), node.getLocation());
  Value row = block.addArgument(RankedTensorType::get({}, node.i64()), node.getLocation());
  OpBuilder &builder = node.getGraph().getBuilder();
  SmallVector<Value> results;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    auto arguments = llvm::to_vector_of<Value>(block.getArguments().drop_back());
    Over over;
    over.length = node.has(0) ? arguments[0] : Value();
    ArrayRef<Value> operands = ArrayRef(arguments).drop_front(node.has(0) ? 1 : 0);
    over.first.assign(operands.begin(), operands.begin() + scan.states);
    for (auto [x, isBack] : llvm::zip_equal(operands.drop_front(scan.states), back))
      over.xs.push_back(isBack ? node.reverse(x, 0) : x);
    results = emitScan(node, scan, over, row);
  }
  if (node.failed())
    return;
  addIndices(node, block, rows);
  auto op = ScanOp::create(builder, node.getLocation(), Value(), ValueRange(), ValueRange(), rows, ShapeAttr(),
                           ValueRange(results).getTypes());
  moveInto(block, op.getBody().front(), results);
  closeRegions(op);
  for (int i = 0; i < scan.states; ++i)
    node.set(i, op.getResult(i));
  for (auto [output, stack] : llvm::zip_equal(scan.stacks, op.getResults().drop_front(scan.states)))
    node.set(output, stack);
}

void onnximport::convertScan(Node &node) {
  bool isBatched = node.opset() < 9;
  for (StringRef name :
       {"directions", "scan_input_axes", "scan_input_directions", "scan_output_axes", "scan_output_directions"})
    if (node.hasAttribute(name) && isBatched != (name == "directions"))
      return node.refuse("attribute '" + name + "' is not supported in this opset");
  isBatched ? convertBatched(node) : convertPlain(node);
}
