// Compiles graphs some of whose inputs are constants. include/lathe/Compiler.h declares the other functions.
#ifndef LATHE_COMPILER_COMPILEFILE_H
#define LATHE_COMPILER_COMPILEFILE_H

#include "lathe/Compiler.h"
#include "lib/Import/Constants/ConstInputs.h"

namespace lathe {

CompileResult compileFile(const std::string &path, const CompileOptions &options, ConstInputs *constants);

} // namespace lathe

#endif
