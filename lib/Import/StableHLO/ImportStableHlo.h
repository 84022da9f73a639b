// Imports a StableHLO program, as JAX writes it, as a module of lathe ops.
#ifndef LATHE_IMPORT_STABLEHLO_IMPORTSTABLEHLO_H
#define LATHE_IMPORT_STABLEHLO_IMPORTSTABLEHLO_H

#include "lib/Import/ImportOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
class MemoryBuffer;
} // namespace llvm

namespace lathe {

/// True if text or bytecode contains ops of StableHLO or CHLO, or a function that JAX wrote.
bool isStableHlo(llvm::StringRef bytes, bool isBytecode);

/// Fails with an error that says how to convert the file, if it is a portable artifact of StableHLO or a serialized export of
/// JAX, which contains one: its ops are those of the dialect vhlo.
mlir::LogicalResult refusePortableArtifact(llvm::StringRef bytes, llvm::StringRef name, mlir::MLIRContext &context);

/// Reads a program, in text or bytecode, into a module with its public functions, whose arguments and results have names. Adds
/// the text to `sources`; each op is at its line. Returns null after errors: one for each unsupported op.
mlir::OwningOpRef<mlir::ModuleOp> importStableHlo(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::StringRef name,
                                                  mlir::MLIRContext &context, std::shared_ptr<llvm::SourceMgr> sources,
                                                  const ImportOptions &options);

} // namespace lathe

#endif
