#include "lib/Import/VerifierWords.h"
#include <regex>

using namespace mlir;
using namespace lathe;

/// Returns "the result is declared as T, lathe.neg infers U" for MLIR's message about this; empty for any other.
static std::string declaredAndInferred(Operation *op, StringRef message) {
  auto [before, declared] = message.split(" are incompatible with return type(s) of operation ");
  StringRef inferred = before.split("inferred type(s) ").second;
  if (declared.empty() || inferred.empty())
    return "";
  StringRef results = op->getNumResults() == 1 ? "the result is" : "the results are";
  return (results + " declared as " + declared + ", " + op->getName().getStringRef() + " infers " + inferred).str();
}

std::string lathe::verifierWords(Operation *op, StringRef message) {
  StringRef name = op->getName().getStringRef();
  if (name == "func.return")
    name = "return";
  if (message.contains("op expects parent op"))
    return ("'" + name + "' is not allowed here; it ends the body of another op, such as " +
            (name == "return" ? "func.func" : "lathe.scan"))
        .str();
  if (message.ends_with("may only have dialect attributes"))
    return ("the attributes of " + StringRef(message.contains("op arguments") ? "an argument" : "a result") +
            " begin with 'lathe.', such as lathe.dims and lathe.name")
        .str();
  if (message.ends_with("symbol's parent must have the SymbolTable trait"))
    return ("'" + name + "' is inside of another op; it must stand beside the functions").str();
  if (message.ends_with("symbol declaration cannot have public visibility"))
    return "the function has no body; write '{' and its ops after the result types";
  static const std::regex kBoolean("1-bit signless integer( values)?");
  auto [attribute, constraint] = message.split(" failed to satisfy constraint: ");
  constraint.consume_front("type attribute of ");
  if (!constraint.empty())
    return name.str() + ": '" + attribute.rtrim("'").rsplit('\'').second.str() + "' must be " +
           std::regex_replace(constraint.str(), kBoolean, "i1");
  if (message.contains("1-bit signless integer"))
    return std::regex_replace(message.str(), kBoolean, "i1");
  return declaredAndInferred(op, message);
}
