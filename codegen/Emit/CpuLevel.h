// The x86-64 level of the machine an object runs on, without a runtime.
#ifndef LATHE_CODEGEN_EMIT_CPULEVEL_H
#define LATHE_CODEGEN_EMIT_CPULEVEL_H

#include "codegen/Emit/EntryEmitter.h"

namespace lathe {

/// Attribute of functions that must run on any x86-64: entries and what they call before the level is known.
inline constexpr llvm::StringLiteral kBaselineAttr = "lathe-baseline";

/// Adds to the module an internal `i32 PREFIX_.level()`: its first call runs cpuid, later ones read what that gave.
/// No function of a graph can have that name: their symbols hold no dot.
void addLevelFunction(EmitContext &emit);

/// The level in force for a call: the context's, else PREFIX_.level().
llvm::Value *emitLevel(EmitContext &emit, llvm::IRBuilder<> &builder, llvm::Value *context);

} // namespace lathe

#endif
