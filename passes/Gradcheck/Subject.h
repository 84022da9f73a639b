// What the two passes hand to each other, as an attribute of a subject.
#ifndef LATHE_PASSES_GRADCHECK_SUBJECT_H
#define LATHE_PASSES_GRADCHECK_SUBJECT_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe::gradcheck {

/// Of a subject: unit where all float arguments and variables are checked; for the loss of a minimize an array of the
/// variables' names, empty for all of them.
inline constexpr llvm::StringLiteral kSubjectAttr = "lathe.gradcheck";

} // namespace lathe::gradcheck

#endif
