// The bytes of constants as stored in memory.
#ifndef LATHE_CODEGEN_EMIT_CONSTANTBYTES_H
#define LATHE_CODEGEN_EMIT_CONSTANTBYTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include <optional>
#include <vector>

namespace lathe {

/// Largest constant, in bytes, that is embedded in the code.
inline constexpr size_t kSmallConstant = 4096;

/// Returns the attribute's own bytes if they have the layout in memory.
std::optional<llvm::ArrayRef<char>> ownBytes(mlir::ElementsAttr value);
/// Returns the bytes of a constant without own bytes: a byte for each i1, splats expanded.
std::vector<char> bytesOf(mlir::DenseElementsAttr value);
/// Frees the bytes of a constant that is not read any more, if the attribute allows it.
void releaseBytes(mlir::ElementsAttr value);

} // namespace lathe

#endif
