// All expansions of a context, and the functions that uses become.
#include "dialects/Lathe/Std/Expand.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expander.h"
#include "dialects/Lathe/Std/Options.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::composites;

std::string lathe::composites::typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string lathe::composites::typeText(TypeRange types) {
  return llvm::join(llvm::map_range(types, [](Type type) { return typeText(type); }), ", ");
}

RankedTensorType lathe::composites::plain(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

Expander::Expander(const Use &use, Location location)
    : use(use), location(location), context(location.getContext()), source(*findTemplate(use.name)) {}

LogicalResult Expander::run(Expansion &expansion) {
  if (failed(bindOperands()) || failed(bindOptions()) || failed(expandLines(source.body)))
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
  Expansion expansion; // made without the lock: its lines may use composites
  if (failed(Expander(use, location).run(expansion)))
    return nullptr;
  std::scoped_lock lock(mutex);
  return &made.emplace(key, std::move(expansion)).first->second;
}

OwningOpRef<func::FuncOp> lathe::composites::expansionOf(Operation *op) {
  auto use = cast<StdOp>(op);
  SmallVector<Type> operands(use.getOperandTypes());
  Expansions &expansions = *use.getContext()->getLoadedDialect<LatheDialect>()->expansions;
  const Expansion *expansion =
      expansions.get({use.getCompositeAttr(), use.getGivenAttr(), use.getOptionsAttr(), operands}, use.getLoc());
  if (!expansion)
    return {};
  ParserConfig config(use.getContext(), /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(expansion->text, config);
  if (!module)
    return {};
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  function->remove();
  function->walk([&](Operation *inner) { inner->setLoc(use.getLoc()); });
  for (BlockArgument argument : function.getArguments())
    argument.setLoc(use.getLoc());
  return function;
}
