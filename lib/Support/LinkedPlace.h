// Locations of programs that a graph in text calls.
#ifndef LATHE_SUPPORT_LINKEDPLACE_H
#define LATHE_SUPPORT_LINKEDPLACE_H

#include "mlir/IR/Location.h"

namespace lathe {

/// Marks a location as one of a program that a graph calls, so that its SourcePlace has the program's file.
mlir::Location linkedPlace(mlir::Location location);

} // namespace lathe

#endif
