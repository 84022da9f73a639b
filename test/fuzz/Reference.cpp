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
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lathe;

/// Imported, with all derivatives expanded.
static OwningOpRef<ModuleOp> prepare(MLIRContext &context, const std::vector<Graph> &graphs, const std::string &file) {
  OwningOpRef<ModuleOp> module = importFile(file, context);
  std::map<std::string, int64_t> sizes;
  for (const Graph &graph : graphs)
    sizes.merge(graph.sizes());
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
    auto entry = module->lookupSymbol<func::FuncOp>(name);
    Bounds bounds;
    FailureOr<std::vector<Tensor>> results =
        interpret(entry, graph.arguments(), {[&](Value value, const Tensor &tensor) { bounds.observe(value, tensor); }});
    if (failed(results)) {
      outcome.error = said + "not interpreted";
      continue;
    }
    outcome.values = *results;
    for (Value result : entry.front().getTerminator()->getOperands())
      outcome.bounds.push_back(bounds.boundOf(result));
  }
  return all;
}
