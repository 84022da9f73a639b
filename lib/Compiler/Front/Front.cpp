#include "lib/Compiler/Front/Front.h"
#include "lib/Import/CheckInference.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/DataSizes/DataSizes.h"
#include "passes/ExpandRandom/ExpandRandom.h"
#include "passes/ExpandStd/ExpandStd.h"
#include "passes/ExplicitBroadcast/ExplicitBroadcast.h"
#include "passes/FixDims/FixDims.h"
#include "passes/InferDims/InferDims.h"
#include "passes/Inline/Inline.h"
#include "passes/PadSame/PadSame.h"
#include "passes/ScanFirstDim/ScanFirstDim.h"
#include "passes/State/State.h"

using namespace mlir;
using namespace lathe;

void lathe::buildImportPipeline(OpPassManager &passes, std::map<std::string, int64_t> fixed,
                                std::map<std::string, std::string> formulas) {
  passes.addPass(createExpandStdPass(checkInferenceBehindStd));
  InferDimsPassOptions inference;
  for (auto &[name, size] : fixed)
    inference.replaced.push_back(name + "=" + std::to_string(size));
  for (auto &[name, formula] : formulas)
    inference.replaced.push_back(name + "=" + formula);
  passes.addPass(createInferDimsPass(inference)); // before inlining: instances of private functions are made at their calls
  passes.addPass(createFixDimsPass(std::move(fixed), std::move(formulas)));
  passes.addPass(createInlinePass());
  passes.addPass(createResolvePadSamePass());    // needs the dimensions of instances
  passes.addPass(createExpandRandomPass());      // needs the dimensions, and leaves broadcasts to the next one
  passes.addPass(createBoundDataSizesPass());    // needs the dimensions, and leaves broadcasts to the next one
  passes.addPass(createExplicitBroadcastPass()); // needs the dimensions
  passes.addPass(createScanFirstDimPass());      // needs the dimensions
}

void lathe::buildStatePipeline(OpPassManager &passes, ArrayRef<std::string> treeSums) {
  LowerStatePassOptions options;
  options.treeSums.assign(treeSums.begin(), treeSums.end());
  passes.addPass(createLowerStatePass(options));
  passes.addPass(createExpandStdPass(checkInferenceBehindStd));
  passes.addPass(createInlinePass());
  passes.addPass(createExplicitBroadcastPass());
}

void lathe::registerFrontPipelines() {
  PassPipelineRegistration<>("lathe-import", "Run the passes of the import stage",
                             [](OpPassManager &passes) { buildImportPipeline(passes); });
}
