// Error recovery for text in which the parser stops.
#ifndef LATHE_IMPORT_TEXT_RECOVERY_H
#define LATHE_IMPORT_TEXT_RECOVERY_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe {

/// The name of the op that stands for unreadable statements and wrong ops. It is not registered.
inline constexpr llvm::StringLiteral kUnreadOp = "lathe.unread";

struct RecoveredGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module; // null if reading ended early
  llvm::DenseSet<mlir::Operation *> faulty; // ops whose errors have been reported; nothing more is to be reported about them
};

/// Returns the block's only op if that is a module, or else a new module with all of its ops.
mlir::OwningOpRef<mlir::ModuleOp> toModule(mlir::Block &block, mlir::Location location);

/// Reads a text that parseSourceString refuses. Reports one parser error for each statement, in terms of graphs. A faulty
/// statement becomes a lathe.unread with the types that its uses declare, so that uses of its results are not errors. A
/// function with a faulty head keeps its ops and loses its arguments.
RecoveredGraph recoverGraph(llvm::StringRef text, llvm::StringRef name, mlir::MLIRContext &context);

} // namespace lathe

#endif
