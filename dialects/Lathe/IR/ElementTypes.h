// The element types of tensors: the one list for all layers.
#ifndef LATHE_IR_ELEMENTTYPES_H
#define LATHE_IR_ELEMENTTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeRange.h"
#include <optional>

namespace lathe {

/// The element types, with the numbers of lathe_dtype in lathe/runtime.h. MLIR's signless integers are the signed ones.
enum class Element : uint8_t { I1 = 1, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64 };

/// Returns nullopt for a type that tensors do not support.
std::optional<Element> elementOf(mlir::Type type);
inline bool isElementType(mlir::Type type) { return elementOf(type).has_value(); }
/// All element types, and all but i1, for hints.
inline constexpr llvm::StringLiteral kElementTypes = "f64, f32, f16, bf16, i8 to i64, ui8 to ui64 or i1";
inline constexpr llvm::StringLiteral kNumberTypes = "f64, f32, f16, bf16, i8 to i64 or ui8 to ui64";

/// Returns why a type is not valid in a graph, "expected ..." with a hint; empty if it is valid.
std::string whyNotTensor(mlir::Type type);

/// Returns a name such as "f32" or "u8".
llvm::StringRef nameOf(Element element);
/// Returns the bytes in memory: an i1 takes one.
size_t sizeOf(Element element);

/// True for f16 and bf16. Halves are stored and moved unchanged; ops compute on them in f32 and round the result once.
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

/// Returns the type of one element inside a nest, where integers are signless.
mlir::Type scalarOf(mlir::Type element);

} // namespace lathe

#endif
