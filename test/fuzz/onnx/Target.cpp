// Runs the import for each model as lathec does. The imported graph must verify, whatever the model is.
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Compiler/Front/Front.h"
#include "lib/Import/CheckGraph.h"
#include "lib/Import/Import.h"
#include "lib/Import/ONNX/ImportOnnx.h"
#include "lib/Support/SourcePlace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <fstream>

using namespace mlir;
using namespace lathe;

namespace {
/// A folder that contains only the model, so that external data can only be the model itself.
class Folder {
public:
  Folder() {
    if (llvm::sys::fs::createUniqueDirectory("onnx-fuzzer", path))
      std::abort();
  }
  ~Folder() { (void)llvm::sys::fs::remove_directories(path); }

  std::string write(const uint8_t *data, size_t size) {
    std::string file = (path + "/model.onnx").str();
    std::ofstream(file, std::ios::binary | std::ios::trunc).write(reinterpret_cast<const char *>(data), std::streamsize(size));
    return file;
  }

private:
  SmallString<128> path;
};

/// Keeps what is said, and whether an error has a place in the model; one without, behind the importer, is an internal error.
struct Said {
  std::string text;
  bool located = false;
};
} // namespace

[[noreturn]] static void fail(StringRef what, const Said &said) {
  llvm::errs() << "onnx-fuzzer: " << what << ":\n" << said.text;
  std::abort(); // libFuzzer keeps the model
}

/// MLIR's packages are built without sanitizers, so that what they give back to containers and allocators stays poisoned.
extern "C" const char *__asan_default_options() { return "detect_container_overflow=0:allow_user_poisoning=0"; }
extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1"; }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Folder folder; // gone behind each model: libFuzzer ends without destructors
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<LatheDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect>();
  context.printOpOnDiagnostic(false);
  Said said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said.located |= diagnostic.getSeverity() == DiagnosticSeverity::Error && sourcePlace(diagnostic.getLocation()).line > 0;
    llvm::raw_string_ostream(said.text) << diagnostic.getLocation() << ": " << diagnostic << "\n";
  });
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module = importOnnx(folder.write(data, size), context, sources, {});
  if (!module && said.text.empty())
    fail("a model was refused without a word", said);
  if (!module)
    return 0;
  if (failed(checkGraph(*module)))
    fail("the importer made a graph that is none", said);
  PassManager passes(&context);
  buildImportPipeline(passes);
  if (failed(passes.run(*module)) && !said.located)
    fail("the import stage failed without a place in the model", said);
  return 0;
}
