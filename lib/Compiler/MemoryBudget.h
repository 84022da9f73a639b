// The bound of --mem-budget on the workspaces of entries.
#ifndef LATHE_COMPILER_MEMORYBUDGET_H
#define LATHE_COMPILER_MEMORYBUDGET_H

#include "codegen/Emit/Signature.h"
#include "lathe/CompileOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace lathe {

/// Returns the workspace that the plan stage would give a function with its kernels. The function does not change.
Dim planWorkspace(mlir::func::FuncOp function);

/// Checks the workspaces that headers state against the budget: those of all versions of an entry together. Reports an error if
/// one is larger.
mlir::LogicalResult checkBudget(mlir::ModuleOp module, const CompileOptions &options);

/// Checks the workspaces of emitted functions, which include what GPU kernels need. Reports an error if one is larger than the
/// budget: kernels that run again may have needed more than those of reserveDeviceBytes.
mlir::LogicalResult checkBudget(mlir::ModuleOp module, const ModuleSignature &signature, const CompileOptions &options);

} // namespace lathe

#endif
