#include "lib/Import/Text/SourceCheck.h"
#include "lib/Import/Text/EditedText.h"
#include "lib/Import/Text/Statements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;

static constexpr unsigned kMaxDepth = 1000;
static constexpr size_t kMaxDigits = 65536;

static InFlightDiagnostic errorAt(StringRef text, size_t place, StringRef name, MLIRContext &context) {
  auto [line, column] = lineAndColumn(text, place);
  return emitError(FileLineColLoc::get(&context, name, line, column));
}

LogicalResult lathe::checkSource(StringRef text, StringRef name, MLIRContext &context) {
  unsigned depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i], next = i + 1 < text.size() ? text[i + 1] : 0;
    if (c == '"') {
      i = endOfString(text, i) - 1;
    } else if (c == '/' && next == '/') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '-' && next == '>') {
      ++i; // an arrow is not a bracket; nor are the comparisons of affine sets
    } else if ((c == '<' || c == '>') && next == '=') {
      ++i;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      if (++depth > kMaxDepth)
        return errorAt(text, i, name, context) << "more than " << kMaxDepth << " brackets are open here";
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      depth -= depth != 0;
    } else if (llvm::isDigit(c)) {
      size_t end = i;
      while (end < text.size() && llvm::isAlnum(text[end]))
        ++end;
      if (end - i > kMaxDigits)
        return errorAt(text, i, name, context) << "a number of " << end - i << " digits; at most " << kMaxDigits << " are read";
      i = end - 1;
    }
  }
  return success();
}
