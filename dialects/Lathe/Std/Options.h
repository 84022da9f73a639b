// Text of options, for composites and optimisers.
#ifndef LATHE_STD_OPTIONS_H
#define LATHE_STD_OPTIONS_H

#include "dialects/Lathe/Std/Template.h"
#include "mlir/IR/OpImplementation.h"

namespace lathe::composites {

/// Parses the value of an option, null after an error; a flag has no text.
mlir::Attribute parseOption(mlir::AsmParser &parser, const Parameter &parameter);
void printOption(mlir::AsmPrinter &printer, mlir::Attribute option);

/// Returns a hint for a name that the library does not have: the closest known name.
std::string hintFor(llvm::StringRef name);

} // namespace lathe::composites

#endif
