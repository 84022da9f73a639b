// Completions at the cursor. Unfinished text seldom parses, so the context is determined from the text itself.
#include "tools/lathe-lsp-server/Docs.h"
#include "tools/lathe-lsp-server/Document.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace lathe::server;

/// Adds an item. `range` is the word before the cursor: an editor's own notion of a word may end at a dot or a sign.
static lsp::CompletionItem &addItem(lsp::CompletionList &list, const lsp::Range &range, StringRef label,
                                    lsp::CompletionItemKind kind, StringRef detail) {
  lsp::CompletionItem &item = list.items.emplace_back(label, kind);
  item.detail = detail.str();
  item.textEdit.emplace();
  item.textEdit->range = range;
  item.textEdit->newText = label.str();
  item.filterText = label.str();
  return item;
}

/// Returns the start of the function around a position, judged by the text.
static size_t startOfFunction(StringRef text, size_t place) {
  size_t start = text.take_front(place).rfind("func.func");
  return start == StringRef::npos ? 0 : start;
}

/// Completes values. A value is known by name before its function parses, and by type afterwards.
void Document::completeValues(lsp::CompletionList &list, Span word) const {
  StringSet<> seen;
  const Edit edit(known.text, text);
  const lsp::Range range = rangeOf(text, word);
  for (size_t i = startOfFunction(text, word.begin); i < word.begin; ++i) {
    if (text[i] != '%')
      continue;
    Span name = wordAt(text, i);
    StringRef label = name.in(text);
    if (label.size() > 1 && seen.insert(label).second) {
      const Definition *definition = known.find(label, edit.placeBefore(name.begin));
      addItem(list, range, label, lsp::CompletionItemKind::Variable, definition ? join(definition->types, ", ") : "");
    }
    i = std::max(i, name.end - 1);
  }
}

void Document::completeSymbols(lsp::CompletionList &list, Span word) const {
  const lsp::Range range = rangeOf(text, word);
  for (const Symbol &symbol : known.symbols)
    addItem(list, range, symbol.name, lsp::CompletionItemKind::Function, symbol.text);
}

void Document::completeOps(lsp::CompletionList &list, Span word) const {
  StringRef begun = word.in(text);
  const lsp::Range range = rangeOf(text, word);
  auto add = [&](StringRef name, StringRef summary) -> lsp::CompletionItem * {
    return name.contains(begun) ? &addItem(list, range, name, lsp::CompletionItemKind::Function, summary) : nullptr;
  };
  for (const OpDoc &doc : opDocs())
    if (lsp::CompletionItem *item = add(doc.name, doc.summary))
      item->documentation = lsp::MarkupContent{lsp::MarkupKind::Markdown, doc.text};
  add("func.func", "A function of the graph");
  add("func.call", "Returns the results of the function");
  add("return", "Ends a function and returns its results");
}

lsp::CompletionList Document::complete(const lsp::Position &position) const {
  lsp::CompletionList list;
  Span word = wordBefore(text, offsetOf(text, position));
  StringRef begun = word.in(text);
  if (begun.starts_with("%"))
    completeValues(list, word);
  else if (begun.starts_with("@"))
    completeSymbols(list, word);
  if (begun.starts_with("%") || begun.starts_with("@"))
    return list;
  // An op begins a line, or follows `=` or a brace.
  StringRef line = StringRef(text).take_front(word.begin);
  line = line.drop_front(line.rfind('\n') == StringRef::npos ? 0 : line.rfind('\n') + 1).rtrim();
  if (line.empty() || line.ends_with("=") || line.ends_with("{"))
    completeOps(list, word);
  return list;
}
