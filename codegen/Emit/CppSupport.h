// The parts of generated C++ headers that do not depend on the graph. Each has a guard, since several headers may be in one
// program.
#ifndef LATHE_CODEGEN_EMIT_CPPSUPPORT_H
#define LATHE_CODEGEN_EMIT_CPPSUPPORT_H

namespace lathe {

/// Numbers, spans and errors, and then calls: two parts of one text.
extern const char *const kCppTypes, *const kCppCalls;
/// Contexts and files, for objects whose entries take a context.
extern const char *const kCppRuntime;

} // namespace lathe

#endif
