// Clones of functions for chosen sizes of their named dimensions.
#ifndef LATHE_PASSES_SPECIALIZE_SPECIALIZE_H
#define LATHE_PASSES_SPECIALIZE_SPECIALIZE_H

#include "mlir/Pass/Pass.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lathe {

/// `lathe-specialize`. Beside each public function that has one of the dimensions, one private clone for each value, all its
/// types static in that dimension; of several dimensions, for each combination. The function itself stays, as the general
/// version. Refuses more than 16 versions of a function.
std::unique_ptr<mlir::Pass> createSpecializePass(std::map<std::string, std::vector<int64_t>> sizes = {});
void registerSpecializePasses();

} // namespace lathe

#endif
