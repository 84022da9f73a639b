// Bytes as values of constants.
#ifndef LATHE_INTERPRETER_CONSTANTATTR_H
#define LATHE_INTERPRETER_CONSTANTATTR_H

#include "dialects/Lathe/Interpreter/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <memory>

namespace lathe {

/// The value of these bytes, in row-major order, a truth value a byte. Large ones stay where they are, and `holder` is kept for
/// as long as the context; `name` is what a text calls them.
mlir::ElementsAttr constantAttr(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes, std::shared_ptr<const void> holder,
                                llvm::StringRef name);
/// The value of a tensor of the element type that is its own.
mlir::ElementsAttr constantAttr(const Tensor &value, mlir::Type element, llvm::StringRef name);

} // namespace lathe

#endif
