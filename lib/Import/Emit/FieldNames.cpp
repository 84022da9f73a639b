#include "lib/Import/Emit/FieldNames.h"
#include "lib/Support/Text.h"

using namespace lathe;

FieldNames::FieldNames(bool hasWeightsFile) {
  fields.insert_range(llvm::ArrayRef<llvm::StringRef>{"state", "workspace", "workspace_size", "context", "error"});
  if (hasWeightsFile)
    fields.insert_range(llvm::ArrayRef<llvm::StringRef>{"weights", "weights_size"});
}

std::string FieldNames::take(llvm::StringRef name, llvm::StringRef suffix, llvm::StringRef prefix) {
  std::string base = toCIdentifier(name.empty() ? "unnamed" : name, prefix);
  if (isReservedInC(base))
    base = "x" + base;
  std::string field = base;
  unsigned &count = clashes[base];
  for (; isCKeyword(field) || (count && field == base) || !fields.insert(field).second; ++count)
    field = base + suffix.str() + (count ? std::to_string(count + 1) : "");
  return field;
}
