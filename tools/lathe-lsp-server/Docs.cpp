#include "tools/lathe-lsp-server/Docs.h"
#include "dialects/Lathe/Std/Template.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <vector>

using namespace llvm;
using namespace lathe;
using namespace lathe::server;

/// The output of mlir-tblgen -gen-op-doc: a section `### `lathe.NAME` (::lathe::CLASS)` for each op.
static constexpr StringLiteral kReference =
#include "tools/lathe-lsp-server/OpDocs.inc"
    ;

/// False for ops that graphs do not contain: bare `lathe.std`, ops that passes create, and ops below graph level.
static bool isWritten(StringRef name) {
  return !is_contained({"lathe.std", "lathe.call_tangent", "lathe.extern_tangent", "lathe.kernel", "lathe.check",
                        "lathe.scratch", "lathe.nest", "lathe.index", "lathe.extent", "lathe.element", "lathe.apply"},
                       name);
}

/// Reads a section between its heading and the traits: `_summary_`, the syntax, the description.
static OpDoc readSection(StringRef section) {
  OpDoc doc;
  auto [heading, body] = section.split('\n');
  doc.name = heading.split('`').first.str();
  for (StringRef end : {"\nTraits: ", "\nInterfaces: ", "\nEffects: ", "\n#### "})
    body = body.split(end).first;
  body = body.trim();
  if (body.consume_front("_")) {
    auto [summary, rest] = body.split("_\n");
    doc.summary = summary.rtrim('_').str();
    body = rest.trim();
  }
  if (body.consume_front("Syntax:\n"))
    body = body.trim();
  doc.text = doc.summary + (body.empty() ? "" : "\n\n" + body.str());
  return doc;
}

static std::string parameterText(const composites::Parameter &parameter) {
  std::string text = "- `" + parameter.name + "`: " + parameter.describe();
  if (parameter.isOperand())
    return text + (parameter.optional ? ", optional" : "");
  return text + (parameter.initial ? ", `" + *parameter.initial + "` by default" : "");
}

static OpDoc describe(const composites::Template &source) {
  OpDoc doc{"lathe.std." + source.name, StringRef(source.meaning).split('\n').first.str(), source.meaning + "\n"};
  for (const composites::Parameter &parameter : source.parameters)
    doc.text += "\n" + parameterText(parameter);
  return doc;
}

static std::vector<OpDoc> readAll() {
  std::vector<OpDoc> docs;
  SmallVector<StringRef> sections;
  kReference.split(sections, "### `");
  for (StringRef section : drop_begin(sections))
    if (OpDoc doc = readSection(section); isWritten(doc.name))
      docs.push_back(std::move(doc));
  for (const composites::Template &source : composites::library())
    docs.push_back(describe(source));
  sort(docs, [](const OpDoc &a, const OpDoc &b) { return a.name < b.name; });
  return docs;
}

ArrayRef<OpDoc> lathe::server::opDocs() {
  static const std::vector<OpDoc> docs = readAll();
  return docs;
}

const OpDoc *lathe::server::findOpDoc(StringRef name) {
  ArrayRef<OpDoc> docs = opDocs();
  auto found = lower_bound(docs, name, [](const OpDoc &doc, StringRef wanted) { return doc.name < wanted; });
  return found != docs.end() && found->name == name ? found : nullptr;
}
