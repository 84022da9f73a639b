#include "test/fuzz/Reference.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lib/Compiler/Front/Front.h"
#include "lib/Import/Import.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h"
#include "passes/Inline/Inline.h"
#include "passes/State/State.h"
#include "test/fuzz/Bounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <fstream>
#include <numeric>

using namespace mlir;
using namespace lathe;
using fuzz::SizesAre;

/// Imported, with all derivatives expanded.
static OwningOpRef<ModuleOp> prepare(MLIRContext &context, const std::string &file, const Sizes &sizes, SizesAre sizesAre) {
  OwningOpRef<ModuleOp> module = importFile(file, context);
  PassManager passes(&context);
  buildImportPipeline(passes, sizesAre == SizesAre::Numbers ? sizes : Sizes());
  buildStatePipeline(passes);
  passes.addPass(createExpandDerivativesPass());
  passes.addPass(createInlinePass());
  passes.addPass(createExplicitBroadcastPass());
  if (sizesAre == SizesAre::Names)
    passes.addNestedPass<func::FuncOp>(createCanonicalizerPass());
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

  /// Returns the initial value of a variable: the graph's own have their input's value, an optimiser's slots small numbers.
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

namespace {
/// Graphs that are prepared as one module, and what is said of each.
class Module {
public:
  Module(const std::vector<Graph> &graphs, const std::vector<std::string> &names, const std::string &file, SizesAre sizesAre)
      : graphs(graphs), names(names), file(file), sizesAre(sizesAre), all(graphs.size()), texts(graphs.size()) {
    context.printOpOnDiagnostic(false);
    context.loadDialect<LatheDialect, func::FuncDialect>();
    for (auto [i, graph] : llvm::enumerate(graphs))
      texts[i] = graph.reference(names[i]);
  }

  std::vector<fuzz::Interpreted> run() {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { note(diagnostic); });
    std::vector<size_t> left(graphs.size());
    std::iota(left.begin(), left.end(), 0);
    while (!left.empty()) {
      OwningOpRef<ModuleOp> module = prepare(left);
      size_t before = left.size();
      llvm::erase_if(left, [&](size_t i) { return !all[i].error.empty(); });
      if (module && left.size() == before) {
        interpret(*module, left);
        break;
      }
      if (left.size() == before) // refused for no graph's sake in particular
        for (size_t i : std::exchange(left, {}))
          all[i].error = said + "refused";
    }
    return std::move(all);
  }

private:
  /// Imports the graphs of these numbers; null if one of them is refused.
  OwningOpRef<ModuleOp> prepare(llvm::ArrayRef<size_t> numbers) {
    std::ofstream out(file, std::ios::binary);
    Sizes sizes;
    starts.clear();
    unsigned line = 1;
    for (size_t i : numbers) {
      starts.push_back({line, i});
      line += llvm::count(texts[i], '\n');
      out << texts[i];
      Graph graph = graphs[i];
      if (graph.form == Form::Vmap) // the function of one element is what is run
        graph.form = Form::Plain;
      sizes.merge(graph.sizes());
    }
    out.close();
    said.clear();
    return ::prepare(context, file, sizes, sizesAre);
  }

  /// Keeps an error with the graph in whose lines it is.
  void note(Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream(text) << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
    said += text;
    auto place = LocationAttr(diagnostic.getLocation()).findInstanceOf<FileLineColLoc>();
    if (!place || diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    auto after = llvm::upper_bound(starts, place.getLine(), [](unsigned line, auto &start) { return line < start.first; });
    if (after == starts.begin())
      return;
    auto [start, graph] = *std::prev(after);
    all[graph].error += text;
    all[graph].errorLines.insert(place.getLine() - start);
  }

  void interpret(ModuleOp module, llvm::ArrayRef<size_t> numbers) {
    for (size_t i : numbers)
      if (failed(Entry(module.lookupSymbol<func::FuncOp>(names[i]), graphs[i], names[i]).run(all[i])))
        all[i].error += "not interpreted";
  }

  static inline MLIRContext context{MLIRContext::Threading::DISABLED};
  const std::vector<Graph> &graphs;
  const std::vector<std::string> &names;
  const std::string &file;
  SizesAre sizesAre;
  std::vector<fuzz::Interpreted> all;
  std::vector<std::string> texts;
  std::vector<std::pair<unsigned, size_t>> starts; // the line of each graph that is prepared, and its number
  std::string said;
};
} // namespace

std::vector<fuzz::Interpreted> fuzz::interpretGraphs(const std::vector<Graph> &graphs, const std::vector<std::string> &names,
                                                     const std::string &file, SizesAre sizes) {
  return Module(graphs, names, file, sizes).run();
}
