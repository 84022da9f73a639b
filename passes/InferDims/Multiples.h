// Reshapes whose numbers of elements are equal because a size is a multiple.
#ifndef LATHE_PASSES_INFERDIMS_MULTIPLES_H
#define LATHE_PASSES_INFERDIMS_MULTIPLES_H

#include "dialects/Lathe/IR/Lathe.h"

namespace lathe {

/// Marks the reshape as checked if its numbers of elements are equal for the declared multiples and for the dimensions that
/// FixDims will replace, each written NAME=EXPRESSION. The entry has nothing to check then.
void checkIfMultiple(ReshapeOp reshape, llvm::ArrayRef<std::string> replaced);

} // namespace lathe

#endif
