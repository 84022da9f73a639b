// Text helpers for diagnostics and generated names.
#ifndef LATHE_SUPPORT_TEXT_H
#define LATHE_SUPPORT_TEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace lathe {

/// Returns "[1, 2, 3]".
std::string listText(llvm::ArrayRef<int64_t> values);

/// Returns the name as a C identifier: other characters become `_`, and `prefix` goes before a leading digit.
std::string toCIdentifier(llvm::StringRef name, llvm::StringRef prefix = "_");

/// True if a field, a function or a type cannot have this name in every C since C99 and C++ up to C++20: a keyword, a macro of
/// their usual headers or of compilers, a type of generated headers, or a reserved name.
bool isCKeyword(llvm::StringRef name);

/// True if C reserves the name for compilers and their libraries: it begins with two underscores, or with one and a capital
/// letter.
bool isReservedInC(llvm::StringRef name);

} // namespace lathe

#endif
