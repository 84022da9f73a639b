// Lines and columns of the graph.
#ifndef LATHE_SUPPORT_SOURCEPLACE_H
#define LATHE_SUPPORT_SOURCEPLACE_H

#include "mlir/IR/Location.h"
#include <string>

namespace lathe {

/// A place in the graph's text; line 0 if unknown.
struct SourcePlace {
  int line = 0, column = 0;
  std::string file; // base name of a model or a program that a graph in text calls; empty for the graph's own text
  std::string node; // the name of a model's node; empty for text
};

/// Returns the first place that a location names.
SourcePlace sourcePlace(mlir::Location location);

/// Returns the location of a mistake in a command-line option, such as "--dim", about the op at `location` of the graph.
mlir::Location optionPlace(llvm::StringRef option, mlir::Location location);
/// True if a diagnostic at `location` is about an option: the command line is wrong, not the graph.
bool isOptionPlace(mlir::Location location);

} // namespace lathe

#endif
