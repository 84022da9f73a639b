#include "lib/Import/StableHLO/ImportStableHlo.h"
#include "dialects/StableHLO/StableHLO.h"
#include "lib/Import/StableHLO/Program.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

bool lathe::isStableHlo(StringRef bytes, bool isBytecode) {
  if (isBytecode) // the names of its dialects are in it
    return bytes.contains(StringRef("stablehlo\0", 10)) || bytes.contains(StringRef("chlo\0", 5));
  bool isFound = false;
  while (!bytes.empty()) {
    auto [line, rest] = bytes.split('\n');
    bytes = rest;
    StringRef code = line.split("//").first;
    if (code.ltrim().starts_with("lathe.") || code.contains("= lathe."))
      return false; // a graph, whose author has a mistake elsewhere
    isFound |= code.contains("stablehlo.") || code.contains("chlo.") || code.contains("jax.result_info");
  }
  return isFound;
}

LogicalResult lathe::refusePortableArtifact(StringRef bytes, StringRef name, MLIRContext &context) {
  constexpr StringLiteral kMagic("ML\xefR"), kProducer("StableHLO_v"); // with the format's number, a byte, in between
  size_t start = bytes.find(kMagic), producer = start + kMagic.size() + 1;
  if (start == StringRef::npos || !bytes.substr(producer).starts_with(kProducer))
    return success();
  StringRef version = bytes.substr(producer + kProducer.size()).take_until([](char letter) { return letter == 0; });
  InFlightDiagnostic error = emitError(FileLineColLoc::get(&context, name, 0, 0)); // a file without lines
  if (start > 0)
    error
        << "a serialized export of JAX, expected a StableHLO program; compile it by the Python package, lathe.compile(bytes), or "
           "write jax.export.deserialize(bytes).mlir_module() as text";
  else
    error << "a portable artifact of StableHLO " << version
          << ", expected the program itself; convert it by 'stablehlo-translate --deserialize', or in Python by "
             "jaxlib.mlir.dialects.stablehlo.deserialize_portable_artifact(context, bytes)";
  return error;
}

/// Moves each op to its place in the text: a program may have locations in its author's Python.
static void locate(ModuleOp module, const AsmParserState &places, llvm::SourceMgr &sources, StringRef name) {
  MLIRContext *context = module.getContext();
  unsigned buffer = sources.getMainFileID();
  auto placeOf = [&](llvm::SMRange range) -> Location {
    auto [line, column] = sources.getLineAndColumn(range.Start, buffer);
    return FileLineColLoc::get(context, name, line, column);
  };
  module.walk([&](Operation *op) {
    if (auto *definition = places.getOpDef(op))
      op->setLoc(placeOf(definition->loc));
  });
}

/// Parses a program. Returns null after the parser's error.
static OwningOpRef<ModuleOp> parse(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef name, MLIRContext &context,
                                   std::shared_ptr<llvm::SourceMgr> sources) {
  bool isText = !isBytecode(buffer->getMemBufferRef());
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  Block block;
  AsmParserState places;
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  if (failed(isText ? parseAsmSourceFile(*sources, &block, config, &places) : parseSourceFile(sources, &block, config)))
    return nullptr;
  auto modules = block.getOps<ModuleOp>();
  OwningOpRef<ModuleOp> module;
  if (llvm::hasSingleElement(block) && !modules.empty()) {
    module = *modules.begin();
    module->getOperation()->remove();
  } else {
    module = ModuleOp::create(FileLineColLoc::get(&context, name, 1, 1));
    module->getBody()->getOperations().splice(module->getBody()->begin(), block.getOperations());
  }
  if (isText)
    locate(*module, places, *sources, name);
  if (failed(verify(*module)))
    return nullptr;
  return module;
}

OwningOpRef<ModuleOp> lathe::importStableHlo(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef name, MLIRContext &context,
                                             std::shared_ptr<llvm::SourceMgr> sources, const ImportOptions &options) {
  DialectRegistry registry;
  registerStableHlo(registry);
  registry.insert<quant::QuantDialect>(); // its types are refused later, with a reason
  context.appendDialectRegistry(registry);
  bool allowed = context.allowsUnregisteredDialects();
  context.allowUnregisteredDialects(); // of other dialects: each op is refused at its line
  OwningOpRef<ModuleOp> source = parse(std::move(buffer), name, context, sources);
  OwningOpRef<ModuleOp> module;
  if (source)
    module = Program(*source, options).import();
  context.allowUnregisteredDialects(allowed);
  return module;
}
