#include "lib/Import/Text/ParseHints.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Template.h"
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

std::string lathe::hintFor(const std::string &message, StringRef text, size_t place, MLIRContext &context) {
  static const std::regex kUnknown("custom op 'lathe\\.([^']*)' is unknown.*"),
      kDialect("Dialect `([^']*)' not found for custom op '([^']*)'[^]*"), kUnquoted("custom op '([^'.]*)' is unknown.*");
  if (message.size() > 2000)
    return message; // std::regex recurses over the length of its input
  std::smatch match;
  StringRef here = text.drop_front(place);
  if (here.starts_with("#") && message.find("expected") + message.find("invalid") != 2 * std::string::npos)
    return "a comment begins with '//', not with '#'";
  if (std::regex_match(message, match, kUnknown)) {
    std::string name = match[1], meant = meantBy(StringRef(name).split('.').second.empty() ? name : name, &context);
    std::string known = StringRef(name).starts_with("std.") ? "docs/std.md" : "docs/ops.md";
    return "there is no op 'lathe." + name + "'" + (meant.empty() ? "" : "; did you mean '" + meant + "'?") + " (" + known +
           " lists all)";
  }
  if (std::regex_match(message, match, kDialect)) {
    std::string dialect = match[1];
    if (llvm::is_contained({"stablehlo", "mhlo", "chlo", "tosa", "linalg", "torch", "onnx", "tf", "tfl", "tensor"}, dialect))
      return "'" + match[2].str() + "' is of another dialect; a graph has lathe.* ops (docs/ops.md), and models of PyTorch, " +
             "TensorFlow and JAX come in as ONNX (docs/onnx.md)";
    return "'" + match[2].str() + "' is not a Lathe op; ops begin with 'lathe.' (docs/ops.md lists them)";
  }
  if (std::regex_match(message, match, kUnquoted))
    return "'" + match[1].str() + "' is not allowed in a Lathe graph; expected lathe.*, func.func, func.call or return";
  if (here.ltrim().empty() && message.find("expected") == 0)
    return "the text ends inside of a function; a '}' is missing";
  return message;
}
