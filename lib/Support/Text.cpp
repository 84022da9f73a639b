#include "lib/Support/Text.h"
#include "llvm/ADT/StringExtras.h"
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
