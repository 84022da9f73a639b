// The classes that tablegen makes of the dialects; only their own sources include them.
#ifndef STABLEHLO_DIALECTS_H
#define STABLEHLO_DIALECTS_H

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/StableHLO/StableHLODialect.h.inc"

#include "dialects/StableHLO/ChloDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/StableHLO/StableHLOOps.h.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/ChloOps.h.inc"

namespace lathe {

/// Adds the interface that reads the dialects' attributes and types from bytecode (Bytecode.cpp).
void addBytecodeInterface(stablehlo::StableHLODialect &dialect);
void addBytecodeInterface(chlo::ChloDialect &dialect);

} // namespace lathe

#endif
