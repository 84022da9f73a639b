#include "lib/Import/Text/ParseWords.h"
#include "lib/Import/Text/Statements.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <fmt/format.h>
#include <regex>

using namespace mlir;
using namespace lathe;

// ---- The text around a place

std::string Surroundings::got() const { return endsLine ? ", but the line ends" : ", got '" + next + "'"; }

Surroundings lathe::surroundingsOf(StringRef text, size_t place) {
  Surroundings here;
  here.begin = here.end = text.size();
  here.endsLine = true;
  for (const Token &token : tokensOf(text)) {
    if (token.end <= place) {
      here.previous = text.slice(token.begin, token.end);
      here.endOfPrevious = token.end;
    } else if (here.next.empty()) {
      here.begin = std::max(token.begin, place); // the place of an element type is inside of "3xf32"
      here.end = token.end;
      here.endsLine = token.isFirst && text.slice(here.endOfPrevious, token.begin).contains('\n');
      here.next = text.slice(here.begin, here.end);
      size_t size = 1; // of a character in UTF-8
      while (here.begin + size < text.size() && (text[here.begin + size] & 0xc0) == 0x80)
        ++size;
      here.character = text.substr(here.begin, size);
    } else {
      here.afterNext = text.slice(token.begin, token.end);
      break;
    }
  }
  return here;
}

// ---- Types

StringRef lathe::elementMeantBy(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"float", "float32", "single", "F32", "fp32"}, "f32")
      .Cases({"double", "float64", "F64", "fp64"}, "f64")
      .Cases({"half", "float16", "F16", "fp16"}, "f16")
      .Cases({"bfloat", "bfloat16", "BF16"}, "bf16")
      .Cases({"int", "int32", "s32"}, "i32")
      .Cases({"long", "int64", "s64"}, "i64")
      .Cases({"short", "int16", "s16"}, "i16")
      .Cases({"char", "int8", "s8"}, "i8")
      .Cases({"uint8", "u8", "byte"}, "ui8")
      .Cases({"uint16", "u16"}, "ui16")
      .Cases({"uint", "uint32", "u32"}, "ui32")
      .Cases({"uint64", "u64"}, "ui64")
      .Cases({"bool", "boolean", "pred"}, "i1")
      .Default("");
}

static std::string typeHint(const Surroundings &here) {
  std::string hint = "expected a type such as tensor<3xf32>" + here.got();
  StringRef next = here.next;
  if (here.endsLine)
    return hint;
  if (StringRef element = elementMeantBy(next); !element.empty())
    return hint + "; did you mean '" + element.str() + "'?";
  if (next.lower() != "tensor" && StringRef(next.lower()).edit_distance("tensor") > 2)
    return here.previous == "<" && next.contains('x')
               ? "expected a number or '?' for each dimension" + here.got() + "; a '?' has its name in lathe.dims"
               : hint;
  return hint + "; did you mean 'tensor'?";
}

// ---- Constants

/// Returns the place of the first ':' outside of brackets, or npos.
static size_t colonOf(StringRef text) {
  int depth = 0;
  for (auto [i, c] : llvm::enumerate(text)) {
    depth += StringRef("([{<").contains(c) - StringRef(")]}>").contains(c);
    if (c == ':' && depth == 0)
      return i;
  }
  return StringRef::npos;
}

