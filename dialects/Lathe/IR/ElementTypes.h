// The element types of tensors: the one list that every layer goes by.
#ifndef LATHE_IR_ELEMENTTYPES_H
#define LATHE_IR_ELEMENTTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"
#include <optional>

namespace lathe {

/// Numbered as lathe_dtype in lathe/runtime.h. MLIR's signless integers are the signed ones.
enum class Element : uint8_t { I1 = 1, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64 };

/// nullopt for a type that tensors do not have.
std::optional<Element> elementOf(mlir::Type type);
inline bool isElementType(mlir::Type type) { return elementOf(type).has_value(); }
/// All of them, and all but i1, for hints.
inline constexpr llvm::StringLiteral kElementTypes = "f64, f32, f16, bf16, i8 to i64, ui8 to ui64 or i1";
inline constexpr llvm::StringLiteral kNumberTypes = "f64, f32, f16, bf16, i8 to i64 or ui8 to ui64";

/// Why a type is not one that values of a graph have, "expected ..." with a hint; empty if it is one.
std::string whyNotTensor(mlir::Type type);

/// "f32", "u8"
llvm::StringRef nameOf(Element element);
/// Bytes in memory: an i1 takes one.
size_t sizeOf(Element element);

/// f16 and bf16: stored and moved as they are; what computes on them does so in f32 and rounds its result once.
inline bool isHalf(Element element) { return element == Element::F16 || element == Element::BF16; }
inline bool isHalf(mlir::Type type) { return type.isF16() || type.isBF16(); }

/// True if an element type is unsigned: u8 to u64, or i1.
inline bool isUnsigned(mlir::Type type) { return type.isUnsignedInteger() || type.isInteger(1); }
/// True if a type is a tensor of floats. Only those have derivatives.
inline bool isFloatTensor(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && mlir::isa<mlir::FloatType>(tensor.getElementType());
}
inline llvm::SmallVector<mlir::Type> floatsOf(mlir::TypeRange types) { return llvm::filter_to_vector(types, isFloatTensor); }

/// The type of one element inside a nest, where integers are signless.
mlir::Type scalarOf(mlir::Type element);

} // namespace lathe

#endif
