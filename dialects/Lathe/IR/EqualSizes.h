// Sizes that an op needs to be equal and that cannot be proved so: the operand is reshaped, and the entry checks it.
#ifndef LATHE_IR_EQUAL_SIZES_H
#define LATHE_IR_EQUAL_SIZES_H

#include "dialects/Lathe/IR/Dims.h"
#include "mlir/IR/Builders.h"

namespace lathe {

/// True if some sizes of the names, each at least 0, make both dimensions equal.
bool canBeEqual(const Dim &a, const Dim &b);
/// The same for graphs in text, whose names a user chose: two dimensions without a quotient or an extreme are what they say,
/// and equal only if they are written alike.
bool canBeEqualInText(const Dim &a, const Dim &b);

/// Decides whether two sizes that differ as written may be equal when the entry is called.
using MayBeEqual = llvm::function_ref<bool(const Dim &a, const Dim &b)>;

/// Makes the operand one of this type; where sizes differ that may be equal, by a reshape that the entry checks for `neededBy`.
/// Returns false, and leaves it, where types differ otherwise.
bool takeAs(mlir::OpOperand &operand, mlir::Type type, const std::string &neededBy, MayBeEqual mayBeEqual = canBeEqualInText);

/// On a checked reshape: the name of the op that needs the sizes to be equal.
inline constexpr llvm::StringLiteral kNeededByAttr = "lathe.needed_by";

/// Runs `infer`, the inference of `op`, on the operands. Where that fails because two sizes differ that `mayBeEqual`, puts a
/// checked reshape in front of each operand that has one of them and tries again. Diagnostics of the last attempt are emitted.
mlir::LogicalResult inferWithChecks(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef op,
                                    llvm::MutableArrayRef<mlir::Value> operands, MayBeEqual mayBeEqual,
                                    llvm::function_ref<mlir::LogicalResult(mlir::ValueRange operands)> infer);

/// The pairs of sizes that a checked reshape takes for equal: the numbers of elements, or each of its dimensions.
llvm::SmallVector<std::pair<Dim, Dim>> sizesTakenForEqual(mlir::Operation *op);

} // namespace lathe

#endif
