// If, and code that If, Loop and Scan share: branches and loops of the dialect around the graphs inside a node.
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Import/ONNX/InPlace.h"
#include "lib/Import/ONNX/Operators/Carries.h"
#include "lib/Support/TypeText.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

std::optional<SmallVector<Value>> onnximport::importBody(Node &node, Graph &graph, ArrayRef<int> outputs) {
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

Value onnximport::scalar(Node &node, Value value, Type element) {
  std::optional<Dim> size = numElements(dimsOfValue(value));
  if (value && (!size || *size != Dim(1)))
    node.refuse("expected one value, got a tensor of shape " + str(dimsOfValue(value)));
  if (value && elementOfValue(value) != element)
    node.refuse("expected a value of " + typeText(element) + ", got one of " + typeText(elementOfValue(value)));
  return rankOf(value) == 0 ? value : node.reshape(value, {});
}

bool onnximport::carriesKeepTheirTypes(Node &node, TypeRange first, ArrayRef<Value> next, const onnx::GraphProto &body,
                                       int input, ArrayRef<int> deciding) {
  for (auto [i, from, to] : llvm::enumerate(first, next))
    if (from != to.getType()) {
      node.refuseData("'" + body.input(input + i).name() + "' is " + typeText(from) + " before a step and " +
                          typeText(to.getType()) + " after it; the type must be the same in all steps",
                      deciding);
      return false;
    }
  return true;
}

// ---- If

namespace {
/// The results of both branches of an If. If their sizes differ, or data in a branch decides them, a result has the maximum
/// size, and the branches also return the actual size.
class Branches {
public:
  Branches(Node &node, Block &taken, Block &otherwise) : node(node), blocks{&taken, &otherwise} {}

  /// Gives the next result of both branches one type. Returns false if rank or elements differ.
  bool join(Value &first, Value &second) {
    Value *values[] = {&first, &second};
    Dims dims[] = {dimsOfValue(first), dimsOfValue(second)};
    if (dims[0].size() != dims[1].size() || elementOfValue(first) != elementOfValue(second))
      return false;
    Dims most = dims[0];
    for (auto [i, dim] : llvm::enumerate(most)) {
      if (dim == dims[1][i] && !isDecidedIn(node, dim, blocks)) // data in a branch
        continue;
      dim = maxOf(model().mostOf(dim), model().mostOf(dims[1][i]));
      countedDims.push_back({index, int64_t(i)});
      for (int branch : {0, 1})
        counts[branch].push_back(sizeIn(branch, dims[branch][i]));
    }
    for (int branch : {0, 1})
      *values[branch] = padded(branch, *values[branch], most);
    ++index;
    return true;
  }

  ArrayRef<Value> countsIn(int branch) const { return counts[branch]; }

  /// Returns the valid part of result `which`, by the sizes that the op around the branches returns.
  Value counted(Value value, size_t which, ResultRange counts) {
    for (auto [place, count] : llvm::zip_equal(countedDims, counts))
      if (place.first == which)
        value = node.setDimSize(value, place.second, count);
    return value;
  }

private:
  Model &model() { return node.getGraph().getModel(); }

  Value sizeIn(int branch, const Dim &dim) {
    OpBuilder::InsertionGuard guard(model().builder);
    model().builder.setInsertionPointToEnd(blocks[branch]);
    return node.size(dim, node.i64());
  }

  Value padded(int branch, Value value, const Dims &most) {
    OpBuilder::InsertionGuard guard(model().builder);
    model().builder.setInsertionPointToEnd(blocks[branch]);
    return node.padTo(value, most);
  }

  Node &node;
  Block *blocks[2];
  SmallVector<Value> counts[2];
  SmallVector<std::pair<size_t, int64_t>> countedDims; // values and their dimensions
  size_t index = 0;
};
} // namespace

/// True if a graph only removes dimensions of extent 1.
static bool isSqueeze(const onnx::GraphProto &graph) {
  return llvm::count_if(graph.node(), [](auto &node) { return node.op_type() == "Squeeze"; }) == 1 &&
         llvm::all_of(graph.node(), [](auto &node) { return node.op_type() == "Squeeze" || node.op_type() == "Constant"; });
}

/// True if the node tests for a size of 1 and removes that dimension, as PyTorch writes squeeze.
static bool isSqueezeOfOne(Node &node, const onnx::GraphProto &taken) {
  if (!isSqueeze(taken))
    return false;
  for (const onnx::NodeProto &each : node.getGraph().getProto().node())
    if (each.op_type() == "Equal" && each.output_size() == 1 && each.output(0) == node.getProto().input(0)) {
      bool areSizes = llvm::all_of(each.input(), [&](const std::string &name) {
        Entry *entry = node.getGraph().find(name);
        return entry && entry->isTensor() && node.getGraph().knownOf(*entry);
      });
      return areSizes;
    }
  return false;
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
  if (isSqueezeOfOne(node, *branches[0])) // the branch checks the size
    return importInPlace(node, *node.getGraph().getModel().inlined.emplace_back(std::make_unique<Graph>(
                                   node.getGraph(), *branches[0], node.getLine(), node.getGraph().getBlock())));
  Value predicate = scalar(node, node.input(0), node.i1());
  SmallVector<int> outputs = wantedOutputs(node);
  Body taken(node, *branches[0]), otherwise(node, *branches[1]);
  std::optional<SmallVector<Value>> yes = importBody(node, taken.graph, outputs);
  std::optional<SmallVector<Value>> no = importBody(node, otherwise.graph, outputs);
  if (!yes || !no)
    return node.refuseData("one of its branches is not supported; both are needed, because the condition depends on data", 0);
  Branches joint(node, taken.block, otherwise.block);
  for (auto [output, first, second] : llvm::zip_equal(outputs, *yes, *no))
    if (!joint.join(first, second))
      return node.refuseData("output '" + node.output(output) + "' is " + typeText(first.getType()) + " in one branch and " +
                                 typeText(second.getType()) + " in the other; both must have the same rank and element type",
                             0);
  llvm::append_range(*yes, joint.countsIn(0));
  llvm::append_range(*no, joint.countsIn(1));
  if (node.failed())
    return;
  auto op =
      IfOp::create(node.getGraph().getBuilder(), node.getLocation(), ValueRange(*yes).getTypes(), predicate, ValueRange());
  moveInto(taken.block, op.getTaken().front(), *yes);
  moveInto(otherwise.block, op.getOtherwise().front(), *no);
  closeRegions(op);
  for (auto [i, output] : llvm::enumerate(outputs))
    node.set(output, joint.counted(op.getResult(i), i, op.getResults().drop_front(outputs.size())));
}

void onnximport::addControl(Converters &all) {
  all["If"] = {convertIf, 1, 1, "then_branch,else_branch"};
  all["Loop"] = {convertLoop, 2, -1, "body"};
  all["Loop"].takesSequences = true;
  all["Scan"] = {
      convertScan, 1, -1,
      "body,num_scan_inputs,scan_input_axes,scan_output_axes,scan_input_directions,scan_output_directions,directions"};
}
