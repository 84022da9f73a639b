// Lines of the graph.
#ifndef LATHE_SUPPORT_SOURCEPLACE_H
#define LATHE_SUPPORT_SOURCEPLACE_H

#include "mlir/IR/Location.h"
#include <string>

namespace lathe {

/// A place in the graph's text; line 0 when unknown.
struct SourcePlace {
  int line = 0, column = 0;
  std::string file; // base name of a model, which a graph in text may call; empty: the graph's own text
  std::string node; // of a model: the name of its node; else empty
};

/// The first place that a location names.
SourcePlace sourcePlace(mlir::Location location);

/// The place of a mistake in a command line's option, such as "--dim", about what stands at `location` of the graph.
mlir::Location optionPlace(llvm::StringRef option, mlir::Location location);
/// True if a diagnostic at `location` is about an option: the command line is wrong, not the graph.
bool isOptionPlace(mlir::Location location);

} // namespace lathe

#endif
