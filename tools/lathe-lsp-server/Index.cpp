#include "tools/lathe-lsp-server/Index.h"
#include "codegen/Emit/Signature.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/TypeText.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::server;

/// Returns "f32[N][16]", or MLIR's text for types other than a graph's tensors.
static std::string textOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && elementOf(tensor.getElementType()))
    return typeText(tensor.getElementType(), dimsOf(tensor));
  return typeText(type);
}

static std::string listOf(TypeRange types) { return llvm::join(llvm::map_range(types, textOf), ", "); }

namespace {
class Indexer {
public:
  Indexer(const AsmParserState &places, const char *start, const Composites &composites, Analysis &out)
      : places(places), start(start), composites(composites), out(out) {}

  void run() {
    for (const AsmParserState::OperationDefinition &each : places.getOpDefs()) {
      auto found = composites.find(each.op);
      bool isComposite = found != composites.end();
      Composite op = isComposite
                         ? found->second
                         : Composite{each.op->getName().getStringRef().str(), llvm::to_vector(each.op->getOperandTypes()),
                                     llvm::to_vector(each.op->getResultTypes())};
      out.ops.push_back({op.name, spanOf(each.loc), "(" + listOf(op.operands) + ") -> " + resultsOf(op.results)});
      addResults(each, op.results);
      if (!isComposite)
        addSymbol(each);
    }
    for (const AsmParserState::BlockDefinition &each : places.getBlockDefs())
      addArguments(each);
    llvm::stable_sort(out.definitions, [](const Definition &a, const Definition &b) { return a.name < b.name; });
  }

private:
  Span spanOf(llvm::SMRange range) {
    return {size_t(range.Start.getPointer() - start), size_t(range.End.getPointer() - start)};
  }

  static std::string resultsOf(TypeRange types) { return types.size() == 1 ? textOf(types[0]) : "(" + listOf(types) + ")"; }

  StringRef textAt(Span span) { return span.in(out.text); }

  void addResults(const AsmParserState::OperationDefinition &def, TypeRange types) {
    for (auto [i, group] : llvm::enumerate(def.resultGroups)) {
      unsigned end = i + 1 < def.resultGroups.size() ? def.resultGroups[i + 1].startIndex : types.size();
      Span name = spanOf(group.definition.loc);
      Definition definition{textAt(name).str(), name, {}};
      for (Type type : types.slice(group.startIndex, end - group.startIndex))
        definition.types.push_back(textOf(type));
      out.definitions.push_back(std::move(definition));
    }
  }

  /// Adds the arguments of a block. A region's consts come before the arguments in the text, which refers to them by their
  /// outer names.
  void addArguments(const AsmParserState::BlockDefinition &def) {
    size_t count = std::min<size_t>(def.arguments.size(), def.block->getNumArguments());
    for (auto [argument, place] : llvm::zip(def.block->getArguments().take_back(count), def.arguments)) {
      Span name = spanOf(place.loc);
      out.definitions.push_back({textAt(name).str(), name, {textOf(argument.getType())}});
    }
  }

  void addSymbol(const AsmParserState::OperationDefinition &def) {
    auto name = def.op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
    if (!name)
      return;
    std::string text = "@" + name.str();
    if (auto function = dyn_cast<func::FuncOp>(def.op))
      text += "(" + listOf(function.getArgumentTypes()) + ") -> " + resultsOf(function.getResultTypes());
    else if (auto variable = dyn_cast<VariableOp>(def.op))
      text += " : " + textOf(variable.getType());
    out.symbols.push_back({"@" + name.str(), text, spanOf(def.loc)});
  }

  const AsmParserState &places;
  const char *start;
  const Composites &composites;
  Analysis &out;
};
} // namespace

void lathe::server::fillIndex(const AsmParserState &places, const char *start, const Composites &composites,
                              Analysis &analysis) {
  Indexer(places, start, composites, analysis).run();
}
