#include "lib/Import/Names.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace lathe;

/// The text of a definition `%name`, without the sign.
static std::string textOf(llvm::SMRange range) {
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  return text.str();
}

/// The SSA name of a value; "r_1" for the second one of `%r:2`. Empty if the source does not tell.
static std::string sourceName(Value value, const AsmParserState &places) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto *block = places.getBlockDef(argument.getOwner());
    bool known = block && argument.getArgNumber() < block->arguments.size();
    return known ? textOf(block->arguments[argument.getArgNumber()].loc) : "";
  }
  auto *op = places.getOpDef(value.getDefiningOp());
  unsigned index = cast<OpResult>(value).getResultNumber(), count = value.getDefiningOp()->getNumResults();
  if (!op)
    return "";
  for (auto [i, group] : llvm::enumerate(op->resultGroups)) {
    unsigned end = i + 1 < op->resultGroups.size() ? op->resultGroups[i + 1].startIndex : count;
    if (index < group.startIndex || index >= end)
      continue;
    std::string name = textOf(group.definition.loc);
    return end - group.startIndex == 1 ? name : name + "_" + std::to_string(index - group.startIndex);
  }
  return "";
}

static StringAttr nameOf(Value value, StringRef prefix, unsigned index, const AsmParserState *places) {
  std::string name = places ? sourceName(value, *places) : "";
  if (name.empty())
    name = prefix.str() + std::to_string(index);
  else if (llvm::isDigit(name[0]))
    name = prefix.str() + name;
  return StringAttr::get(value.getContext(), name);
}

static void nameFunction(func::FuncOp function, const AsmParserState *places) {
  for (BlockArgument argument : function.getArguments())
    if (!function.getArgAttr(argument.getArgNumber(), kNameAttr))
      function.setArgAttr(argument.getArgNumber(), kNameAttr, nameOf(argument, "arg", argument.getArgNumber(), places));
  auto returned = dyn_cast<func::ReturnOp>(function.getBody().back().getTerminator());
  if (!returned)
    return;
  for (auto [i, value] : llvm::enumerate(returned.getOperands()))
    if (!function.getResultAttr(i, kNameAttr))
      function.setResultAttr(i, kNameAttr, nameOf(value, "out", i, places));
}

void lathe::writeNames(ModuleOp module, const AsmParserState *places) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      nameFunction(function, places);
}
