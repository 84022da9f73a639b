// Divides variables, and what is computed with them, among the ranks of axes.
#ifndef LATHE_PASSES_PARTITION_PARTITION_H
#define LATHE_PASSES_PARTITION_PARTITION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>
#include <set>
#include <string>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Partition/Partition.h.inc"

/// Returns the axes that the `lathe.shard` of variables, arguments and results name. One that divides nothing names "".
std::set<std::string> annotatedAxes(mlir::ModuleOp module);

/// True if a variable, an argument or a result of the module has a `lathe.shard`.
inline bool hasShardAnnotations(mlir::ModuleOp module) { return !annotatedAxes(module).empty(); }

} // namespace lathe

#endif
