#include "passes/Autodiff/Rules.h"

using namespace lathe::autodiff;

Rules::Rules(mlir::MLIRContext *context, mlir::ModuleOp module) : context(context), module(module) {
  addElementwiseRules(*this);
  addShapeRules(*this);
  addReductionRules(*this);
  addConvolutionRules(*this);
  addIndexingRules(*this);
  addWindowRules(*this);
  addScanRules(*this);
  addSortRules(*this);
  addLinearAlgebraRules(*this);
  addCollectiveRules(*this);
  addExternRules(*this);
  addCallRules(*this);
}

mlir::func::FuncOp Rules::function(mlir::FlatSymbolRefAttr name) const {
  mlir::ModuleOp all = module;
  return all ? all.lookupSymbol<mlir::func::FuncOp>(name) : mlir::func::FuncOp();
}

bool Rule::isLinearIn(mlir::Operation *op, llvm::ArrayRef<unsigned> operands) const {
  if (linearWhere && !linearWhere(op, operands))
    return false;
  if (jointly)
    return true;
  return llvm::any_of(linear, [&](const Group &group) {
    return llvm::all_of(operands, [&](unsigned i) { return llvm::is_contained(group, i); });
  });
}
