#include "tools/lathe-lsp-server/Document.h"
#include "tools/lathe-lsp-server/Docs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include <fmt/format.h>

using namespace llvm;
using namespace lathe::server;

/// Analyses a text on a large stack, for deeply nested graphs. A crash of the analysis becomes a diagnostic, and the next text
/// is analysed from scratch.
static Analysis analyzeGuarded(StringRef file, StringRef text) {
  constexpr unsigned kStack = 256 << 20;
  Analysis analysis;
  CrashRecoveryContext guard;
  if (guard.RunSafelyOnThread([&] { analysis = analyze(file, text); }, kStack))
    return analysis;
  Analysis crashed;
  crashed.findings.push_back({lsp::DiagnosticSeverity::Error,
                              {0, std::min(text.find('\n'), text.size())},
                              "the compiler crashed on this graph; this is a bug in Lathe, please report it",
                              {}});
  return crashed;
}

void Document::update(const lsp::URIForFile &uri, std::string newText) {
  text = std::move(newText);
  Analysis analysis = analyzeGuarded(sys::path::filename(uri.file()), text);
  findings = std::move(analysis.findings);
  if (analysis.isParsed)
    known = std::move(analysis);
}

std::vector<lsp::Diagnostic> Document::diagnostics(const lsp::URIForFile &uri) const {
  std::vector<lsp::Diagnostic> all;
  for (const Finding &finding : findings) {
    lsp::Diagnostic &diagnostic = all.emplace_back();
    diagnostic.range = rangeOf(text, finding.place);
    diagnostic.severity = finding.severity;
    diagnostic.source = "lathe";
    diagnostic.message = finding.message;
    for (const auto &[place, note] : finding.notes) {
      if (!diagnostic.relatedInformation)
        diagnostic.relatedInformation.emplace();
      diagnostic.relatedInformation->emplace_back(lsp::Location(uri, rangeOf(text, place)), note);
    }
  }
  return all;
}

// ---- The meaning of a word

std::optional<Document::Meaning> Document::meaningAt(const lsp::Position &position) const {
  Span span = wordAt(text, offsetOf(text, position));
  if (span.begin == span.end)
    return std::nullopt;
  return Meaning{span.in(text), span, Edit(known.text, text).placeBefore(span.begin)};
}

/// Describes `%x`. For `%x:2`, describes the result that the use, such as `%x#1`, refers to.
std::string Document::describeValue(const Meaning &meaning) const {
  const Definition *definition = known.find(meaning.word, meaning.place);
  if (!definition)
    return "";
  StringRef behind = StringRef(text).drop_front(meaning.span.end);
  unsigned index = 0;
  if (behind.consume_front("#") && !behind.consumeInteger(10, index) && index < definition->types.size())
    return fmt::format("{}#{} : {}", definition->name, index, definition->types[index]);
  return fmt::format("{} : {}", definition->name, join(definition->types, ", "));
}

std::string Document::describeOp(const Meaning &meaning) const {
  const OpDoc *doc = findOpDoc(meaning.word);
  auto use = find_if(known.ops, [&](const OpPlace &op) { return op.place.begin == meaning.place && op.name == meaning.word; });
  std::string types = use == known.ops.end() ? "" : fmt::format("```\n{} : {}\n```\n", use->name, use->types);
  if (!doc)
    return types;
  return types + (types.empty() ? "" : "\n") + doc->text;
}

std::string Document::describe(const Meaning &meaning) const {
  std::string line;
  if (meaning.word.starts_with("%"))
    line = describeValue(meaning);
  else if (const Symbol *symbol = known.findSymbol(meaning.word))
    line = symbol->text;
  else
    return describeOp(meaning);
  return line.empty() ? "" : fmt::format("```\n{}\n```", line);
}

std::optional<lsp::Hover> Document::hover(const lsp::Position &position) const {
  std::optional<Meaning> meaning = meaningAt(position);
  std::string described = meaning ? describe(*meaning) : "";
  if (described.empty())
    return std::nullopt;
  lsp::Hover hover(rangeOf(text, meaning->span));
  hover.contents.value = std::move(described);
  return hover;
}

std::optional<lsp::Range> Document::definition(const lsp::Position &position) const {
  std::optional<Meaning> meaning = meaningAt(position);
  if (!meaning)
    return std::nullopt;
  std::optional<Span> place;
  if (const Definition *definition = known.find(meaning->word, meaning->place))
    place = definition->place;
  else if (const Symbol *symbol = known.findSymbol(meaning->word))
    place = symbol->place;
  std::optional<size_t> begin = place ? Edit(text, known.text).placeBefore(place->begin) : std::nullopt;
  if (!begin)
    return std::nullopt;
  return rangeOf(text, {*begin, *begin + place->end - place->begin});
}