std::string lathe::constantHint(StringRef statement) {
  StringRef rest = statement.split("lathe.constant").second;
  size_t colon = colonOf(rest);
  StringRef value = rest.take_front(colon).trim(), type = colon == StringRef::npos ? "" : rest.drop_front(colon + 1).trim();
  bool isDense = value.consume_front("dense<") && value.consume_back(">"), isTensor = type.starts_with("tensor<");
  if (value.empty() || value.contains('\n') || type.contains('\n') || value.starts_with("#") || (isDense && isTensor) ||
      (!isDense && value.contains('<')))
    return "";
  bool isBoolean = value.contains("true") || value.contains("false"), isReal = value.contains('.');
  std::string element = isBoolean ? "i1" : isReal ? "f32" : "i32", dims;
  if (!isTensor && !type.empty())
    element = type.str();
  if (value.count('[') == 1)
    dims = fmt::format("{}x", value.count(',') + 1);
  std::string written = isTensor ? type.str() : value.count('[') > 1 ? "tensor<...>" : "tensor<" + dims + element + ">";
  bool isOfFloats = StringRef(written).rtrim('>').rsplit('f').second.size() == 2 || written == "tensor<f32>";
  bool isInteger = !value.empty() && llvm::all_of(value.drop_while([](char c) { return c == '-'; }), llvm::isDigit);
  std::string number = value.str() + (isOfFloats && isInteger ? ".0" : "");
  return fmt::format("a constant is a tensor: write 'dense<{}> : {}'", number, written);
}

// ---- Messages

std::string lathe::behindStatement(StringRef op, const Surroundings &here) {
  StringRef next = here.next;
  if (here.previous.empty())
    return "expected a function such as 'func.func @f(%x: tensor<3xf32>) -> tensor<3xf32>'" + here.got();
  if (here.previous == "=")
    return "expected the name of an op after '='" + here.got();
  if (next == "/" && (here.afterNext == "*" || here.afterNext == "/"))
    return "a comment begins with '//' and ends with its line";
  if (op == "func.func" && next == ",")
    return "several result types are written in parentheses: '-> (tensor<3xf32>, tensor<f32>)'";
  if (op == "func.func")
    return "expected '->' and the types of the results, or '{' and the body" + here.got();
  if (next == "->")
    return (op + " ends before '->'; write the types of the operands only, for the result's type follows from them").str();
  if (next == ",")
    return (op + " ends before ','; write one type for all operands, or one for each").str();
  return "expected the next op on a line of its own" + here.got();
}

namespace {
struct Wording {
  std::regex message;
  const char *words;     // $1 and so on are the groups of the message
  bool saysNext = false; // what the text has instead
};
} // namespace

static const std::vector<Wording> &wordings() {
  static const std::vector<Wording> all = [] {
    std::vector<Wording> list;
    auto add = [&](const char *message, const char *words, bool saysNext = false) {
      list.push_back({std::regex(message), words, saysNext});
    };
    add("expected SSA operand", "expected a value such as %x", true);
    add("(expected valid ssa identifier|expected (SSA|ssa) identifier|unexpected ssa identifier)",
        "expected the name of a value, such as %x", true);
    add("invalid SSA name", "the name of a value has letters, digits and '_' after its '%'");
    add("@ identifier expected to start with .*", "a name begins with a letter or '_' after its '@'");
    add("expected '=' after SSA name", "expected '=' after the name of the result", true);
    add("expected '\\{' to begin a region", "expected '{' and the body", true);
    add("expected ':'.*", "expected ':' and a type", true);
    add("expected 'x' in dimension list", "expected 'x' and the type of the elements, as in tensor<3xf32>", true);
    add("expected valid '@'-identifier for symbol name", "expected a name that begins with '@', such as @f", true);
    add("expected valid keyword( or string)?", "expected a keyword or a name", true);
    add("expected integer number of results", "expected '=' or the number of results", true);
    add("invalid dimension", "a dimension has at most 63 bits", true);
    add("invalid properties .* for op .*: Invalid attribute `(.*)` in property conversion: (.*)", "'$1' cannot be $2");
    add("expected function type", "expected the types of the operands and results, '(tensor<3xf32>) -> tensor<3xf32>'", true);
    add("expected location instance", "expected a place such as \"f.py\":3:1", true);
    add("expected bare identifier( or keyword)?", "expected a name", true);
    add("expected integer (value|literal)", "expected an integer", true);
    add("expected floating point literal", "expected a floating-point number such as 0.5", true);
    add("expected (valid )?attribute name", "expected the name of an attribute", true);
    add("expected '\"' in string literal", "the line ends inside of a string; a '\"' is missing");
    add("expected ::lathe::.* to be one of: (.*)", "expected one of $1", true);
    add("(expected|invalid) block name.*|reference to an undefined block|expected ':' after block name",
        "a graph has no labels; it is one list of ops, and lathe.if, lathe.scan and lathe.while branch and loop");
    add("region entry argument '([^']*)' is already in use",
        "'$1' is defined a second time; every value has a name of its own");
    add("redefinition of (attribute|type) alias id '([^']*)'", "the alias '$2' is defined a second time");
    add("undefined symbol alias id '([^']*)'", "there is no type or attribute of the name '$1'");
    add("unknown *(attribute|type) `([^`]*)` in dialect `([^`]*)`", "there is no $1 '$3.$2' (docs/ops.md)");
    add("number of operands and types do not match: got (.*) operands and (.*) types",
        "there are $1 operands, but $2 types; write one type for each operand");
    add("invalid kind of type specified: expected builtin.function, but found '(.*)'",
        "expected the types of the operands and results, '(tensor<3xf32>) -> tensor<3xf32>', got '$1'");
    add("invalid kind of type specified: expected [^,]*, but found '(.*)'", "expected another kind of type, got '$1'");
    add("invalid kind of attribute specified(: expected [^,]*, but found '(.*)')?", "expected another kind of attribute", true);
    add("expected integer elements, but parsed floating-point", "the type has integers, but this number is not one");
    add("tensor literal is invalid; ranks are not consistent between elements",
        "the lists of one level have different lengths");
    add("inferred shape of elements literal \\((.*)\\) does not match type \\((.*)\\)",
        "the elements have the shape $1, but the type has $2");
    add("elements literal type must have static shape", "the type of a constant has numbers for dimensions, not '?'");
    add("elements literal must be a shaped type", "dense<...> has a type such as tensor<3xf32>");
    add("(floating point value|integer literal) not valid for specified type", "the number is not one of its type");
    return list;
  }();
  return all;
}

