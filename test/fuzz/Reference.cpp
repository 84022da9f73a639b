#include "test/fuzz/Reference.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lib/Import/Import.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/State/State.h"
#include "test/fuzz/Bounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lathe;

/// Imported, with all derivatives expanded.
static OwningOpRef<ModuleOp> prepare(MLIRContext &context, const std::vector<Graph> &graphs, const std::string &file) {
  OwningOpRef<ModuleOp> module = importFile(file, context);
  std::map<std::string, int64_t> sizes;
  for (Graph graph : graphs) {
    if (graph.form == Form::Vmap) // the function of one element is what is run
      graph.form = Form::Plain;
    sizes.merge(graph.sizes());
  }
  PassManager passes(&context);
  buildImportPipeline(passes, sizes);
  buildStatePipeline(passes);
  passes.addPass(createExpandDerivativesPass());
  passes.addPass(createInlinePass());
  passes.addPass(createExplicitBroadcastPass());
  if (!module || failed(passes.run(*module)))
    return nullptr;
  return module;
}

namespace {
/// One entry of a module whose state and derivatives are lowered.
class Entry {
public:
  Entry(func::FuncOp entry, const Graph &graph, const std::string &name) : entry(entry), graph(graph), name(name) {}

  LogicalResult run(fuzz::Interpreted &outcome) {
    if (graph.form != Form::Vmap)
      return runOnce(graph.arguments(), outcome);
    std::vector<fuzz::Interpreted> elements(graph.batch.size);
    for (int64_t i = 0; i < graph.batch.size; ++i)
      if (failed(runOnce(element(i), elements[i])))
        return failure();
    EntryTypes types = graph.signature();
    for (size_t r = 0; r < types.results.size(); ++r) {
      Tensor values(types.results[r].element, types.results[r].shape()), bounds(Element::F64, types.results[r].shape());
      for (size_t i = 0; i < elements.size(); ++i)
        put(elements[i].values[r], values, i), put(elements[i].bounds[r], bounds, i);
      outcome.values.push_back(std::move(values));
      outcome.bounds.push_back(std::move(bounds));
    }
    return success();
  }

private:
  /// The arguments that element i of the batch sees.
  std::vector<Tensor> element(int64_t i) {
    std::vector<Tensor> arguments = graph.arguments();
    for (auto [node, argument] : llvm::zip_equal(graph.parameters(), arguments)) {
      if (!graph.nodes[node].batchDim)
        continue;
      ::Type own = graph.nodes[node].type;
      Tensor part(own.element, own.shape());
      size_t dim = std::min<size_t>(*graph.nodes[node].batchDim, own.dims.size());
      int64_t inner = sizeOf(own.element);
      for (size_t k = dim; k < own.dims.size(); ++k)
        inner *= own.dims[k].size;
      for (int64_t outer = 0; inner && outer < int64_t(part.getBytes().size()) / inner; ++outer)
        std::copy_n(argument.data<char>() + (outer * graph.batch.size + i) * inner, inner, part.data<char>() + outer * inner);
      argument = std::move(part);
    }
    return arguments;
  }

  static void put(const Tensor &part, Tensor &whole, size_t i) {
    std::copy(part.getBytes().begin(), part.getBytes().end(), whole.data<char>() + i * part.getBytes().size());
  }

  /// What a variable holds before: the graph's own have their input's value, an optimiser's slots small numbers.
  Tensor before(const std::string &variable, RankedTensorType type) {
    for (unsigned node : graph.variables())
      if (graph.variableName(name, node) == variable)
        return graph.nodes[node].value;
    Random random(type.getNumElements());
    return drawTensor(random, *elementOf(type.getElementType()), type.getShape(), Values::Positive);
  }

  LogicalResult runOnce(const std::vector<Tensor> &given, fuzz::Interpreted &outcome) {
    std::vector<Tensor> arguments;
    llvm::StringMap<size_t> places;
    for (unsigned i = 0, next = 0; i < entry.getNumArguments(); ++i) {
      auto variable = entry.getArgAttrOfType<FlatSymbolRefAttr>(i, kStateAttr);
      if (!variable) {
        arguments.push_back(given[next++]);
        continue;
      }
      arguments.push_back(before(variable.getValue().str(), cast<RankedTensorType>(entry.getArgumentTypes()[i])));
      places[variable.getValue()] = outcome.variables.size();
      outcome.variables.push_back({variable.getValue().str(), arguments.back()});
    }
    fuzz::Bounds bounds(graph.isDerived());
    FailureOr<std::vector<Tensor>> results =
        interpret(entry, arguments,
                  {[&](Value value, const Tensor &tensor, ArrayRef<int64_t>) { bounds.observe(value, tensor); }, nullptr});
    if (failed(results))
      return failure();
    std::vector<Tensor> after, afterBounds;
    for (auto &[variable, value] : outcome.variables)
      after.push_back(value), afterBounds.emplace_back(Element::F64, value.getShape());
    for (auto [i, result] : llvm::enumerate(entry.front().getTerminator()->getOperands())) {
      auto variable = entry.getResultAttrOfType<FlatSymbolRefAttr>(i, kStateAttr);
      if (variable && !places.count(variable.getValue())) { // written, never read
        auto type = cast<RankedTensorType>(result.getType());
        places[variable.getValue()] = after.size();
        outcome.variables.push_back({variable.getValue().str(), before(variable.getValue().str(), type)});
        after.emplace_back(), afterBounds.emplace_back();
      }
      (variable ? after[places[variable.getValue()]] : outcome.values.emplace_back()) = (*results)[i];
      (variable ? afterBounds[places[variable.getValue()]] : outcome.bounds.emplace_back()) = bounds.boundOf(result);
    }
    outcome.values.insert(outcome.values.end(), after.begin(), after.end());
    outcome.bounds.insert(outcome.bounds.end(), afterBounds.begin(), afterBounds.end());
    return success();
  }

  func::FuncOp entry;
  const Graph &graph;
  const std::string &name;
};
} // namespace

std::vector<fuzz::Interpreted> fuzz::interpretGraphs(const std::vector<Graph> &graphs, const std::vector<std::string> &names,
                                                     const std::string &file) {
  static MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<LatheDialect, func::FuncDialect>();
  context.printOpOnDiagnostic(false);
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(said) << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
  });
  std::vector<Interpreted> all(graphs.size());
  OwningOpRef<ModuleOp> module = prepare(context, graphs, file);
  for (auto [graph, name, outcome] : llvm::zip_equal(graphs, names, all)) {
    if (!module) {
      outcome.error = said + "refused";
      continue;
    }
    said.clear();
    if (failed(Entry(module->lookupSymbol<func::FuncOp>(name), graph, name).run(outcome)))
      outcome.error = said + "not interpreted";
  }
  return all;
}
