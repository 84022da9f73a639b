// The bytes of constants as tensors in memory have them.
#ifndef LATHE_CODEGEN_EMIT_CONSTANTBYTES_H
#define LATHE_CODEGEN_EMIT_CONSTANTBYTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include <optional>
#include <vector>

namespace lathe {

/// Bytes of a constant that may as well be in the code.
inline constexpr size_t kSmallConstant = 4096;

/// The attribute's own bytes, where it has them as they lie in memory.
std::optional<llvm::ArrayRef<char>> ownBytes(mlir::ElementsAttr value);
/// A byte for each i1, splats written out: of those that have no bytes of their own.
std::vector<char> bytesOf(mlir::DenseElementsAttr value);
/// Frees the bytes of a constant that nobody reads any more, where that can be.
void releaseBytes(mlir::ElementsAttr value);

} // namespace lathe

#endif
