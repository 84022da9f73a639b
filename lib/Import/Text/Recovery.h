// Text with mistakes that the parser stops at, read on behind them.
#ifndef LATHE_IMPORT_TEXT_RECOVERY_H
#define LATHE_IMPORT_TEXT_RECOVERY_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/DenseSet.h"

namespace lathe {

/// The name of the op that stands for statements which could not be read, and for ops that are wrong. Nothing registers it.
inline constexpr llvm::StringLiteral kUnreadOp = "lathe.unread";

struct RecoveredGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module; // null where reading ended early
  llvm::DenseSet<mlir::Operation *> faulty; // ops whose mistakes are reported; nothing more is to be said of them
};

/// The module of a block's ops: its only op, if that is a module, or a new one around all of them.
mlir::OwningOpRef<mlir::ModuleOp> toModule(mlir::Block &block, mlir::Location location);

/// Reads a text that parseSourceString refuses. Reports what the parser says of each statement once, in the words of graphs. A
/// faulty statement becomes a lathe.unread of the types that its uses declare, so that uses of its results are no mistakes; a
/// function whose head is faulty keeps its ops and loses its arguments.
RecoveredGraph recoverGraph(llvm::StringRef text, llvm::StringRef name, mlir::MLIRContext &context);

} // namespace lathe

#endif
