#include "lib/Support/Text.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace lathe;

std::string lathe::listText(llvm::ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << '[';
  llvm::interleaveComma(values, out);
  out << ']';
  return text;
}

std::string lathe::toCIdentifier(llvm::StringRef name, llvm::StringRef prefix) {
  std::string result;
  if (name.empty() || llvm::isDigit(name.front()))
    result = prefix.str();
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  return result;
}

bool lathe::isCKeyword(llvm::StringRef name) {
  static const llvm::StringSet<> words = {
      // clang-format off
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char",
      "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
      "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if",
      "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or",
      "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires", "restrict", "return", "short",
      "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local",
      "throw", "true", "try", "typedef", "typeid", "typename", "typeof", "typeof_unqual", "union", "unsigned", "using",
      "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "_Alignas", "_Alignof", "_Atomic", "_BitInt",
      "_Bool", "_Complex", "_Generic", "_Imaginary", "_Noreturn", "_Static_assert", "_Thread_local",
      "NULL", "linux", "unix", // macros: of the headers that ours includes, and of GNU compilers themselves
      "int32_t", "int64_t", "size_t" // a field of this name would hide the type of those after it
      // clang-format on
  };
  return words.contains(name);
}
