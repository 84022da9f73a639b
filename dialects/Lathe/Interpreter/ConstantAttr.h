// Creates values of constants from bytes.
#ifndef LATHE_INTERPRETER_CONSTANTATTR_H
#define LATHE_INTERPRETER_CONSTANTATTR_H

#include "dialects/Lathe/Interpreter/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <memory>

namespace lathe {

/// Returns a constant's value from bytes in row-major order, one byte for each boolean. Large values reference the bytes, and
/// the context keeps `holder`; `name` is used in text.
mlir::ElementsAttr constantAttr(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes, std::shared_ptr<const void> holder,
                                llvm::StringRef name);
/// Returns the value of a tensor, with its own element type. Large values take the tensor's memory.
mlir::ElementsAttr constantAttr(Tensor value, mlir::Type element, llvm::StringRef name);

} // namespace lathe

#endif
