// Replaces named dimensions in everything below an op, and checks the sizes that replace them.
#ifndef LATHE_IR_SUBSTITUTEDIMS_H
#define LATHE_IR_SUBSTITUTEDIMS_H

#include "dialects/Lathe/IR/Dims.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

namespace lathe {

/// Replaces the names in all types and shape attributes of `root` and of the ops in it. Names not in `values` stay.
void substituteDims(mlir::Operation *root, const std::map<std::string, Dim> &values);

/// Attribute of a module: a dictionary of the dimensions that were already numbers or expressions when it was read.
inline constexpr llvm::StringLiteral kFixedAttr = "lathe.fixed";
/// On a function of a model: for a dimension, the others that have its name in the model.
inline constexpr llvm::StringLiteral kSameNamesAttr = "lathe.same_names";
/// On a function of a model: lists of dimensions that broadcast with one another, each 1 or equal to the others. The first one
/// of a list may be a number.
inline constexpr llvm::StringLiteral kBroadcastDimsAttr = "lathe.broadcast_dims";

/// Returns the names for which an entry has sizes, each once: those of its arguments, of its results, and of kSizesAttr.
llvm::SmallVector<std::string> sizeNames(mlir::func::FuncOp function);

/// Parses the size in a pass option.
mlir::FailureOr<int64_t> readSize(mlir::ModuleOp module, llvm::StringRef text);

/// Refuses a name that no entry has and no lathe.dim declares. `option` is the option with the name, such as "--dim".
mlir::LogicalResult checkDimension(mlir::ModuleOp module, llvm::StringRef option, llvm::StringRef name);
/// Refuses a size for such a name, or one that its lathe.dim does not allow.
/// `option` is the option with the size, such as "--dim".
mlir::LogicalResult checkSize(mlir::ModuleOp module, llvm::StringRef option, llvm::StringRef name, int64_t size);

} // namespace lathe

#endif
