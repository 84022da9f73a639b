// The usual MLIR driver over the lathe dialect and its passes.
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/Import.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Autodiff/Autodiff.h"
#include "passes/Checkpoint/Checkpoint.h"
#include "passes/Checks/Checks.h"
#include "passes/ConstantFold/ConstantFold.h"
#include "passes/Extents/Extents.h"
#include "passes/Fusion/Fusion.h"
#include "passes/Gradcheck/Gradcheck.h"
#include "passes/Layout/Layout.h"
#include "passes/Plan/Plan.h"
#include "passes/Promote/Promote.h"
#include "passes/Shard/Shard.h"
#include "passes/Sink/Sink.h"
#include "passes/Specialize/Specialize.h"
#include "passes/State/State.h"
#include "passes/Transposes/Transposes.h"
#include "passes/Widen/Widen.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<lathe::LatheDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::math::MathDialect>();
  mlir::registerTransformsPasses();
  lathe::registerImportPasses();
  lathe::registerAutodiffPasses();
  lathe::registerStatePasses();
  lathe::registerShardPasses();
  lathe::registerCheckpointPasses();
  lathe::registerExtentsPasses();
  lathe::registerChecksPasses();
  lathe::registerConstantFoldPasses();
  lathe::registerPromotePasses();
  lathe::registerTransposesPasses();
  lathe::registerSinkPasses();
  lathe::registerLayoutPasses();
  lathe::registerSpecializePasses();
  lathe::registerFusionPasses();
  lathe::registerPlanPasses();
  lathe::registerWidenPasses();
  lathe::registerGradcheckPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Lathe optimiser driver: runs passes over the lathe dialect\n", registry));
}
