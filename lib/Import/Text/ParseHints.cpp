#include "lib/Import/Text/ParseHints.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Template.h"
#include "lib/Import/Text/ParseWords.h"
#include "lib/Import/Text/Statements.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <regex>

using namespace mlir;
using namespace lathe;

/// Returns the name of Lathe's op for the name that another library uses.
static StringRef synonymOf(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Cases({"matmul", "mm", "dot", "gemm", "einsum"}, "lathe.dot_general")
      .Cases({"where", "cond_select"}, "lathe.select")
      .Cases({"subtract", "minus"}, "lathe.sub")
      .Cases({"multiply", "times"}, "lathe.mul")
      .Cases({"divide", "true_divide"}, "lathe.div")
      .Cases({"plus"}, "lathe.add")
      .Cases({"negative"}, "lathe.neg")
      .Cases({"maximum"}, "lathe.max")
      .Cases({"minimum"}, "lathe.min")
      .Cases({"power"}, "lathe.pow")
      .Cases({"sigmoid", "expit"}, "lathe.logistic")
      .Cases({"sum", "reduce_sum", "prod", "reduce_max", "reduce_min", "amax", "amin"}, "lathe.reduce")
      .Cases({"cumsum", "cumprod", "cummax"}, "lathe.cumulative")
      .Cases({"concat", "cat", "stack"}, "lathe.concatenate")
      .Cases({"cast", "astype", "to"}, "lathe.convert")
      .Cases({"conv2d", "convolution", "conv1d"}, "lathe.conv")
      .Cases({"max_pool", "avg_pool", "pool"}, "lathe.reduce_window")
      .Cases({"view", "flatten", "squeeze", "unsqueeze"}, "lathe.reshape")
      .Cases({"permute"}, "lathe.transpose")
      .Cases({"arange", "range"}, "lathe.iota")
      .Cases({"topk"}, "lathe.top_k")
      .Cases({"const"}, "lathe.constant")
      .Default("");
}

/// Returns the op that was probably meant by `lathe.name`; empty if no name is close.
static std::string meantBy(StringRef name, MLIRContext *context) {
  if (StringRef known = synonymOf(name); !known.empty())
    return known.str();
  std::string closest;
  unsigned least = std::max<size_t>(1, name.size() / 3) + 1;
  auto consider = [&](StringRef own, const Twine &full) {
    unsigned distance = name.edit_distance(own, /*AllowReplacements=*/true, least);
    if (distance < least)
      least = distance, closest = full.str();
  };
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (StringRef own = op.getStringRef(); own.consume_front("lathe."))
      consider(own, op.getStringRef());
  for (const composites::Template &composite : composites::library())
    if (!StringRef(composite.name).contains('.')) // names with a dot are derivatives
      consider(composite.name, "lathe.std." + Twine(composite.name));
  return closest;
}

/// True if the text has a token such as "%x" or "@f".
static bool hasToken(StringRef text, StringRef token) {
  return llvm::any_of(tokensOf(text), [&](const Token &each) { return text.slice(each.begin, each.end) == token; });
}

/// Returns the hint for a text where an attribute is missing.
static std::string attributeHint(const ParseError &error, const Surroundings &here, MLIRContext &context) {
  auto question = [&](const std::string &meant) { return here.got() + "; did you mean '" + meant + "'?"; };
  StringRef name = here.next, before = error.text.take_front(error.place).rtrim(" =[");
  name.consume_front("%");
  bool isWord = !name.empty() && llvm::isAlpha(name[0]) && !here.endsLine;
  std::string expected = "expected a literal, a name such as @f or an attribute such as #lathe.zeros";
  if (error.op == "lathe.dim")
    return "expected an integer" + here.got();
  if (before.ends_with("lathe.dims"))
    return "expected the names of dimensions as in #lathe.dims<N, M>" + here.got();
  if (before.ends_with("lathe.name"))
    return "expected a name in quotes" + (isWord ? question("\"" + name.str() + "\"") : here.got());
  bool isSymbol = llvm::is_contained({"call", "func.call", "lathe.read", "lathe.write"}, error.op);
  if (isSymbol)
    expected = "expected a name that begins with '@'";
  if (!isWord)
    return expected + here.got();
  if (isSymbol || hasToken(error.text, ("@" + name).str()))
    return expected + question("@" + name.str());
  if (StringRef element = elementMeantBy(name); !element.empty())
    return expected + question(element.str());
  ScopedDiagnosticHandler silent(&context, [](Diagnostic &) { return success(); });
  std::string own = "#lathe." + name.str();
  return expected + (parseAttribute(own, &context) ? question(own) : here.got());
}

