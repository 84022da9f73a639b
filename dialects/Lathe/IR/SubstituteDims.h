// Named dimensions replaced in everything below an op, and the sizes that may replace them.
#ifndef LATHE_IR_SUBSTITUTEDIMS_H
#define LATHE_IR_SUBSTITUTEDIMS_H

#include "dialects/Lathe/IR/Dims.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

namespace lathe {

/// Replaces the names in all types and shape attributes of `root` and of what it holds. Names not in `values` stay.
void substituteDims(mlir::Operation *root, const std::map<std::string, Dim> &values);

/// Attribute of a module: a dictionary of the dimensions that were numbers or expressions already when it was read.
inline constexpr llvm::StringLiteral kFixedAttr = "lathe.fixed";

/// The names that an entry has sizes for, each once: those of its arguments, of its results, and of kSizesAttr.
llvm::SmallVector<std::string> sizeNames(mlir::func::FuncOp function);

/// The size that an option of a pass gives as text.
mlir::FailureOr<int64_t> readSize(mlir::ModuleOp module, llvm::StringRef text);

/// Refuses a name that no entry has and no lathe.dim declares. `option` is the one that has the name, such as "--dim".
mlir::LogicalResult checkDimension(mlir::ModuleOp module, llvm::StringRef option, llvm::StringRef name);
/// Refuses a size for such a name, or one that its lathe.dim does not allow.
/// `option` is the one that has the size, such as "--dim".
mlir::LogicalResult checkSize(mlir::ModuleOp module, llvm::StringRef option, llvm::StringRef name, int64_t size);

} // namespace lathe

#endif
