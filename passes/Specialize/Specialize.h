// Clones functions for chosen sizes.
#ifndef LATHE_PASSES_SPECIALIZE_SPECIALIZE_H
#define LATHE_PASSES_SPECIALIZE_SPECIALIZE_H

#include "mlir/Pass/Pass.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Specialize/Specialize.h.inc"

/// The same pass with the sizes of each dimension, by its name.
std::unique_ptr<mlir::Pass> createSpecializePass(std::map<std::string, std::vector<int64_t>> sizes);

} // namespace lathe

#endif
