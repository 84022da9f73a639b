#include "lib/Compiler/HeaderFacts.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace lathe;

namespace {
/// Collects options as they are typed.
class OptionTexts {
public:
  void add(bool differs, const std::string &text) {
    if (differs)
      texts.push_back(text);
  }
  template <typename Values>
  void addEach(const char *option, const Values &values) {
    for (auto &[name, value] : values)
      if (name.empty())
        texts.push_back(fmt::format("--{}={}", option, value));
      else
        texts.push_back(fmt::format("--{}={}={}", option, name, value));
  }
  std::string joined() const { return llvm::join(texts, " "); }

private:
  std::vector<std::string> texts;
};
} // namespace

static std::string checksOf(const CompileOptions &options) {
  if (!options.checkFinite)
    return options.checkBounds ? "bounds" : "";
  return options.checkBounds ? "finite,bounds" : "finite";
}

Maker lathe::makerOf(const CompileOptions &options) {
  const CompileOptions usual;
  OptionTexts texts;
  texts.add(options.optLevel != usual.optLevel, fmt::format("-O{}", options.optLevel));
  texts.add(options.fastMath, "--math=fast");
  texts.addEach("dim", options.fixedDims);
  texts.addEach("dim", options.dimFormulas);
  for (auto &[name, sizes] : options.specialize)
    texts.add(true, fmt::format("--specialize={}={}", name, fmt::join(sizes, ",")));
  if (options.memoryBudget) {
    std::string sizes;
    for (auto &[name, size] : options.budgetSizes)
      sizes += fmt::format("{}{}={}", sizes.empty() ? ":" : ",", name, size);
    texts.add(true, fmt::format("--mem-budget={}{}", options.memoryBudget, sizes));
  }
  texts.add(options.offload, "--offload");
  for (auto &[function, inputs] : options.gradients)
    texts.add(true, fmt::format("--grad={}{}{}", function, inputs.empty() ? "" : ":wrt=", fmt::join(inputs, ",")));
  for (auto &[function, dimension] : options.shards)
    texts.add(true, fmt::format("--shard={}:{}", function, dimension));
  for (auto &[function, shard] : options.rankShards)
    texts.add(true, fmt::format("--shard={}{}{}", function, StringRef(shard).starts_with("@") ? "" : ":", shard));
  texts.add(options.exactReduction, "--reduce=exact");
  texts.add(!options.stateAxis.empty(),
            fmt::format("--shard-state={}{}", options.stateAxis, options.dividesParameters ? ":parameters" : ""));
  for (auto &[axis, size] : options.axes)
    texts.add(true, fmt::format("--axis={}={}", axis, size));
  texts.addEach("max-steps", options.maxSteps);
  for (const std::string &name : options.constInputs)
    texts.add(true, "--const-input=" + name);
  for (const std::string &pattern : options.stateInitializers)
    texts.add(true, "--state=initializers:" + pattern);
  texts.add(!options.entries.empty(), fmt::format("--entry={}", fmt::join(options.entries, ",")));
  texts.add(!checksOf(options).empty(), "--check=" + checksOf(options));
  texts.add(options.sanitizer == Sanitizer::Address, "--sanitize=address");
  texts.add(options.sanitizer == Sanitizer::Thread, "--sanitize=thread");
  texts.add(options.externWeights, "--weights=extern");
  texts.add(!options.threads, "--threads=off");
  return {LATHE_VERSION, texts.joined()};
}

/// Returns the text of a line that is a comment of its own, or nullopt.
static std::optional<llvm::StringRef> commentOf(llvm::StringRef line) {
  line = line.trim();
  if (!line.consume_front("//"))
    return std::nullopt;
  line = line.ltrim('/');
  line.consume_front(" ");
  return line;
}

/// Returns the comments in lines [begin, end).
static std::string joinComments(llvm::ArrayRef<llvm::StringRef> lines, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end; ++i)
    text += (i == begin ? "" : "\n") + commentOf(lines[i])->str();
  return text;
}

/// Returns the comment directly above a declaration of `name`; empty if the line does not have it, as that of an entry that the
/// compiler made.
static std::string docAbove(llvm::ArrayRef<llvm::StringRef> lines, const SourcePlace &place, llvm::StringRef name) {
  if (place.line < 1 || size_t(place.line) > lines.size() || !place.file.empty())
    return "";
  const size_t at = size_t(place.line) - 1;
  if (!lines[at].contains("@" + name.str()))
    return "";
  size_t begin = at;
  while (begin > 0 && commentOf(lines[begin - 1]))
    --begin;
  return begin == 0 ? "" : joinComments(lines, begin, at);
}

void lathe::addDocComments(llvm::StringRef text, ModuleSignature &signature) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  size_t top = 0;
  while (top < lines.size() && commentOf(lines[top]))
    ++top;
  signature.doc = joinComments(lines, 0, top);
  for (Signature &function : signature.functions)
    function.doc = docAbove(lines, function.place, function.name);
  for (StateField &variable : signature.state)
    variable.doc = docAbove(lines, variable.place, variable.name);
}
