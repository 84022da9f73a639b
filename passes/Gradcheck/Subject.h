// The attribute that passes information between the two passes.
#ifndef LATHE_PASSES_GRADCHECK_SUBJECT_H
#define LATHE_PASSES_GRADCHECK_SUBJECT_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::gradcheck {

/// Attribute of a subject. A unit attribute stands for all float arguments and variables. For the loss of a minimize it is an
/// array of variable names, empty for all variables.
inline constexpr llvm::StringLiteral kSubjectAttr = "lathe.gradcheck";

} // namespace lathe::gradcheck

#endif
