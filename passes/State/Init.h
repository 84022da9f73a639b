// The entry that gives all variables their first values.
#ifndef LATHE_STATE_INIT_H
#define LATHE_STATE_INIT_H

#include "passes/State/Variables.h"

namespace lathe::state {

/// Defines @init(%seed: tensor<i64>), which writes every variable. If the module defines @init itself, then only the variables
/// in `slots`, which its author could not know, are written there, behind what it writes.
void makeInit(mlir::ModuleOp module, const Variables &variables, const Names &slots);

} // namespace lathe::state

#endif
