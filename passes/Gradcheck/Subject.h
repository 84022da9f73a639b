// What the two passes hand to each other, as an attribute of a subject.
#ifndef LATHE_PASSES_GRADCHECK_SUBJECT_H
#define LATHE_PASSES_GRADCHECK_SUBJECT_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::gradcheck {

/// Attribute of a subject: unit if all float arguments and variables are checked; for the loss of a minimize an array of
/// variable names, empty for all variables.
inline constexpr llvm::StringLiteral kSubjectAttr = "lathe.gradcheck";

} // namespace lathe::gradcheck

#endif
