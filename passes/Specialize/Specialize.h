// Clones of functions for chosen sizes of their named dimensions.
#ifndef LATHE_PASSES_SPECIALIZE_SPECIALIZE_H
#define LATHE_PASSES_SPECIALIZE_SPECIALIZE_H

#include "mlir/Pass/Pass.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lathe {

/// Attributes of a clone: the public function it is a version of, and its fixed dimensions (a dictionary of integers).
inline constexpr llvm::StringLiteral kVersionOfAttr = "lathe.version_of";
inline constexpr llvm::StringLiteral kFixedDimsAttr = "lathe.fixed_dims";

/// `lathe-specialize`. Beside each public function that has one of the dimensions, one private clone for each value, all its
/// types static in that dimension; of several dimensions, for each combination. The function itself stays, as the general
/// version. Refuses more than 16 versions of a function.
std::unique_ptr<mlir::Pass> createSpecializePass(std::map<std::string, std::vector<int64_t>> sizes = {});
void registerSpecializePasses();

} // namespace lathe

#endif
