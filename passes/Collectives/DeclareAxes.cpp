#include "dialects/Lathe/IR/Lathe.h"
#include "passes/Collectives/Collectives.h"

namespace lathe {
#define GEN_PASS_DEF_DECLAREAXESPASS
#include "passes/Collectives/Collectives.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
struct DeclareAxes : lathe::impl::DeclareAxesPassBase<DeclareAxes> {
  using DeclareAxesPassBase::DeclareAxesPassBase;

  void runOnOperation() final {
    ModuleOp module = getOperation();
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    for (const std::string &axis : axisOptions)
      if (!boundsOf(module, axis).declaration)
        DimOp::create(builder, placeOf(module), axis, /*minimum=*/1, /*maximum=*/kLargestDimension, /*multiple_of=*/1);
  }

private:
  /// Returns a location in the graph, since the module itself has none.
  static Location placeOf(ModuleOp module) {
    auto functions = module.getOps<func::FuncOp>();
    return functions.empty() ? module.getLoc() : (*functions.begin()).getLoc();
  }
};
} // namespace
