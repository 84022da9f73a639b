// The text of options, of composites and of optimisers.
#ifndef LATHE_STD_OPTIONS_H
#define LATHE_STD_OPTIONS_H

#include "dialects/Lathe/Std/Template.h"
#include "mlir/IR/OpImplementation.h"

namespace lathe::composites {

/// The value of an option, null after an error; nothing is read of a flag.
mlir::Attribute parseOption(mlir::AsmParser &parser, const Parameter &parameter);
void printOption(mlir::AsmPrinter &printer, mlir::Attribute option);

/// Returns a hint for a name that the library does not have: the closest known name.
std::string hintFor(llvm::StringRef name);

} // namespace lathe::composites

#endif
