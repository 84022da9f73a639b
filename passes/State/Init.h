// The entry that initialises all variables.
#ifndef LATHE_STATE_INIT_H
#define LATHE_STATE_INIT_H

#include "passes/State/Variables.h"

namespace lathe::state {

/// Defines @init(%seed: tensor<i64>), which writes every variable. If the module defines @init itself, only the variables in
/// `slots`, which its author could not know, are written there, after its own writes.
void makeInit(mlir::ModuleOp module, const Variables &variables, const Names &slots);

} // namespace lathe::state

#endif
