// Dimension expressions as affine expressions, for the maps of nests.
#ifndef LATHE_DIALECTS_LATHE_IR_AFFINEDIMS_H
#define LATHE_DIALECTS_LATHE_IR_AFFINEDIMS_H

#include "dialects/Lathe/IR/Dims.h"
#include "mlir/IR/AffineExpr.h"

namespace lathe {

/// Returns a dimension expression over symbols; `symbolOf` gives the symbol of a name.
inline mlir::AffineExpr affineOf(const Dim &dim, mlir::MLIRContext *context,
                                 llvm::function_ref<mlir::AffineExpr(const std::string &name)> symbolOf) {
  mlir::AffineExpr sum = mlir::getAffineConstantExpr(0, context);
  for (auto &[names, coefficient] : dim.getTerms()) {
    mlir::AffineExpr term = mlir::getAffineConstantExpr(coefficient, context);
    for (const std::string &name : names)
      term = term * symbolOf(name);
    sum = sum + term;
  }
  return sum;
}

} // namespace lathe

#endif
