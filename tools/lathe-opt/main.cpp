// The usual MLIR driver for the Lathe dialect and its passes.
#include "codegen/CPU/Schedule/CpuSchedule.h"
#include "codegen/GPU/Schedule/GpuSchedule.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Compiler/Front/Front.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/Checkpoint/Checkpoint.h"
#include "passes/Checks/Checks.h"
#include "passes/ConstantFold/ConstantFold.h"
#include "passes/DataSizes/DataSizes.h"
#include "passes/ExpandRandom/ExpandRandom.h"
#include "passes/ExpandStd/ExpandStd.h"
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h"
#include "passes/Extents/Extents.h"
#include "passes/FixDims/FixDims.h"
#include "passes/Fusion/Fusion.h"
#include "passes/Gradcheck/Gradcheck.h"
#include "passes/InferDims/InferDims.h"
#include "passes/Inline/Inline.h"
#include "passes/Layout/Layout.h"
#include "passes/PadSame/PadSame.h"
#include "passes/Plan/Plan.h"
#include "passes/Promote/Promote.h"
#include "passes/ScanFirstDim/ScanFirstDim.h"
#include "passes/Shard/Shard.h"
#include "passes/Sink/Sink.h"
#include "passes/Specialize/Specialize.h"
#include "passes/State/State.h"
#include "passes/Transposes/Transposes.h"
#include "passes/Widen/Widen.h"
#include "llvm/Support/CommandLine.h"

using namespace lathe;

/// Registers the MLIR passes that the stages use, and all of Lathe's.
static void registerPasses() {
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  registerFrontPipelines();
  registerExpandStdPasses();
  registerInferDimsPasses();
  registerFixDimsPasses();
  registerInlinePasses();
  registerPadSamePasses();
  registerExpandRandomPasses();
  registerDataSizesPasses();
  registerExplicitBroadcastPasses();
  registerScanFirstDimPasses();
  registerStatePasses();
  registerShardPasses();
  registerAutodiffPasses();
  registerExtentsPasses();
  registerChecksPasses();
  registerPromotePasses();
  registerSinkPasses();
  registerTransposesPasses();
  registerLayoutPasses();
  registerConstantFoldPasses();
  registerSpecializePasses();
  registerCheckpointPasses();
  registerFusionPasses();
  registerPlanPasses();
  registerCpuSchedulePasses();
  registerGpuSchedulePasses();
  registerWidenPasses();
  registerGradcheckPasses();
}

/// Hides the options of linked LLVM libraries from --help. Call this before the tool's own options exist; --help-hidden still
/// lists all.
static void hideOptionsOfLibraries() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (name != "help" && name != "version")
      option->setHiddenFlag(llvm::cl::Hidden);
}

int main(int argc, char **argv) {
  hideOptionsOfLibraries();
  registerPasses();
  mlir::DialectRegistry registry;
  registry.insert<LatheDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Runs passes over a Lathe graph; docs/passes.md describes each\n", registry));
}
