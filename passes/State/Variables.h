// The variables of a module in the order of their declaration, which is the order of state arguments and results.
#ifndef LATHE_STATE_VARIABLES_H
#define LATHE_STATE_VARIABLES_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace lathe::state {

using Names = llvm::SetVector<mlir::StringAttr>;

class Variables {
public:
  explicit Variables(mlir::ModuleOp module);

  llvm::ArrayRef<VariableOp> all() const { return list; }
  VariableOp find(mlir::StringAttr name) const;
  /// Declares a variable that starts as zeros, after all others, so that these keep their positions.
  VariableOp addZeros(llvm::StringRef name, mlir::RankedTensorType type, mlir::Location location);
  /// Returns the named variables, in the order of their declaration.
  llvm::SmallVector<VariableOp> inOrder(const Names &names) const;

private:
  mlir::ModuleOp module;
  llvm::SmallVector<VariableOp> list;
};

/// The variables that a function reads and writes, itself or through functions to which it refers.
struct Accesses {
  Names read, written;
};
Accesses accessesOf(mlir::func::FuncOp function);

/// Refuses variables in functions with a derivative rule, and in those that a rule names.
mlir::LogicalResult checkRules(mlir::ModuleOp module);

} // namespace lathe::state

#endif
