#include "lib/Import/Import.h"
#include "lib/Import/CheckGraph.h"
#include "lib/Import/CheckInference.h"
#include "lib/Import/ErrorList.h"
#include "lib/Import/LinkModels.h"
#include "lib/Import/MakeConstants.h"
#include "lib/Import/Names.h"
#include "lib/Import/ONNX/ImportOnnx.h"
#include "lib/Import/OpenCalls.h"
#include "lib/Import/StableHLO/ImportStableHlo.h"
#include "lib/Import/Text/Recovery.h"
#include "lib/Import/Text/SourceCheck.h"
#include "lib/Support/SourcePlace.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "passes/ExpandStd/ExpandStd.h"
#include "passes/InferDims/InferDims.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace lathe;

/// Reports all errors in a module, and those of inference without the faulty ops.
static bool checkAll(ModuleOp module, llvm::DenseSet<Operation *> &faulty) {
  bool good = succeeded(openCalls(module, faulty));
  good &= succeeded(checkGraph(module, faulty));
  if (!good)
    checkInference(module, faulty);
  return good;
}

/// Parses the text as a module. Returns null, without diagnostics, if the parser refuses any part of it.
static OwningOpRef<ModuleOp> parseText(StringRef name, MLIRContext &context, llvm::SourceMgr &sources, AsmParserState &places) {
  ScopedDiagnosticHandler silent(
      &context, [](Diagnostic &diagnostic) { return success(diagnostic.getSeverity() == DiagnosticSeverity::Error); });
  Block block;
  ParserConfig config(&context, /*verifyAfterParse=*/false); // checkGraph verifies, and continues after the first error
  if (failed(parseAsmSourceFile(sources, &block, config, &places)))
    return nullptr;
  return toModule(block, FileLineColLoc::get(&context, name, 1, 1));
}

static OwningOpRef<ModuleOp> parseBytecode(StringRef name, MLIRContext &context, std::shared_ptr<llvm::SourceMgr> sources) {
  Block block;
  if (failed(parseSourceFile(sources, &block, ParserConfig(&context, /*verifyAfterParse=*/false))))
    return nullptr;
  return toModule(block, FileLineColLoc::get(&context, name, 1, 1));
}

CheckedGraph lathe::readGraph(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef name, MLIRContext &context,
                              std::shared_ptr<llvm::SourceMgr> sources, AsmParserState &places) {
  ErrorList errors(context);
  CheckedGraph graph;
  llvm::DenseSet<Operation *> faulty;
  StringRef text = buffer->getBuffer();
  bool bytecode = isBytecode(buffer->getMemBufferRef());
  if (!bytecode && failed(checkSource(text, name, context)))
    return graph;
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  graph.module = bytecode ? parseBytecode(name, context, sources) : parseText(name, context, *sources, places);
  if (graph.module) {
    graph.isGood = checkAll(*graph.module, faulty);
  } else if (!bytecode) {
    RecoveredGraph recovered = recoverGraph(text, name, context);
    if (recovered.module)
      checkAll(*recovered.module, recovered.faulty);
  }
  return graph;
}

OwningOpRef<ModuleOp> lathe::importFile(StringRef path, MLIRContext &context, std::shared_ptr<llvm::SourceMgr> sources,
                                        const ImportOptions &options) {
  if (!sources)
    sources = std::make_shared<llvm::SourceMgr>();
  OnnxOptions models{options, /*prefix=*/"", /*declared=*/{}, /*given=*/{}, /*wanted=*/nullptr, inferAnyEqual};
  auto isForPrograms = [&] {
    if (!options.stateArguments.empty())
      emitError(optionPlace("--state", FileLineColLoc::get(&context, path, 0, 0)))
          << "'arguments' is for StableHLO programs; a graph in text has lathe.variable, and an ONNX model initializers";
    return !options.stateArguments.empty();
  };
  if (path.ends_with(".onnx") && isForPrograms())
    return nullptr;
  if (path.ends_with(".onnx")) {
    OwningOpRef<ModuleOp> module = importOnnx(path.str(), context, *sources, models);
    return module && succeeded(checkGraph(*module)) ? std::move(module) : nullptr;
  }
  for (const auto &[name, other] : options.broadcasts) {
    emitError(optionPlace("--dim", UnknownLoc::get(&context)))
        << "'" << name << "=1," << other << "' is for ONNX models; in a graph in text lathe.broadcast says what broadcasts";
    return nullptr;
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false, /*RequiresNullTerminator=*/true);
  if (!buffer) {
    emitError(UnknownLoc::get(&context)) << "cannot read '" << path << "': " << buffer.getError().message();
    return nullptr;
  }
  if (path != "-")
    options.noteRead(path.str());
  bool bytecode = isBytecode((*buffer)->getMemBufferRef());
  if (failed(refusePortableArtifact((*buffer)->getBuffer(), path, context)))
    return nullptr;
  if (isStableHlo((*buffer)->getBuffer(), bytecode)) {
    ErrorList errors(context);
    StringRef name = path == "-" ? StringRef("<stdin>") : path;
    OwningOpRef<ModuleOp> module = importStableHlo(std::move(*buffer), name, context, sources, options);
    bool good = module && (!options.constants || succeeded(makeConstants(*module, *options.constants)));
    return good && succeeded(checkGraph(*module)) ? std::move(module) : nullptr;
  }
  if (isForPrograms())
    return nullptr;
  AsmParserState places; // its pointers into the buffer are valid as long as `sources`
  auto [module, good] = readGraph(std::move(*buffer), path == "-" ? StringRef("<stdin>") : path, context, sources, places);
  if (!module)
    return nullptr;
  if (good) {
    writeNames(*module, bytecode ? nullptr : &places); // only text has SSA names
    if (options.nameValues && !bytecode)
      nameLocations(*module, places);
    if (options.constants) // first, since models may be called with them
      good = succeeded(makeConstants(*module, *options.constants));
  }
  models.constants = nullptr; // only the graph has such inputs
  if (failed(linkModels(*module, path, *sources, models, options.constants, /*isChecked=*/good)) || !good ||
      failed(checkGraph(*module)))
    return nullptr;
  return std::move(module);
}

LogicalResult lathe::inferAnyEqual(ModuleOp module) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(createExpandStdPass(checkInferenceBehindStd));
  passes.addPass(createInferDimsPass({/*anyEqual=*/true, /*replaced=*/{}}));
  return passes.run(module);
}