static std::string otherDialect(StringRef dialect, StringRef op) {
  if (llvm::is_contained({"stablehlo", "mhlo", "chlo", "tosa", "linalg", "torch", "onnx", "tf", "tfl", "tensor"}, dialect))
    return ("'" + op + "' is of another dialect; a graph has lathe.* ops (docs/ops.md). Programs of JAX come in as StableHLO " +
            "(docs/stablehlo.md), without lathe.* ops, and models of PyTorch and TensorFlow as ONNX (docs/onnx.md)")
        .str();
  return ("'" + op + "' is not a Lathe op; ops begin with 'lathe.' (docs/ops.md lists them)").str();
}

/// Returns the hint for a name without a dialect where an op begins.
static ParseHint bareName(const std::string &name, StringRef op, const Surroundings &here, MLIRContext &context) {
  auto corrected = [&](const std::string &message, const std::string &meant) {
    return ParseHint{message, here.begin, Correction{here.begin, here.begin + name.size(), meant}};
  };
  bool isFunction = llvm::is_contained({"func", "function", "def", "fn", "fun"}, name);
  if (isFunction && StringRef(here.afterNext).starts_with("@"))
    return corrected("a function begins with 'func.func', got '" + name + "'", "func.func");
  if (here.afterNext == "=")
    return corrected("the name of a value begins with '%': write '%" + name + "'", "%" + name);
  if (op == "func.func" && here.previous == ")")
    return {behindStatement(op, here), here.begin};
  if (name == "return")
    return {"this 'return' is in no function; the function above it has ended", here.begin};
  std::string known,
      message = "'" + name + "' is not allowed in a Lathe graph; expected lathe.*, func.func, func.call or return";
  if (StringRef(name).edit_distance("return") <= 2)
    known = "return";
  else if (context.isOperationRegistered("lathe." + name) || composites::findTemplate(name) || !synonymOf(name).empty())
    known = context.isOperationRegistered("lathe." + name) ? "lathe." + name : meantBy(name, &context);
  return {message + (known.empty() ? "" : "; did you mean '" + known + "'?"), here.begin};
}

static std::string unknownOp(StringRef name, MLIRContext &context) {
  StringRef own = name.substr(name.find('.') + 1);
  if (!name.starts_with("lathe."))
    return ("there is no op '" + name + "'; did you mean '" +
            (own.edit_distance("return") <= 2 ? "return"
             : own.edit_distance("call") <= 2 ? "call"
                                              : "func.func") +
            "'?")
        .str();
  bool isComposite = own.consume_front("std.");
  std::string meant = meantBy(own, &context);
  return ("there is no op '" + name + "'" + (meant.empty() ? "" : "; did you mean '" + meant + "'?") + " (" +
          (isComposite ? "docs/std.md" : "docs/ops.md") + " lists all)")
      .str();
}

