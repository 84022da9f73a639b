// Names the arguments and results of an imported program, and records for users what became of each op.
#ifndef LATHE_IMPORT_STABLEHLO_SIGNATURE_H
#define LATHE_IMPORT_STABLEHLO_SIGNATURE_H

#include "lib/Import/StableHLO/Program.h"

namespace lathe::hloimport {

/// Names the arguments and results of an entry: as JAX or `lathe.name` names them, or else arg0 and result0.
void nameFields(mlir::func::FuncOp function, mlir::func::FuncOp entry, const ImportOptions &options);

/// Names the open sizes of an entry's arguments in the types of its block: as the program calls them (jax.global_constant), or
/// else after the argument, x_dim0.
void nameDims(Program &program, mlir::func::FuncOp function, mlir::func::FuncOp entry);

/// Turns the arguments that the options name, and the results that replace them, into variables: a result that the program says
/// is stored in the argument's memory (tf.aliasing_output), or else the next one of the argument's type. Arguments that the
/// program donates are named by an empty pattern. Emits an error for an argument without a fixed size.
mlir::LogicalResult makeStates(Program &program, mlir::func::FuncOp function, mlir::func::FuncOp entry);

/// Reports the op that computes each result of an imported one.
void explainImport(mlir::Operation &op, const Frame &frame);

} // namespace lathe::hloimport

#endif