std::string lathe::inGraphWords(const std::string &message, StringRef op, const Surroundings &here) {
  std::smatch match;
  if (message == "expected non-function type" || message == "expected type")
    return typeHint(here);
  static const std::regex kResults("operation defines ([0-9]+) results but was provided ([0-9]+) to bind");
  if (std::regex_match(message, match, kResults))
    return fmt::format("{} has {} results, but the text names {}", op.str(), match[1].str(), match[2].str());
  bool hasBody = llvm::is_contained({"lathe.if", "lathe.scan", "lathe.while", "lathe.checkpoint"}, op);
  if (message == "cannot name an operation with no results")
    return fmt::format("{} has no result here; remove '{} ='{}", op.str(), here.next,
                       hasBody ? ", or write '->' and the result's type before '{'" : "");
  if (message == "unexpected decimal integer literal for a floating point value")
    return fmt::format("floating-point numbers are written with a dot: '{}.0'", here.next);
  if (message == "reference to invalid result number")
    return fmt::format("there is no '{}'; {} has fewer results, which count from 0", here.next,
                       StringRef(here.next).split('#').first.str());
  if (message == "expected integer number of results" && here.next == "=")
    return "a value is defined by '=', not by ':='";
  if (message == "expected three consecutive dots for an ellipsis")
    return "the character '.' has no meaning here";
  if (message == "unexpected character" && !here.character.empty() && (unsigned char)here.character[0] < ' ')
    return fmt::format("the character of code {} has no meaning here; a graph is text", int(here.character[0]));
  if (message == "unexpected character" && here.next == ";" && op != "func.func")
    return "an op ends with its line; remove the ';'";
  if (message == "unexpected character")
    return "the character '" + here.character + "' has no meaning here";
  if (message == "expected ')'" && StringRef(here.next).starts_with("%"))
    return "expected ',' or ')'" + here.got();
  for (const Wording &wording : wordings())
    if (std::regex_match(message, match, wording.message))
      return match.format(wording.words) + (wording.saysNext ? here.got() : "");
  return StringRef(message).starts_with("expected '") ? message + here.got() : message;
}
