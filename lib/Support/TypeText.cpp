#include "lib/Support/TypeText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

std::string lathe::typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string lathe::typeText(TypeRange types) {
  return llvm::join(llvm::map_range(types, [](Type type) { return typeText(type); }), ", ");
}
