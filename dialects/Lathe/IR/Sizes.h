// Evaluation of dimension expressions.
#ifndef LATHE_IR_SIZES_H
#define LATHE_IR_SIZES_H

#include "dialects/Lathe/IR/Dims.h"
#include <map>
#include <optional>
#include <string>

namespace lathe {

/// Sizes of named dimensions.
using Sizes = std::map<std::string, int64_t>;

/// Returns the value of a dimension; nullopt if it is unknown, has a name without size, or overflows.
std::optional<int64_t> evaluate(const Dim &dim, const Sizes &sizes);

} // namespace lathe

#endif