/// Returns the hint for a message about the name of an op; nullopt for any other message.
static std::optional<ParseHint> opHint(const ParseError &error, const Surroundings &here, MLIRContext &context) {
  static const std::regex kUnknown("custom op '((lathe|func)\\.[^']*)' is unknown.*"),
      kComposite("custom op '(lathe\\.std\\.[^']*)' there is no .*"),
      kUnregistered("unregistered operation '([^']*)' found in dialect .*"),
      kDialect("Dialect `([^']*)' not found for custom op '([^']*)'[^]*"), kBare("custom op '([^'.]*)' is unknown.*");
  std::string message = error.message.str();
  std::smatch match;
  if (std::regex_match(message, match, kUnknown) || std::regex_match(message, match, kComposite) ||
      std::regex_match(message, match, kUnregistered))
    return ParseHint{unknownOp(match[1].str(), context), error.place};
  if (std::regex_match(message, match, kDialect) && match[1].length() == 0)
    return ParseHint{"'" + match[2].str() + "' is not allowed here; the body of an op has lathe.* ops and ends in lathe.yield",
                     error.place};
  if (std::regex_match(message, match, kDialect))
    return ParseHint{otherDialect(match[1].str(), match[2].str()), error.place};
  if (std::regex_match(message, match, kBare))
    return bareName(match[1].str(), error.op, here, context);
  if (error.message.starts_with("operation being parsed with an unregistered dialect")) {
    StringRef name = StringRef(here.previous).trim('"');
    return ParseHint{otherDialect(name.split('.').first, name), here.endOfPrevious - here.previous.size()};
  }
  return std::nullopt;
}

/// Returns the hint for a type or attribute of a dialect that graphs do not have; nullopt for any other message.
static std::optional<ParseHint> typeOfDialect(const ParseError &error) {
  static const std::regex kUnregistered("`[^]*` (type|attribute) created with unregistered dialect.*"),
      kDialect("dialect '[^']*' provides no (type|attribute) parsing hook");
  std::string message = error.message.str();
  std::smatch match;
  if (!std::regex_match(message, match, kUnregistered) && !std::regex_match(message, match, kDialect))
    return std::nullopt;
  size_t begin = error.text.take_front(error.place).find_last_of("!#"), end = error.place;
  if (begin == StringRef::npos)
    begin = error.place;
  for (int depth = 0; end < error.text.size() && error.text[end] != '\n'; ++end) {
    char c = error.text[end];
    depth += (c == '<') - (c == '>');
    if (depth < 0 || (depth == 0 && (c == '>' || StringRef(" ,){").contains(c)))) {
      end += depth == 0 && c == '>';
      break;
    }
  }
  return ParseHint{("'" + error.text.slice(begin, end) + "' is not " + (match[1] == "type" ? "a type" : "an attribute") +
                    " of a graph" + (match[1] == "type" ? "; values are tensors such as tensor<3xf32>" : ""))
                       .str(),
                   begin};
}

ParseHint lathe::hintFor(const ParseError &error, MLIRContext &context) {
  size_t place = error.place;
  StringRef here = error.text.drop_front(place);
  std::string message = error.message.str();
  if (message.size() > 2000)
    return {message, place}; // std::regex recurses over the length of its input
  if (here.starts_with("#") && message.find("expected") + message.find("invalid") != 2 * std::string::npos)
    return {"a comment begins with '//', not with '#'", place};
  Surroundings around = surroundingsOf(error.text, place);
  if (std::optional<ParseHint> hint = opHint(error, around, context))
    return *hint;
  if (std::optional<ParseHint> hint = typeOfDialect(error))
    return *hint;
  if (here.ltrim().empty() && error.message.starts_with("expected"))
    return {"the text ends inside of a function; a '}' is missing", place};
  if (message == "expected operation name in quotes")
    return {behindStatement(error.op, around), around.begin};
  static const std::regex kOfOp("custom op '([^']*)' ([^]*)");
  std::smatch match;
  std::string op, rest = message;
  if (std::regex_match(message, match, kOfOp))
    op = match[1], rest = match[2];
  if (StringRef(rest).starts_with("failed to parse Lathe_"))
    return {"", place};
  bool isArgument = error.op == "func.func" && around.afterNext == ":" && (around.previous == "(" || around.previous == ",");
  if (isArgument && !around.endsLine && llvm::isAlpha(around.next[0]))
    return {"the name of an argument begins with '%': write '%" + around.next + "'", around.begin,
            Correction{around.begin, around.end, "%" + around.next}};
  std::string words =
      rest == "expected attribute value" ? attributeHint(error, around, context) : inGraphWords(rest, error.op, around);
  if (rest == "expected SSA operand" && hasToken(error.text, "%" + around.next))
    words += "; did you mean '%" + around.next + "'?";
  return {op.empty() || StringRef(words).contains(op) ? words : op + ": " + words, place};
}
