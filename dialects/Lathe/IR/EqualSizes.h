// Sizes that an op needs to be equal although this cannot be proved: the operand is reshaped, and the entry checks the sizes.
#ifndef LATHE_IR_EQUAL_SIZES_H
#define LATHE_IR_EQUAL_SIZES_H

#include "dialects/Lathe/IR/Dims.h"
#include "mlir/IR/Builders.h"

namespace lathe {

/// True if some sizes of the names, each at least 0, make both dimensions equal.
bool canBeEqual(const Dim &a, const Dim &b);
/// The same for graphs in text, whose names a user chose: two dimensions without a quotient or an extreme can only be equal if
/// they are written alike.
bool canBeEqualInText(const Dim &a, const Dim &b);

/// True for two sizes that differ as written, but may be equal when the entry is called.
using MayBeEqual = llvm::function_ref<bool(const Dim &a, const Dim &b)>;

/// Returns the condition that both are equal, such as "m == n"; for sizes that broadcast, "m == n, or one of them is 1".
std::string equalityText(const Dim &a, const Dim &b);

/// Converts the operand to this type. If only sizes differ that may be equal, inserts a reshape, which the entry checks for
/// `neededBy`. Returns false, and changes nothing, if types differ otherwise.
bool takeAs(mlir::OpOperand &operand, mlir::Type type, const std::string &neededBy, MayBeEqual mayBeEqual = canBeEqualInText);

/// On a checked reshape: the name of the op that needs the sizes to be equal.
inline constexpr llvm::StringLiteral kNeededByAttr = "lathe.needed_by";

/// Runs `infer`, the inference of `op`, on the operands. If it fails because two sizes differ that `mayBeEqual`, inserts a
/// checked reshape before each operand that has one of them and tries again. Emits the diagnostics of the last attempt.
mlir::LogicalResult inferWithChecks(mlir::OpBuilder &builder, mlir::Location location, llvm::StringRef op,
                                    llvm::MutableArrayRef<mlir::Value> operands, MayBeEqual mayBeEqual,
                                    llvm::function_ref<mlir::LogicalResult(mlir::ValueRange operands)> infer);

/// Returns the size of a result over two sizes that differ as written and are not 1, or nullopt if they do not fit.
using JoinSizes = llvm::function_ref<std::optional<Dim>(const Dim &a, const Dim &b)>;
/// Broadcasts shapes by NumPy's rules, aligned at the last dimension. Returns nullopt if two sizes do not fit.
std::optional<Dims> broadcastDims(llvm::ArrayRef<Dims> shapes, JoinSizes join);

/// Returns the pairs of sizes that a checked reshape equates: the numbers of elements, or each of its dimensions.
llvm::SmallVector<std::pair<Dim, Dim>> sizesTakenForEqual(mlir::Operation *op);

} // namespace lathe

#endif
