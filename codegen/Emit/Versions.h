// The versions of an exported function: planned functions for some fixed sizes, and the general one.
#ifndef LATHE_CODEGEN_EMIT_VERSIONS_H
#define LATHE_CODEGEN_EMIT_VERSIONS_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <map>
#include <string>
#include <vector>

namespace lathe {

/// A planned function for some fixed sizes.
struct Version {
  std::string name;                 // "N=32", "m=n", "general"
  std::map<std::string, Dim> fixed; // dimensions that are a number or another dimension
  mlir::func::FuncOp function;
};

/// The versions of one function, the general one last.
using VersionList = std::vector<Version>;

/// Returns the versions of the exported function of this name.
VersionList versionsOf(mlir::ModuleOp module, llvm::StringRef name);

/// Returns the kernels that a version calls, in the order of the graph.
llvm::SmallVector<KernelOp> kernelsOf(const Version &version);

/// Returns the bytes of the buffers that the plan puts into the workspace, in one formula for all versions.
Dim arenaOf(llvm::ArrayRef<Version> versions);
/// Returns the bytes of the cold workspace likewise; 0 if the plan may not use one.
Dim coldArenaOf(llvm::ArrayRef<Version> versions);

} // namespace lathe

#endif
