#include "test/fuzz/Reference.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "lib/Import/Import.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/State/State.h"
#include "test/fuzz/Bounds.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lathe;

fuzz::Interpreted fuzz::interpretGraph(const Graph &graph, const std::string &file, const std::string &name) {
  static MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<LatheDialect, func::FuncDialect>();
  context.printOpOnDiagnostic(false);
  Interpreted outcome;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(outcome.error) << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
  });
  OwningOpRef<ModuleOp> module = importFile(file, context);
  PassManager passes(&context);
  buildImportPipeline(passes, graph.sizes());
  buildStatePipeline(passes);
  passes.addPass(createExpandDerivativesPass());
  passes.addPass(createInlinePass());
  passes.addPass(createExplicitBroadcastPass());
  if (!module || failed(passes.run(*module)))
    return outcome.error += "refused", outcome;
  auto entry = module->lookupSymbol<func::FuncOp>(name);
  Bounds bounds;
  FailureOr<std::vector<Tensor>> results =
      interpret(entry, graph.arguments(), {[&](Value value, const Tensor &tensor) { bounds.observe(value, tensor); }});
  if (failed(results))
    return outcome.error += "not interpreted", outcome;
  outcome.values = *results;
  for (Value result : entry.front().getTerminator()->getOperands())
    outcome.bounds.push_back(bounds.boundOf(result));
  outcome.error.clear();
  return outcome;
}
