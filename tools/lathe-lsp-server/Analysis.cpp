#include "tools/lathe-lsp-server/Analysis.h"
#include "codegen/Emit/Signature.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Compiler/Session.h"
#include "lib/Compiler/Stages.h"
#include "lib/Import/ErrorList.h"
#include "lib/Import/Import.h"
#include "lib/Import/Names.h"
#include "lib/Support/SourcePlace.h"
#include "lib/Support/Text.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "passes/ExpandStd/ExpandStd.h"
#include "passes/InferDims/InferDims.h"
#include "passes/Partition/Partition.h"
#include "tools/lathe-lsp-server/Index.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::server;

const Definition *Analysis::find(llvm::StringRef name, std::optional<size_t> place) const {
  const Definition *last = nullptr;
  auto first = llvm::partition_point(definitions, [&](const Definition &each) { return each.name < name; });
  for (auto each = first; place && each != definitions.end() && each->name == name; ++each)
    if (each->place.begin <= *place && (!last || each->place.begin >= last->place.begin))
      last = &*each;
  return last;
}

const Symbol *Analysis::findSymbol(llvm::StringRef name) const {
  auto found = llvm::find_if(symbols, [&](const Symbol &each) { return each.name == name; });
  return found == symbols.end() ? nullptr : &*found;
}

static llvm::lsp::DiagnosticSeverity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return llvm::lsp::DiagnosticSeverity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return llvm::lsp::DiagnosticSeverity::Warning;
  default:
    return llvm::lsp::DiagnosticSeverity::Information;
  }
}

/// Returns the word at a location, or one character.
static Span spanOf(StringRef text, Location location) {
  SourcePlace place = sourcePlace(location);
  if (place.line == 0)
    return {0, std::min(text.find('\n'), text.size())};
  size_t begin = offsetOfLine(text, place.line, place.column);
  return {begin, std::max(wordAt(text, begin).end, std::min(begin + 1, text.size()))};
}

static Finding findingOf(StringRef text, Diagnostic &diagnostic) {
  Finding finding{severityOf(diagnostic.getSeverity()), spanOf(text, diagnostic.getLocation()), diagnostic.str(), {}};
  for (Diagnostic &note : diagnostic.getNotes())
    finding.notes.emplace_back(spanOf(text, note.getLocation()), note.str());
  return finding;
}

/// Runs the stages up to the derivatives, since later stages refuse no valid graph. Also checks the names of arguments and
/// their C spellings.
static LogicalResult checkAll(ModuleOp module, StringRef file, const AsmParserState &places) {
  writeNames(module, &places);
  OwningOpRef<ModuleOp> copy = module.clone(); // the index is of the graph as written
  std::string error;
  CompileOptions options;
  for (const std::string &axis : annotatedAxes(module)) // --axis gives their sizes, which the text does not say
    if (!axis.empty())
      options.axes[axis] = 1;
  return success(succeeded(runStages(*copy, "autodiff", options, Targets())) &&
                 succeeded(describeModule(*copy, toCIdentifier(llvm::sys::path::stem(file).str(), "_"), file, {},
                                          /*threads=*/true, cpu::parseTargets("host", error))));
}

static Composites compositesOf(ModuleOp module) {
  Composites composites;
  module.walk([&](StdOp op) {
    composites[op] = {"lathe.std." + op.getComposite().str(), llvm::to_vector(op.getOperandTypes()),
                      llvm::to_vector(op.getResultTypes())};
  });
  return composites;
}

/// Adds inferred dimensions to types, as far as they are known in a graph with errors. Expands composites for that.
static void inferTypes(ModuleOp module, Composites &composites) {
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
  SmallVector<std::pair<Operation *, Location>> uses;
  for (auto &[op, composite] : composites)
    uses.emplace_back(op, op->getLoc());
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(createExpandStdPass());
  passes.addPass(createInferDimsPass());
  (void)passes.run(module);
  DenseMap<Location, func::CallOp> calls; // a function's instances come after it
  module.walk([&](func::CallOp call) {
    if (!call->getParentOfType<func::FuncOp>()->hasAttr(kCompositeAttr))
      calls.try_emplace(call.getLoc(), call);
  });
  for (auto &[op, place] : uses)
    if (func::CallOp call = calls.lookup(place)) {
      composites[op].operands = llvm::to_vector(call.getOperandTypes());
      composites[op].results = llvm::to_vector(call.getResultTypes());
    }
}

Analysis lathe::server::analyze(llvm::StringRef file, llvm::StringRef text) {
  Analysis analysis;
  analysis.text = text.str();
  Session session(file.str());
  ScopedDiagnosticHandler collect(&session.context, [&](Diagnostic &diagnostic) {
    analysis.findings.push_back(findingOf(text, diagnostic));
    return success();
  });
  AsmParserState places;
  CheckedGraph graph =
      readGraph(llvm::MemoryBuffer::getMemBufferCopy(text, file), file, session.context, session.sources, places);
  if (!graph.module)
    return analysis;
  analysis.isParsed = true;
  Composites composites = compositesOf(*graph.module);
  if (graph.isGood) {
    (void)checkAll(*graph.module, file, places);
    inferTypes(*graph.module, composites);
  }
  const char *start = session.sources->getMemoryBuffer(session.sources->getMainFileID())->getBufferStart();
  fillIndex(places, start, composites, analysis);
  return analysis;
}
