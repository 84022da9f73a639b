// The x86-64 level of the machine that runs an object, and its tile registers, without a runtime.
#ifndef LATHE_CODEGEN_EMIT_CPULEVEL_H
#define LATHE_CODEGEN_EMIT_CPULEVEL_H

#include "codegen/Emit/EntryEmitter.h"

namespace lathe {

/// Attribute of functions that must run on any x86-64: entries and code that runs before the level is known.
inline constexpr llvm::StringLiteral kBaselineAttr = "lathe-baseline";

/// Adds an internal function `i32 PREFIX_.level()` to the module. Its first call runs cpuid, later ones read the stored level.
/// No function of a graph can have that name, since their symbols contain no dot.
void addLevelFunction(EmitContext &emit);

/// The answers of `PREFIX_.tiles()`.
enum TilesAnswer { TilesGranted = 1, TilesAbsent = 2, TilesRefused = 3 };

/// Adds an internal function `i32 PREFIX_.tiles()` to the module, which says whether the process may use the tile registers of
/// AMX. Its first call asks the system for them, in one system call.
void addTilesFunction(EmitContext &emit);

/// Emits a call of PREFIX_.tiles().
llvm::Value *emitTiles(EmitContext &emit, llvm::IRBuilder<> &builder);

/// Emits the level that a call may use: the context's, or PREFIX_.level() without a context.
llvm::Value *emitLevel(EmitContext &emit, llvm::IRBuilder<> &builder, llvm::Value *context);

} // namespace lathe

#endif
