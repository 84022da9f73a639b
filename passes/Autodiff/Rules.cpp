#include "passes/Autodiff/Rules.h"

using namespace lathe::autodiff;

Rules::Rules(mlir::MLIRContext *context) : context(context) {
  addElementwiseRules(*this);
  addShapeRules(*this);
  addReductionRules(*this);
  addConvolutionRules(*this);
  addIndexingRules(*this);
  addWindowRules(*this);
  addScanRules(*this);
  addSortRules(*this);
  addLinearAlgebraRules(*this);
  addExternRules(*this);
}

bool Rule::isLinearIn(llvm::ArrayRef<unsigned> operands) const {
  if (jointly)
    return true;
  return llvm::any_of(linear, [&](const Group &group) {
    return llvm::all_of(operands, [&](unsigned i) { return llvm::is_contained(group, i); });
  });
}
