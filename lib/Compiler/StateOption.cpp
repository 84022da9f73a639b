#include "lib/Compiler/StateOption.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/GlobPattern.h"

std::string lathe::readStateOption(const std::vector<std::string> &texts, CompileOptions &options) {
  for (const std::string &text : texts) {
    llvm::StringRef pattern = text;
    bool isArguments = pattern.consume_front("arguments");
    if ((!isArguments && !pattern.consume_front("initializers")) || (!pattern.empty() && !pattern.consume_front(":")) ||
        (pattern.empty() && text.back() == ':'))
      return "--state: expected initializers, arguments, initializers:PATTERN or arguments:PATTERN, got '" + text + "'";
    if (pattern.empty() && !isArguments) // of arguments, those that the program donates
      pattern = "*";
    if (llvm::Expected<llvm::GlobPattern> made = llvm::GlobPattern::create(pattern); !made)
      return "--state: '" + pattern.str() + "': " + llvm::toString(made.takeError());
    (isArguments ? options.stateArguments : options.stateInitializers).push_back(pattern.str());
  }
  return "";
}
