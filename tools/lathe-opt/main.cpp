// The usual MLIR driver for the Lathe dialect and its passes.
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Compiler/Front/Front.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "tools/lathe-opt/Passes.h"
#include "llvm/Support/CommandLine.h"

using namespace lathe;

/// Hides the options of linked LLVM libraries from --help. Call this before the tool's own options exist; --help-hidden still
/// lists all.
static void hideOptionsOfLibraries() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (name != "help" && name != "version")
      option->setHiddenFlag(llvm::cl::Hidden);
}

int main(int argc, char **argv) {
  hideOptionsOfLibraries();
  mlir::registerCanonicalizerPass(); // the stages use MLIR's passes, too
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  registerFrontPipelines();
  registerPasses();
  mlir::DialectRegistry registry;
  registry.insert<LatheDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Runs passes over a Lathe graph; docs/passes.md describes each\n", registry));
}
