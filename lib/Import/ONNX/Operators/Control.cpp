// If, and what If, Loop and Scan share: branches and loops of the dialect around the graphs inside of a node.
#include "dialects/Lathe/IR/Control.h"
#include "lib/Import/ONNX/InPlace.h"
#include "lib/Import/ONNX/Operators/Bodies.h"

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

void onnximport::moveInto(Block &from, Block &to, ValueRange results) {
  SmallVector<Value> ends(results);
  for (auto [argument, value] : llvm::zip_equal(from.getArguments(), to.getArguments())) {
    std::replace(ends.begin(), ends.end(), Value(argument), Value(value));
    argument.replaceAllUsesWith(value);
  }
  to.getOperations().splice(to.end(), from.getOperations());
  OpBuilder builder = OpBuilder::atBlockEnd(&to);
  YieldOp::create(builder, to.getParentOp()->getLoc(), ends);
}

std::string onnximport::typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Value onnximport::scalar(Node &node, Value value, Type element) {
  std::optional<Dim> size = numElements(dimsOfValue(value));
  if (value && (!size || *size != Dim(1)))
    node.refuse("expected one value, got a tensor of shape " + str(dimsOfValue(value)));
  if (value && elementOfValue(value) != element)
    node.refuse("expected a value of " + typeText(element) + ", got one of " + typeText(elementOfValue(value)));
  return rankOf(value) == 0 ? value : node.reshape(value, {});
}

bool onnximport::carriesKeepTheirTypes(Node &node, ArrayRef<Value> first, ArrayRef<Value> next, const onnx::GraphProto &body,
                                       int input, ArrayRef<int> deciding) {
  for (auto [i, from, to] : llvm::enumerate(first, next))
    if (from.getType() != to.getType()) {
      node.refuseData("'" + body.input(input + i).name() + "' is " + typeText(from.getType()) + " before a step and " +
                          typeText(to.getType()) + " after it; expected one type in all steps",
                      deciding);
      return false;
    }
  return true;
}

// ---- If

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
  Value predicate = scalar(node, node.input(0), node.i1());
  SmallVector<int> outputs = wantedOutputs(node);
  Body taken(node, *branches[0]), otherwise(node, *branches[1]);
  std::optional<SmallVector<Value>> yes = importBody(node, taken.graph, outputs);
  std::optional<SmallVector<Value>> no = importBody(node, otherwise.graph, outputs);
  if (!yes || !no)
    return node.refuseData("a branch of it is refused, and its condition depends on data, so that both are needed", 0);
  for (auto [output, first, second] : llvm::zip_equal(outputs, *yes, *no))
    if (first.getType() != second.getType())
      return node.refuseData("output '" + node.output(output) + "' is " + typeText(first.getType()) + " in one branch and " +
                                 typeText(second.getType()) + " in the other; expected one type of both",
                             0);
  auto op =
      IfOp::create(node.getGraph().getBuilder(), node.getLocation(), ValueRange(*yes).getTypes(), predicate, ValueRange());
  moveInto(taken.block, op.getTaken().front(), *yes);
  moveInto(otherwise.block, op.getOtherwise().front(), *no);
  closeRegions(op);
  for (auto [output, result] : llvm::zip_equal(outputs, op.getResults()))
    node.set(output, result);
}

void onnximport::addControl(Converters &all) {
  all["If"] = {convertIf, 1, 1, "then_branch,else_branch"};
  all["Loop"] = {convertLoop, 2, -1, "body"};
  all["Loop"].takesSequences = true;
  all["Scan"] = {
      convertScan, 1, -1,
      "body,num_scan_inputs,scan_input_axes,scan_output_axes,scan_input_directions,scan_output_directions,directions"};
}
