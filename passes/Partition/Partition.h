// Divides variables, and what is computed with them, among the ranks of axes.
#ifndef LATHE_PASSES_PARTITION_PARTITION_H
#define LATHE_PASSES_PARTITION_PARTITION_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include <memory>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Partition/Partition.h.inc"

/// True if a variable, an argument or a result of the module has a `lathe.shard`.
bool hasShardAnnotations(mlir::ModuleOp module);

} // namespace lathe

#endif
