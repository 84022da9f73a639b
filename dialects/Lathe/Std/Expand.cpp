// The expansions of a context, and the functions that replace uses.
#include "dialects/Lathe/Std/Expand.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expander.h"
#include "dialects/Lathe/Std/Options.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::composites;

RankedTensorType lathe::composites::plain(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

Expander::Expander(const Use &use, Location location)
    : use(use), location(location), context(location.getContext()), source(*findTemplate(use.name)) {}

LogicalResult Expander::run(Expansion &expansion) {
  if (failed(bindHalves()) || failed(bindOperands()) || failed(bindOptions()) || failed(expandLines(source.body)))
    return failure();
  made.text = "func.func private @" + source.name + "(" + llvm::join(arguments, ", ") + ") -> (" + typeText(made.results) +
              ") attributes {lathe.composite = \"" + source.name + "\"} {\n" + body + "}\n";
  expansion = std::move(made);
  return success();
}

InFlightDiagnostic Expander::fail(StringRef text, int number) {
  InFlightDiagnostic diagnostic = fail();
  diagnostic.attachNote(FileLineColLoc::get(context, source.file, number, 1)) << "in this line of its template: " << text;
  return diagnostic;
}

const Expansion *Expansions::get(const Use &use, Location location) {
  if (!findTemplate(use.name))
    return emitError(location) << "there is no lathe.std." << use.name.getValue() << hintFor(use.name), nullptr;
  std::string key;
  llvm::raw_string_ostream out(key);
  out << use.name << use.given << use.options;
  for (Type type : use.operands)
    out << plain(type);
  {
    std::scoped_lock lock(mutex);
    if (auto it = made.find(key); it != made.end())
      return &it->second;
  }
  Expansion expansion; // built without the lock: its lines may use composites
  if (failed(Expander(use, location).run(expansion)))
    return nullptr;
  std::scoped_lock lock(mutex);
  return &made.emplace(key, std::move(expansion)).first->second;
}

/// Replaces the names by which a template calls functions by those in options.
static void nameFunctions(func::FuncOp function, DictionaryAttr options) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr name) -> Attribute {
    auto given = options.getAs<FlatSymbolRefAttr>(name.getAttr());
    return given ? given : name;
  });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/false);
}

static OwningOpRef<func::FuncOp> functionOf(const Use &use, Location location) {
  MLIRContext *context = location.getContext();
  const Expansion *expansion = context->getLoadedDialect<LatheDialect>()->expansions->get(use, location);
  if (!expansion)
    return {};
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(expansion->text, ParserConfig(context, /*verifyAfterParse=*/false));
  if (!module)
    return {};
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  function->remove();
  nameFunctions(function, use.options);
  function->walk([&](Operation *inner) { inner->setLoc(location); });
  for (BlockArgument argument : function.getArguments())
    argument.setLoc(location);
  return function;
}

OwningOpRef<func::FuncOp> lathe::composites::expansionOf(Operation *op) {
  auto use = cast<StdOp>(op);
  return functionOf({use.getCompositeAttr(), use.getGivenAttr(), use.getOptionsAttr(), use.getOperandTypes()}, use.getLoc());
}

bool lathe::composites::hasTangent(Operation *use) { return findTemplate(tangentName(cast<StdOp>(use).getComposite())); }

OwningOpRef<func::FuncOp> lathe::composites::tangentOf(Operation *op, func::FuncOp expansion) {
  auto use = cast<StdOp>(op);
  Builder builder(op->getContext());
  SmallVector<Type> types(use.getOperandTypes());
  SmallVector<Attribute> given(use.getGiven().begin(), use.getGiven().end());
  NamedAttrList options(use.getOptions());
  auto exact = use.getOptions().getAs<DenseI64ArrayAttr>(kExactOption);
  SmallVector<int64_t> kept(exact ? exact.asArrayRef() : ArrayRef<int64_t>());
  for (auto [i, type] : llvm::enumerate(use.getOperandTypes()))
    if (isa<FloatType>(cast<RankedTensorType>(type).getElementType())) {
      if (exact && llvm::is_contained(exact.asArrayRef(), i)) // its tangent is exact too
        kept.push_back(types.size());
      types.push_back(type);
      given.push_back(builder.getStringAttr("tangents"));
    }
  if (exact)
    options.set(kExactOption, builder.getDenseI64ArrayAttr(kept));
  OwningOpRef<func::FuncOp> tangent = functionOf({builder.getStringAttr(tangentName(use.getComposite())),
                                                  builder.getArrayAttr(given), options.getDictionary(op->getContext()), types},
                                                 use.getLoc());
  if (!tangent)
    return {};
  SmallVector<StdOp> own;
  tangent->walk([&](StdOp inner) {
    if (inner.getComposite() == use.getComposite() && llvm::equal(inner.getOperandTypes(), expansion.getArgumentTypes()))
      own.push_back(inner);
  });
  for (StdOp inner : own) {
    OpBuilder at(inner);
    inner.replaceAllUsesWith(func::CallOp::create(at, inner.getLoc(), expansion, inner.getOperands()).getResults());
    inner.erase();
  }
  return tangent;
}
