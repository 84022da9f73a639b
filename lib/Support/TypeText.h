// MLIR's text of types.
#ifndef LATHE_SUPPORT_TYPETEXT_H
#define LATHE_SUPPORT_TYPETEXT_H

#include "mlir/IR/TypeRange.h"
#include <string>

namespace lathe {

/// Returns the type as MLIR writes it.
std::string typeText(mlir::Type type);
/// Returns the types as MLIR writes them, with commas between them.
std::string typeText(mlir::TypeRange types);

} // namespace lathe

#endif
