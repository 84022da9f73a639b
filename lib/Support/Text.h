// Small text helpers of diagnostics and generated names.
#ifndef LATHE_SUPPORT_TEXT_H
#define LATHE_SUPPORT_TEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lathe {

/// "[1, 2, 3]"
std::string listText(llvm::ArrayRef<int64_t> values);

/// The name as a C identifier: what C cannot spell becomes `_`, and `prefix` goes before a leading digit.
std::string toCIdentifier(llvm::StringRef name, llvm::StringRef prefix = "_");

/// Whether some C since C99 or C++ up to C++20 reserves the word, or generated headers cannot use it as a name
/// for what it means to them.
bool isCKeyword(llvm::StringRef name);

} // namespace lathe

#endif
