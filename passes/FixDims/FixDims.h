// Replaces named dimensions by numbers or expressions.
#ifndef LATHE_PASSES_FIXDIMS_FIXDIMS_H
#define LATHE_PASSES_FIXDIMS_FIXDIMS_H

#include "mlir/Pass/Pass.h"
#include <map>
#include <memory>
#include <string>

namespace lathe {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/FixDims/FixDims.h.inc"

/// The same pass with sizes as numbers, and with expressions as Dim::str writes them, by the name that each replaces.
std::unique_ptr<mlir::Pass> createFixDimsPass(std::map<std::string, int64_t> sizes,
                                              std::map<std::string, std::string> formulas);

} // namespace lathe

#endif
