// Sizes that a program computes: integers that are constants or expressions of the sizes of inputs.
#ifndef LATHE_IMPORT_STABLEHLO_SIZES_H
#define LATHE_IMPORT_STABLEHLO_SIZES_H

#include "dialects/Lathe/IR/Dims.h"
#include "mlir/IR/Value.h"

namespace lathe::hloimport {

/// Returns the elements of a small tensor of integers, in row-major order; nullopt if data decides one.
std::optional<Dims> knownSizes(mlir::Value value);

} // namespace lathe::hloimport

#endif
